/* SPDX-License-Identifier: Apache-2.0 */
/* control.h -- the controllers of a small cluster, and nodes that only pretend: what makes running
 * Pods out of a Deployment, by list and watch alone.
 *
 * They stand on the public headers and know nothing of the server they talk to: ours, or another.
 * One copy works at a time (a Lease says which); the others wait with warm caches. */
#ifndef LW_CONTROL_CONTROL_H
#define LW_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

#include "runtime/step.h"

typedef struct lw_control_options {
    lw_client *client;       /* of the server they work on; a reference is taken.  Closed by a stop
                                that the server does not answer in time */
    unsigned nodes;          /* hollow nodes to run; 0: none */
    const char *node_prefix; /* their names are this and a number; NULL: "node" */
    int node_grace_s;        /* a node not heard of for so long is unreachable; 0: 40 */
    int pod_eviction_s;      /* ... and its pods go so much later; 0: as they say themselves, at
                                once or after the 300 s that servers give every pod */
    const char *root_ca;     /* PEM, for the ConfigMap kube-root-ca.crt; NULL: there is none */
    const char *only;        /* "replicaset,scheduler": no others; NULL: all */
    const char *identity;    /* in the lease; NULL: host name, process and a random part */
    bool is_alone;           /* no election: the caller sees to it that there is one copy */
    bool shows_informers;    /* tells the server how they are, for its page */
    int lease_s;             /* how long a lease lasts that is not renewed; 0: 15 */
    int stop_s;              /* how long a stop waits for a server that does not answer; 0: 5 */
    lw_step_fn on_step;      /* NULL: nobody looks */
    void *arg;
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* outlives it; NULL: silent */
} lw_control_options;

typedef struct lw_control lw_control;

/* Starts it and returns: informers fill and the election goes on in the background.
 * LW_ERR_INVALID (an option cannot be used; the message says which), LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_control_start(lw_control **out, const lw_control_options *options, lw_error *err);

/* Whether this copy holds the lease and works. */
bool lw_control_is_leading(lw_control *control);

/* What its informers say of themselves, for a server's page; as lw_factory_report. */
size_t lw_control_report(const lw_control *control, char *dst, size_t size);

/* Lets each controller return from the key it is at, gives the lease back, and frees everything. If
 * the server does not answer within |stop_s| the lease is left to run out.  NULL does nothing. */
void lw_control_stop(lw_control *control);

#endif
