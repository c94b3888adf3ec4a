/* SPDX-License-Identifier: Apache-2.0 */
/* controller.h -- what a controller is to the frame that runs it (control.c), and what it is given.
 *
 * A controller lives for one term: it is made, started when this copy leads, and freed when the
 * lease is lost; then it is made anew.  The factory and its informers stay. */
#ifndef LW_CONTROL_RUNTIME_CONTROLLER_H
#define LW_CONTROL_RUNTIME_CONTROLLER_H

#include <listwatch.h>

#include "runtime/step.h"

typedef struct lw_recorder lw_recorder; /* recorder.h: Events about objects */
typedef struct lw_trace lw_trace;       /* trace.h: steps for whoever looks on */

/* Shared by all controllers of one frame; outlives them. */
typedef struct lw_control_env {
    lw_client *client;
    lw_factory
        *factory; /* informers are shared: ask lw_factory_informer, or lw_control_loop_watch */
    lw_recorder *recorder;
    lw_trace *trace;
    const lw_clock *clock;   /* never NULL */
    const lw_logger *logger; /* never NULL */
    unsigned nodes;          /* hollow nodes to run */
    const char *node_prefix; /* never NULL */
    int64_t node_grace_ns;   /* how long nothing may be heard of a node */
    int64_t pod_eviction_ns; /* how long pods stay that do not tolerate a taint */
    const char *root_ca;     /* PEM, by which pods know the server; NULL: none */
} lw_control_env;

/* One controller.  |make| asks the factory for its informers, adds indexes and handlers, and makes
 * its loops (loop.h); nothing is written yet.  |start| is called once, when the informers are
 * synced and this copy leads; from then on it works, on threads of its own.  |free| stops it
 * (waiting for the key it is at) and frees it, also where it was never started. */
typedef struct lw_controller_type {
    const char *name;
    bool needs_lease; /* false: runs in every copy (the hollow nodes, which are each copy's own) */
    lw_status (*make)(void **out, const lw_control_env *env, lw_error *err);
    lw_status (*start)(void *self, lw_error *err);
    void (*free)(void *self);
} lw_controller_type;

/* lw_informer_add_index and _path for informers that several controllers, and terms, share: an
 * index of that name is taken for the one that is meant. */
lw_status lw_control_add_index(lw_informer *informer, const char *name, lw_index_fn fn,
                               lw_error *err);
lw_status lw_control_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                    lw_error *err);

#endif
