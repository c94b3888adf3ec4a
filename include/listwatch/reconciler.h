/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler.h -- the reconcile loop of a controller: informers add keys to a work queue, and
 * workers reconcile one key at a time; failures are retried with backoff. */
#ifndef LISTWATCH_RECONCILER_H
#define LISTWATCH_RECONCILER_H

#include <listwatch/factory.h>
#include <listwatch/key.h>
#include <listwatch/workqueue.h>

LW_BEGIN_DECLS

/* What happens with a key after it was reconciled. */
typedef struct lw_reconcile_result {
    int64_t again_after_ns; /* > 0: reconcile the key again after this time */
    /* Set it to return before the key is reconciled, e.g. until an asynchronous request (async.h)
     * has ended: no other worker gets the key until lw_reconciler_finish. */
    bool is_pending;
    const char *ticket; /* for lw_reconciler_finish, and valid until then; set by the library */
} lw_reconcile_result;

/* Brings the object |key| to its desired state, based on the caches. key.ns.ptr ("" if there is no
 * namespace) and key.name.ptr are NUL-terminated, so that they can be passed to lw_lister_get.  A
 * negative status: the error is logged and the key is retried with a growing delay.  Runs in a
 * worker thread and may block; in an event loop it runs in lw_reconciler_dispatch and should not
 * block.  For |err|, use lw_error_set. */
typedef lw_status (*lw_reconcile_fn)(lw_key key, lw_reconcile_result *result, void *arg,
                                     lw_error *err);

/* Initialise it with LW_RECONCILER_OPTIONS_INIT. */
typedef struct lw_reconciler_options {
    size_t size;
    const char *name; /* component in log lines; copied */
    lw_reconcile_fn reconcile;
    void *arg;
    unsigned workers;                  /* keys that are reconciled at the same time; 0: 1 */
    const lw_workqueue_options *queue; /* NULL: the defaults */
    const lw_logger *logger;           /* copied; NULL: nothing is logged */
} lw_reconciler_options;

#define LW_RECONCILER_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(lw_reconciler_options), NULL, NULL, NULL, 0, NULL, NULL                             \
    }

typedef struct lw_reconciler lw_reconciler;

/* Makes a reconciler that is not running.  LW_ERR_INVALID (no reconcile function, too many
 * workers), LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_new(lw_reconciler **out,
                                                 const lw_reconciler_options *options,
                                                 lw_error *err);

/* Stops and frees the reconciler and removes its handlers from the informers, which must still
 * exist: call it before the factory is freed.  Must not be called from a worker or a handler.  NULL
 * does nothing. */
LW_API void lw_reconciler_free(lw_reconciler *reconciler);

/* Adds the key of the object for every event of |informer|.  LW_ERR_NOMEM, LW_ERR_STOPPED and the
 * errors of lw_informer_add_handler. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_watch(lw_reconciler *reconciler, lw_informer *informer,
                                                   lw_error *err);

/* Adds the key of the owner for every event of |informer|: the object of |owners| that controls the
 * object (ownerReferences with controller: true).  If the owner has changed, both keys are added.
 * Group and kind of the reference must be those of |owners|, in any version; if |owners| are
 * namespaced, the owner is in the namespace of the object.  Group and kind are known after the
 * server was asked for |owners|: the reconciler should also watch |owners|, so that it does not
 * miss earlier events.  Both informers must exist as long as the reconciler.  LW_ERR_UNSUPPORTED:
 * the source of |owners| does not report their kind (etcd.h); other errors as
 * lw_reconciler_watch. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_watch_owned(lw_reconciler *reconciler,
                                                         lw_informer *informer, lw_informer *owners,
                                                         lw_error *err);

/* Calls |map| for every event of |informer|, which adds keys to |queue|.  It runs in the thread
 * that dispatches the informer and must not block.  Errors as lw_reconciler_watch. */
typedef void (*lw_reconcile_map_fn)(const lw_event *event, lw_workqueue *queue, void *arg);
LW_MUST_CHECK LW_API lw_status lw_reconciler_watch_mapped(lw_reconciler *reconciler,
                                                          lw_informer *informer,
                                                          lw_reconcile_map_fn map, void *arg,
                                                          lw_error *err);

