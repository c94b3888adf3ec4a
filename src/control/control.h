/* SPDX-License-Identifier: Apache-2.0 */
/* control.h -- the controllers of a small cluster and simulated nodes: they turn a Deployment into
 * running Pods, using only list and watch.
 *
 * They use only the public headers and work with any Kubernetes API server.  One copy is active at
 * a time (the holder of a Lease); the others wait with synced caches. */
#ifndef LW_CONTROL_CONTROL_H
#define LW_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

#include "runtime/client_set.h"
#include "runtime/controller.h"

typedef struct lw_control_options {
    /* Client of the API server, for informers, events and the lease; a reference is taken.  Closed
     * if the server does not respond to a stop in time. */
    lw_client *client;
    /* Makes the client for the requests of one controller (the |user| of its type) or hollow node
     * (system:node:NAME of the group system:nodes).  NULL: all of them use |client|. */
    lw_client_as_fn client_as;
    void *client_arg;
    unsigned nodes;          /* number of hollow nodes; 0: none */
    const char *node_prefix; /* node names are this prefix and a number; NULL: "node" */
    int node_grace_s;        /* a node without a heartbeat for this long is unreachable; 0: 40 */
    /* ... and its pods are evicted after this time; 0: according to their tolerations, at once or
     * after the 300 s that servers add to every pod. */
    int pod_eviction_s;
    const char *root_ca;  /* PEM, for the ConfigMap kube-root-ca.crt; NULL: none */
    const char *only;     /* e.g. "replicaset,scheduler": only these; NULL: all */
    const char *identity; /* name in the lease; NULL: host name, PID and a random part */
    bool is_alone;        /* no election: the caller ensures that there is only one copy */
    bool shows_informers; /* report the informers to the server, for its page */
    int lease_s;          /* lease duration; 0: 15 */
    int stop_s;           /* how long a stop waits for a server that does not respond; 0: 5 */
    lw_step_fn on_step;   /* NULL: steps are not reported */
    void *arg;
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* must outlive it; NULL: no log */
} lw_control_options;

typedef struct lw_control lw_control;

/* Starts the controllers and returns: informers sync and the election runs in the background.
 * LW_ERR_INVALID (invalid option; the message says which), LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_control_start(lw_control **out, const lw_control_options *options, lw_error *err);

/* True if this copy holds the lease and is active. */
bool lw_control_is_leading(lw_control *control);

/* Writes a report of its informers, for the server's page; like lw_factory_report. */
size_t lw_control_report(const lw_control *control, char *dst, size_t size);

/* Waits until each controller has finished its current key, releases the lease, and frees
 * everything. If the server does not respond within |stop_s|, the lease is left to expire.  NULL
 * does nothing. */
void lw_control_stop(lw_control *control);

#endif
