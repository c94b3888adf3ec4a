/* SPDX-License-Identifier: Apache-2.0 */
/* manager.h -- the frame of a controller program: it starts and stops informers and reconcilers in
 * the right order, elects a leader, records events, handles signals, and serves health checks and
 * metrics.
 *
 *   new ──run──▶ syncing ──caches are filled──▶ electing ──leads──▶ running ──stop──▶ stopped
 *
 * lw_manager_run does this in the calling thread; each reconciler has its workers in threads.  In
 * an event loop of the program (lw_manager_start_in_loop, _fd, _timeout_ms, _dispatch), there are
 * no threads at all: reconcile functions use asynchronous requests (lw_manager_async).
 *
 * The stop: the program is no longer ready; requests of reconcile functions are cancelled, and
 * workers end; the lease is released and queued events are written, for at most the stop timeout;
 * informers stop. */
#ifndef LISTWATCH_MANAGER_H
#define LISTWATCH_MANAGER_H

#include <listwatch/async.h>
#include <listwatch/election.h>
#include <listwatch/factory.h>
#include <listwatch/reconciler.h>
#include <listwatch/recorder.h>

LW_BEGIN_DECLS

/* Initialise it with LW_MANAGER_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_manager_options {
    size_t size;
    const char *name;  /* of the program: the component of its events; required */
    lw_client *client; /* the manager takes a reference; NULL: a client for the configuration */
    const lw_factory_options *factory; /* of its informers; client, provider and logger are set by
                                          the manager; NULL: the defaults */
    /* With it, reconcilers run only while this copy leads.  The manager sets client, callbacks,
     * clock, logger and |releases|, and the name if it is NULL.  NULL: no election. */
    const lw_election_options *election;
    bool handles_signals; /* SIGTERM and SIGINT stop it; the second one ends the process */
    /* "127.0.0.1:8081", "[::1]:8081", ":8081" (all addresses), with port 0 any free one; plain
     * HTTP.  /healthz and /readyz; /metrics.  Both may be the same.  NULL: not served. */
    const char *health_address;
    const char *metrics_address;
    int stop_timeout_ms;     /* how long a stop waits for the server; 0: 50 */
    const lw_logger *logger; /* copied; NULL: nothing is logged */
} lw_manager_options;

#define LW_MANAGER_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(lw_manager_options), NULL, NULL, NULL, NULL, false, NULL, NULL, 0, NULL             \
    }

typedef struct lw_manager lw_manager;

/* Makes a manager with its parts; nothing runs yet, but the addresses are bound.  LW_ERR_INVALID
 * (no name, a malformed address, options of the election), LW_ERR_IO (an address is in use),
 * LW_ERR_NOMEM, and the errors of lw_factory_new. */
LW_MUST_CHECK LW_API lw_status lw_manager_new(lw_manager **out, const lw_manager_options *options,
                                              lw_error *err);

/* Stops the manager at once, without releasing the lease, and frees it with its reconcilers,
 * informers and other parts.  Must not be called from a callback.  NULL does nothing. */
LW_API void lw_manager_free(lw_manager *manager);

/* Return the parts; valid as long as the manager.  lw_manager_election: NULL if there is none. */
LW_API lw_client *lw_manager_client(const lw_manager *manager);
LW_API lw_factory *lw_manager_factory(const lw_manager *manager);
LW_API lw_recorder *lw_manager_recorder(const lw_manager *manager);
LW_API lw_election *lw_manager_election(const lw_manager *manager);

/* Returns the asynchronous requests that the manager dispatches; only for the thread that
 * dispatches the manager.  A stop cancels them: their callbacks get LW_ERR_STOPPED. */
LW_API lw_async *lw_manager_async(const lw_manager *manager);

/* Makes a reconciler that the manager starts and frees; it logs to the logger of the manager if
 * |options| have none.  LW_ERR_INVALID: the manager was started already.  LW_ERR_LIMIT: there are
 * 256.  Other errors as lw_reconciler_new. */
LW_MUST_CHECK LW_API lw_status lw_manager_add_reconciler(lw_manager *manager,
                                                         const lw_reconciler_options *options,
                                                         lw_reconciler **out, lw_error *err);

/* Gets the informer of |resource| from the factory and lets |reconciler| watch it; |options| (may
 * be NULL) as in lw_reconciler_watch_with.  |out| may be NULL.  Errors as lw_factory_informer and
 * lw_reconciler_watch_with. */
LW_MUST_CHECK LW_API lw_status lw_manager_watch(lw_manager *manager, lw_reconciler *reconciler,
                                                const char *resource,
                                                const lw_reconciler_watch_options *options,
                                                lw_informer **out, lw_error *err);

/* A health check: a negative status with a message in |err| fails it.  Runs in the thread of the
 * manager and must not block. */
typedef lw_status (*lw_check_fn)(void *arg, lw_error *err);

/* Add a check to /healthz or /readyz.  /readyz also checks that the informers are synced and that
 * the manager does not stop.  |name| is copied; it is one segment of a path.  LW_ERR_INVALID,
 * LW_ERR_LIMIT (64 checks), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_manager_add_health_check(lw_manager *manager, const char *name,
                                                           lw_check_fn check, void *arg,
                                                           lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_manager_add_ready_check(lw_manager *manager, const char *name,
                                                          lw_check_fn check, void *arg,
                                                          lw_error *err);

/* Runs everything in the calling thread until the manager is stopped.  LW_OK: by lw_manager_stop or
 * a signal.  LW_ERR_EXPIRED: the lease was lost; the process should end, so that its state is
 * certainly gone.  LW_ERR_EXISTS: it was started before; LW_ERR_IO: cannot create a thread;
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_manager_run(lw_manager *manager, lw_error *err);

/* Stops the manager; does not wait.  Any thread, any callback, and signal handlers. */
LW_API void lw_manager_stop(lw_manager *manager);

/* For an event loop of the program: starts everything without threads; then poll the descriptor for
 * reading, for at most the timeout (-1: none), and dispatch.  LW_ERR_STOPPED of the dispatch: the
 * manager has stopped after lw_manager_stop or a signal.  Other errors as lw_manager_run; the
 * manager has stopped as well. */
LW_MUST_CHECK LW_API lw_status lw_manager_start_in_loop(lw_manager *manager, lw_error *err);
LW_API int lw_manager_fd(const lw_manager *manager);
LW_API int lw_manager_timeout_ms(const lw_manager *manager);
LW_MUST_CHECK LW_API lw_status lw_manager_dispatch(lw_manager *manager, lw_error *err);

/* Returns true if the informers are synced and the manager does not stop.  Any thread. */
LW_API bool lw_manager_is_ready(const lw_manager *manager);

/* Return the ports of the addresses; 0: not served. */
LW_API unsigned lw_manager_health_port(const lw_manager *manager);
LW_API unsigned lw_manager_metrics_port(const lw_manager *manager);

/* Writes what /metrics serves: metrics of reconcilers, informers, the election and events, to |dst|
 * like snprintf.  Returns the length of the full text.  Any thread. */
LW_API size_t lw_manager_metrics(const lw_manager *manager, char *dst, size_t size);

LW_END_DECLS

#endif