/* Which updates of an object are worth a reconcile; they can be combined. */
enum {
    LW_CHANGE_OF_GENERATION = 1,  /* metadata.generation: changes of spec, not of status.  Kinds
                                     without a generation (ConfigMaps) have no such update. */
    LW_CHANGE_OF_LABELS = 2,      /* metadata.labels */
    LW_CHANGE_OF_ANNOTATIONS = 4, /* metadata.annotations */
};

/* Initialise it with LW_RECONCILER_WATCH_OPTIONS_INIT. */
typedef struct lw_reconciler_watch_options {
    size_t size;
    lw_informer *owners;     /* as lw_reconciler_watch_owned; NULL: the object itself */
    lw_reconcile_map_fn map; /* as lw_reconciler_watch_mapped; NULL: none */
    void *map_arg;
    /* Of the updates, only those that change one of these; 0: all.  As in controller-runtime, a
     * resync changes nothing.  An object that was created again under the same name has changed. */
    unsigned changes;
    /* Returns false for events to be ignored; asked after |changes|.  Runs in the thread that
     * dispatches the informer and must not block.  NULL: all events count. */
    bool (*filter)(const lw_event *event, void *arg);
    void *filter_arg;
} lw_reconciler_watch_options;

#define LW_RECONCILER_WATCH_OPTIONS_INIT                                                           \
    {                                                                                              \
        sizeof(lw_reconciler_watch_options), NULL, NULL, NULL, 0, NULL, NULL                       \
    }

/* As the functions above, only for the events that |options| select (predicates).  LW_ERR_INVALID:
 * both |owners| and |map| are set, or |changes| has unknown bits; other errors as theirs. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_watch_with(lw_reconciler *reconciler,
                                                        lw_informer *informer,
                                                        const lw_reconciler_watch_options *options,
                                                        lw_error *err);

/* Adds a key.  LW_ERR_LIMIT, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_add(lw_reconciler *reconciler, lw_key key);

/* Starts the workers; call it when the informers are synced.  LW_ERR_EXISTS: it is already running.
 * LW_ERR_STOPPED; LW_ERR_NOMEM, LW_ERR_IO (cannot create a thread): the reconciler is then
 * stopped. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_start(lw_reconciler *reconciler, lw_error *err);

/* Ends a key whose reconcile function has set is_pending: |st|, |again_after_ns| and |err| (may be
 * NULL) are as if the function had returned them now.  Any thread, once per key, before the
 * reconciler is freed. */
LW_API void lw_reconciler_finish(lw_reconciler *reconciler, const char *ticket, lw_status st,
                                 int64_t again_after_ns, const lw_error *err);

/* For an event loop of the program instead of threads: starts the reconciler; then poll the
 * descriptor for reading, for at most the timeout (-1: none), and dispatch, which reconciles some
 * keys.  At most |workers| keys are pending at the same time.  Errors as lw_reconciler_start. */
LW_MUST_CHECK LW_API lw_status lw_reconciler_start_in_loop(lw_reconciler *reconciler,
                                                           lw_error *err);
LW_API int lw_reconciler_fd(const lw_reconciler *reconciler);
LW_API int lw_reconciler_timeout_ms(const lw_reconciler *reconciler);
LW_API void lw_reconciler_dispatch(lw_reconciler *reconciler);

/* Writes the metrics of |count| reconcilers and of their work queues in the text format of
 * Prometheus to |dst| like snprintf.  Returns the length of the full text.  The names are those of
 * client-go and controller-runtime (workqueue_depth, controller_runtime_reconcile_total ...); the
 * label "controller" is the name of the reconciler.  0: memory ran out.  Any thread. */
LW_API size_t lw_reconciler_metrics(lw_reconciler *const *reconcilers, size_t count, char *dst,
                                    size_t size);

/* Returns the name of the reconciler; valid as long as the reconciler. */
LW_API const char *lw_reconciler_name(const lw_reconciler *reconciler);

/* Stops the reconciler permanently: waits until each worker has finished its current key (from a
 * worker, it does not wait).  Client requests (client.h) of workers are cancelled: these and later
 * requests return LW_ERR_STOPPED.  Pending keys are not waited for.  Queued keys are dropped; a
 * program that starts again reconciles all objects anyway. */
LW_API void lw_reconciler_stop(lw_reconciler *reconciler);

LW_END_DECLS

#endif
