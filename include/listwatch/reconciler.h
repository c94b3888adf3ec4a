/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler.h -- the loop of a controller: informers feed a queue of keys, workers make the world
 * as it should be, one key at a time, again after a failure. */
#ifndef LISTWATCH_RECONCILER_H
#define LISTWATCH_RECONCILER_H

#include <listwatch/factory.h>
#include <listwatch/key.h>
#include <listwatch/workqueue.h>

LW_BEGIN_DECLS

/* What to do next with a key. */
typedef struct lw_reconcile_result {
    int64_t again_after_ns; /* > 0: come back then */
} lw_reconcile_result;

/* Brings |key| to its wanted state, from what the caches say now; key.ns.ptr ("" without one) and
 * key.name.ptr end in a NUL, so that lw_lister_get takes them.  A negative status: again later,
 * with growing delay; the error is logged.  Runs on a worker; may wait. */
typedef lw_status (*lw_reconcile_fn)(lw_key key, lw_reconcile_result *result, void *arg,
                                     lw_error *err);

typedef struct lw_reconciler_options {
    const char *name; /* for the log */
    lw_reconcile_fn reconcile;
    void *arg;
    unsigned workers; /* 0: 1 */
    lw_workqueue_options queue;
    const lw_logger *logger;
} lw_reconciler_options;

typedef struct lw_reconciler lw_reconciler;

/* Makes one that does nothing yet.  LW_ERR_INVALID (no function), LW_ERR_NOMEM, LW_ERR_IO. */
LW_API lw_status lw_reconciler_new(lw_reconciler **out, const lw_reconciler_options *options,
                                   lw_error *err);

/* Stops it and takes its handlers off the informers, which must still be there: free it before
 * their factory.  Not from a worker or a handler.  NULL does nothing. */
LW_API void lw_reconciler_free(lw_reconciler *reconciler);

/* Every event of |informer| adds its object's key ...  LW_ERR_NOMEM, LW_ERR_STOPPED and what
 * lw_informer_add_handler says. */
LW_API lw_status lw_reconciler_watch(lw_reconciler *reconciler, lw_informer *informer,
                                     lw_error *err);

/* ... or the key of the object of |owners| that controls it (ownerReferences with controller:
 * true): that of the owner before and after, where it has changed.  The group and kind of the
 * reference must be those of |owners|, in any version; where |owners| have namespaces the owner is
 * in that of the object.  Both are known once the server was asked for |owners|: let the reconciler
 * watch them too, so that it misses nothing before.  Both informers must be there as long as the
 * reconciler. LW_ERR_UNSUPPORTED: the source of |owners| does not tell their kind (etcd.h); the
 * rest as above. */
LW_API lw_status lw_reconciler_watch_owned(lw_reconciler *reconciler, lw_informer *informer,
                                           lw_informer *owners, lw_error *err);

/* ... or whatever keys |map| adds for it.  It runs where the informer is dispatched: be quick. */
typedef void (*lw_reconcile_map_fn)(const lw_event *event, lw_workqueue *queue, void *arg);
LW_API lw_status lw_reconciler_watch_mapped(lw_reconciler *reconciler, lw_informer *informer,
                                            lw_reconcile_map_fn map, void *arg, lw_error *err);

/* Adds a key by hand.  LW_ERR_LIMIT, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_API lw_status lw_reconciler_add(lw_reconciler *reconciler, lw_key key);

/* Starts the workers; call it when the informers are synced.  LW_ERR_EXISTS: it runs already;
 * LW_ERR_STOPPED, LW_ERR_NOMEM, LW_ERR_IO (no thread): it is stopped then. */
LW_API lw_status lw_reconciler_start(lw_reconciler *reconciler, lw_error *err);

/* Lets each worker return from the key it is at, and waits for that (from a worker: does not wait).
 * Requests of a client (client.h) that workers wait for are cancelled: they and later ones return
 * LW_ERR_STOPPED.  Keys that wait are dropped: whoever starts next begins with a look at
 * everything.  For good. */
LW_API void lw_reconciler_stop(lw_reconciler *reconciler);

LW_END_DECLS

#endif
