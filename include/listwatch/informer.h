/* SPDX-License-Identifier: Apache-2.0 */
/* informer.h -- a live copy of one resource: handlers hear of changes, listers read without asking.
 *
 * Informers are made by a factory (factory.h) and belong to it.  Unless it says otherwise any
 * thread may call; a handler may call everything but what waits for handlers. */
#ifndef LISTWATCH_INFORMER_H
#define LISTWATCH_INFORMER_H

#include <listwatch/event.h>
#include <listwatch/lister.h>
#include <listwatch/stats.h>

LW_BEGIN_DECLS

typedef struct lw_informer lw_informer;
typedef struct lw_registration lw_registration;

/* Adds a handler; the same one may be added twice.  One that comes late is first told of every
 * object in the cache, then of what follows: no gap, nothing twice.  |out| may be NULL.
 * LW_ERR_STOPPED, LW_ERR_NOMEM, LW_ERR_IO (no thread). */
LW_API lw_status lw_informer_add_handler(lw_informer *informer, const lw_handler *handler,
                                         lw_registration **out, lw_error *err);

/* Removes a handler and waits until it is not running any more (from within itself: does not wait;
 * it is not called again).  The registration is gone.  NULL does nothing. */
LW_API void lw_informer_remove_handler(lw_informer *informer, lw_registration *registration);

/* Whether this handler has returned from every initial event. */
LW_API bool lw_registration_is_synced(const lw_registration *registration);

/* For LW_HANDLER_DRAINED: a descriptor that is readable while events wait, and the call that hands
 * at most |max| (0: all) of them to the handler; returns how many. */
LW_API int lw_registration_fd(const lw_registration *registration);
LW_API size_t lw_registration_drain(lw_registration *registration, size_t max);

/* Whether the first list is in the cache. */
LW_API bool lw_informer_is_synced(const lw_informer *informer);

/* Read access to the cache; lives as long as the informer. */
LW_API const lw_lister *lw_informer_lister(const lw_informer *informer);

/* Gives an object its values under an index: calls |add| for each.  Must be a pure function of the
 * object; runs under the cache's lock. */
typedef void (*lw_index_fn)(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                            void *arg);

/* Adds the index |name| over all objects, those that are there too.  LW_ERR_EXISTS ("namespace" is
 * built in), LW_ERR_NOMEM. */
LW_API lw_status lw_informer_add_index(lw_informer *informer, const char *name, lw_index_fn fn,
                                       void *arg, lw_error *err);

/* The same by the value (a string) at a JSON Pointer: "/spec/nodeName". */
LW_API lw_status lw_informer_add_index_path(lw_informer *informer, const char *name,
                                            const char *pointer, lw_error *err);

/* Waits until the cache has seen |revision|: read your own write.  |timeout_s| < 0: for ever.
 * Drives the factory itself where no thread does.  Not from a handler in dispatch (LW_ERR_INVALID).
 * LW_ERR_TIMEOUT, LW_ERR_STOPPED. */
LW_API lw_status lw_informer_wait_for_revision(lw_informer *informer, uint64_t revision,
                                               int timeout_s, lw_error *err);

/* What went wrong last (list refused, watch broken ...), also while it goes on trying; LW_OK when
 * nothing is wrong now. */
LW_API lw_status lw_informer_last_error(const lw_informer *informer, lw_error *err);

/* What it has done and how it is, as of the last turn of its factory. */
LW_API void lw_informer_stats(const lw_informer *informer, lw_informer_statistics *stats);

LW_END_DECLS

#endif
