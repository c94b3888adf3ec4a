/* SPDX-License-Identifier: Apache-2.0 */
/* pod_load.h -- the resources and host ports that a pod uses. */
#ifndef LW_CONTROL_SCHEDULER_POD_LOAD_H
#define LW_CONTROL_SCHEDULER_POD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

/* Amounts of resources. */
typedef struct lw_resources {
    int64_t cpu;     /* thousandths of a CPU */
    int64_t memory;  /* bytes */
    int64_t storage; /* bytes of ephemeral storage */
} lw_resources;

/* A host port.  No address, or 0.0.0.0, means all addresses. */
typedef struct lw_host_port {
    int port;
    char protocol; /* 'T', 'U', 'S': TCP, UDP, SCTP */
    char address[46];
} lw_host_port;

enum {
    LW_POD_PORTS_MAX = 64, /* maximum number of host ports of one pod */
};

typedef struct lw_pod_load {
    lw_resources requests;
    lw_host_port *ports; /* NULL: none */
    size_t port_count;
} lw_pod_load;

/* Computes the load: containers run together; init containers run before them, one at a time,
 * except sidecars (restartPolicy Always), which keep running; plus the pod's overhead.
 * LW_ERR_NOMEM. */
lw_status lw_pod_load_read(lw_pod_load *load, const lw_object *pod);
void lw_pod_load_done(lw_pod_load *load);

/* True if the two ports conflict. */
bool lw_host_port_collides(const lw_host_port *a, const lw_host_port *b);

/* a += b, a -= b. */
void lw_resources_add(lw_resources *a, const lw_resources *b);
void lw_resources_subtract(lw_resources *a, const lw_resources *b);

#endif
