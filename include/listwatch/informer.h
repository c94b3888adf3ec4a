/* SPDX-License-Identifier: Apache-2.0 */
/* informer.h -- a cache of one resource that is kept up to date: handlers are called for changes,
 * listers read the cache without requests.
 *
 * Informers are made by a factory (factory.h), which owns them.  Any thread may call these
 * functions unless a comment says otherwise; a handler may call all of them except those that wait
 * for handlers. */
#ifndef LISTWATCH_INFORMER_H
#define LISTWATCH_INFORMER_H

#include <listwatch/event.h>
#include <listwatch/lister.h>
#include <listwatch/stats.h>

LW_BEGIN_DECLS

typedef struct lw_informer lw_informer;
typedef struct lw_registration lw_registration;

/* What has become of an informer; see lw_factory_options.  Errors are reported once, not each time
 * that they repeat. */
typedef enum lw_informer_state {
    LW_INFORMER_SYNCED = 1, /* the first list is in the cache */
    LW_INFORMER_FAILING,   /* a list or watch has failed and is tried again; the cache may be old */
    LW_INFORMER_EXPIRED,   /* the revision of the watch is too old (410): a relist follows */
    LW_INFORMER_RECOVERED, /* the watch works again */
} lw_informer_state;

/* Receives the changes of state.  |err| is the reason of LW_INFORMER_FAILING and _EXPIRED,
 * otherwise NULL.  Runs in the thread that dispatches; must not block, and must not drop the
 * informer. */
typedef void (*lw_informer_state_fn)(lw_informer *informer, lw_informer_state state,
                                     const lw_error *err, void *arg);

/* Returns the resource as it was passed to lw_factory_informer; valid as long as the informer. */
LW_API const char *lw_informer_resource(const lw_informer *informer);

/* Adds a handler; the same handler may be added twice.  A handler that is added later first gets an
 * event for every object in the cache, then the following events, without gaps or duplicates.
 * |out| may be NULL.  LW_ERR_INVALID, LW_ERR_STOPPED, LW_ERR_NOMEM, LW_ERR_IO (cannot create a
 * thread). */
LW_MUST_CHECK LW_API lw_status lw_informer_add_handler(lw_informer *informer,
                                                       const lw_handler *handler,
                                                       lw_registration **out, lw_error *err);

/* Removes a handler, waits until it is no longer running, and frees the registration.  From within
 * the handler itself it does not wait; the handler is not called again.  NULL does nothing. */
LW_API void lw_informer_remove_handler(lw_informer *informer, lw_registration *registration);

/* Returns true if the handler has processed all initial events. */
LW_API bool lw_registration_is_synced(const lw_registration *registration);

/* For LW_HANDLER_DRAINED: a descriptor that is readable while events are queued, and the function
 * that passes at most |max| of them (0: all) to the handler.  Returns the number of events. */
LW_API int lw_registration_fd(const lw_registration *registration);
LW_API size_t lw_registration_drain(lw_registration *registration, size_t max);

/* For LW_HANDLER_DRAINED: takes at most |max| queued events into the array |events|, without a call
 * of the handler, whose |on_event| may be NULL.  |event_size| is sizeof(lw_event), so that members
 * can be added to it.  Returns the number of events; 0: none are queued, or another thread is
 * draining.  The program owns the references to the objects of the events, also after the informer
 * has ended; release them with lw_events_release, or each with lw_object_unref.  The initial events
 * count as processed when they have been taken.  Never fails, never waits. */
LW_API size_t lw_registration_take(lw_registration *registration, lw_event *events,
                                   size_t event_size, size_t max);

/* Releases the objects of |count| events that were taken, and sets them to NULL; events whose
 * objects are NULL are skipped. */
LW_API void lw_events_release(lw_event *events, size_t event_size, size_t count);

/* Returns true if the first list is in the cache. */
LW_API bool lw_informer_is_synced(const lw_informer *informer);

/* Returns the lister, which reads the cache; valid as long as the informer. */
LW_API const lw_lister *lw_informer_lister(const lw_informer *informer);

/* Calls |add| with each value that |obj| has in an index.  Must be a pure function of the object;
 * it runs while the lock of the cache is held. */
typedef void (*lw_index_fn)(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                            void *arg);

/* Adds the index |name| over all objects, including existing ones.  LW_ERR_EXISTS (the index
 * "namespace" is built in), LW_ERR_LIMIT (too many indexes), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_informer_add_index(lw_informer *informer, const char *name,
                                                     lw_index_fn fn, void *arg, lw_error *err);

/* Adds an index by the string at a JSON Pointer, e.g. "/spec/nodeName".  Errors as
 * lw_informer_add_index; LW_ERR_INVALID: |pointer| is malformed. */
LW_MUST_CHECK LW_API lw_status lw_informer_add_index_path(lw_informer *informer, const char *name,
                                                          const char *pointer, lw_error *err);

/* Waits until the cache contains |revision|, e.g. to read your own write.  |timeout_s| < 0: no
 * timeout.  If the factory has no thread, this call runs it.  LW_ERR_INVALID: called from a handler
 * in dispatch.  LW_ERR_TIMEOUT, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_informer_wait_for_revision(lw_informer *informer,
                                                             uint64_t revision, int timeout_s,
                                                             lw_error *err);

/* Gets the last error (a list was rejected, a watch failed ...), also while the informer retries.
 * LW_OK: there is no error now. */
LW_MUST_CHECK LW_API lw_status lw_informer_last_error(const lw_informer *informer, lw_error *err);

/* Gets the statistics as of the last iteration of the factory. */
LW_API void lw_informer_stats(const lw_informer *informer, lw_informer_statistics *stats);

LW_END_DECLS

#endif
