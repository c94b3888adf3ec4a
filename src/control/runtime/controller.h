/* SPDX-License-Identifier: Apache-2.0 */
/* controller.h -- the interface of a controller to control.c, what it is given, and the steps that
 * it reports to observers.
 *
 * A controller exists for one term: it is created, started when this copy leads, and freed when the
 * lease is lost; then it is created again.  The factory and its informers are kept. */
#ifndef LW_CONTROL_RUNTIME_CONTROLLER_H
#define LW_CONTROL_RUNTIME_CONTROLLER_H

#include <stdint.h>

#include <listwatch.h>

typedef struct lw_trace lw_trace; /* trace.h: reports steps */

/* One step: which controller did what, caused by which informer's event, and how long after it. */
typedef struct lw_control_step {
    const char *controller; /* e.g. "replicaset" */
    /* The resource whose event caused it, e.g. "replicasets.apps"; "": none. */
    const char *informer;
    const char *action; /* "created", "bound", "started", "updated", "deleted" ... */
    const char *kind;   /* kind of the affected object */
    lw_key key;         /* its namespace and name */
    const char *detail; /* e.g. "to node-2"; NULL: none */
    int64_t after_ns;   /* time since the event arrived at the handler */
} lw_control_step;

/* Receives a step; any thread. */
typedef void (*lw_step_fn)(const lw_control_step *step, void *arg);

/* Given to a controller; outlives it.  All but the client is shared. */
typedef struct lw_control_env {
    lw_client *client;             /* for its own requests; informers and events use another */
    struct lw_client_set *clients; /* makes more clients (client_set.h) */
    lw_factory
        *factory; /* informers are shared: use lw_factory_informer or lw_control_loop_watch */
    lw_recorder *recorder;
    lw_trace *trace;
    const lw_clock *clock;   /* never NULL */
    const lw_logger *logger; /* never NULL */
    unsigned nodes;          /* number of hollow nodes */
    const char *node_prefix; /* never NULL */
    int64_t node_grace_ns;   /* how long heartbeats of a node may be missing */
    int64_t pod_eviction_ns; /* how long pods stay that do not tolerate a taint */
    const char *root_ca;     /* PEM, with which pods verify the server; NULL: none */
} lw_control_env;

/* The beginning of the users of service accounts of controllers. */
#define LW_CONTROL_ACCOUNT "system:serviceaccount:kube-system:"

/* The user of what controllers share: informers, events, the lease. */
#define LW_CONTROL_USER "system:kube-controller-manager"

/* A controller type.  |make| gets its informers from the factory, adds indexes and handlers, and
 * creates its loops (loop.h); nothing is written yet.  |start| is called once, when the informers
 * are synced and this copy leads; from then on it works, on its own threads.  |free| stops it
 * (waiting for the current key) and frees it, even if it was never started. */
typedef struct lw_controller_type {
    const char *name;
    /* The user that it acts as if each controller has its own, e.g. "system:kube-scheduler".  NULL:
     * it makes its own clients. */
    const char *user;
    bool needs_lease; /* false: runs in every copy (the hollow nodes, which each copy has) */
    lw_status (*make)(void **out, const lw_control_env *env, lw_error *err);
    lw_status (*start)(void *self, lw_error *err);
    void (*free)(void *self);
} lw_controller_type;

/* Like lw_informer_add_index and _path, for informers that several controllers and terms share: an
 * existing index of that name is used. */
lw_status lw_control_add_index(lw_informer *informer, const char *name, lw_index_fn fn,
                               lw_error *err);
lw_status lw_control_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                    lw_error *err);

#endif
