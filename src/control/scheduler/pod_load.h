/* SPDX-License-Identifier: Apache-2.0 */
/* pod_load.h -- what a pod takes from the node it is on: resources, and ports of the host. */
#ifndef LW_CONTROL_SCHEDULER_POD_LOAD_H
#define LW_CONTROL_SCHEDULER_POD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

/* Amounts of what a node has to give. */
typedef struct lw_resources {
    int64_t cpu;     /* thousandths of a processor */
    int64_t memory;  /* bytes */
    int64_t storage; /* bytes of ephemeral storage */
} lw_resources;

/* A port of the host that a container wants.  No address, or 0.0.0.0, is every address. */
typedef struct lw_host_port {
    int port;
    char protocol; /* 'T', 'U', 'S': TCP, UDP, SCTP */
    char address[46];
} lw_host_port;

enum {
    LW_POD_PORTS_MAX = 64, /* host ports of one pod that are looked at */
};

typedef struct lw_pod_load {
    lw_resources requests;
    lw_host_port *ports; /* NULL: none */
    size_t port_count;
} lw_pod_load;

/* Reads it: the containers run together, an init container before them and alone, unless it is a
 * sidecar (restartPolicy Always), which runs on beside what comes after it; and the pod's overhead.
 * LW_ERR_NOMEM. */
lw_status lw_pod_load_read(lw_pod_load *load, const lw_object *pod);
void lw_pod_load_done(lw_pod_load *load);

/* Whether two ports cannot be had at once. */
bool lw_host_port_collides(const lw_host_port *a, const lw_host_port *b);

/* a += b, a -= b. */
void lw_resources_add(lw_resources *a, const lw_resources *b);
void lw_resources_subtract(lw_resources *a, const lw_resources *b);

#endif
