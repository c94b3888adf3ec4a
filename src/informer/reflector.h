/* SPDX-License-Identifier: Apache-2.0 */
/* reflector.h -- keeps a queue fed from a source by list and watch: an explicit state machine,
 * sans I/O.
 *
 *   IDLE ─start─▶ LISTING ─end─▶ WATCHING ─▶ (clean end: WATCHING again at once)
 *     │             ▲  │ failed            │ 410, malformed, refused ...
 *     │             │  ▼                   ▼
 *     └─▶ STREAMING BACKOFF ◀──────────────┘
 *         (sendInitialEvents; falls back to LISTING)
 *
 * Time comes from its clock, randomness from its own generator; what it wants of the world it asks
 * of its source.  One thread at a time. */
#ifndef LW_INFORMER_REFLECTOR_H
#define LW_INFORMER_REFLECTOR_H

#include <listwatch/stats.h>
#include <listwatch/sys/clock.h>
#include <listwatch/sys/source.h>

#include "informer/delta_fifo.h"
#include "informer/indexer.h"

typedef struct lw_reflector lw_reflector;

typedef struct lw_reflector_options {
    lw_source *source;
    lw_delta_fifo *fifo;
    /* The object the cache has under this key, or NULL: so that one that has not changed is kept
     * instead of held twice while a list arrives.  Borrowed until the next change of the cache. */
    const lw_object *(*known)(lw_key key, void *arg);
    /* Before an object is queued: returns a reference to it or to another; NULL: refuse.  Once an
     * object, and not for one that the cache has unchanged.  What is refused is reported; in a list
     * it is left out, in a watch it is a reason to list again.  May be NULL. */
    lw_object *(*transform)(const lw_object *obj, void *arg);
    /* Something went wrong and how it goes on is decided; also what is retried, but not a stream
     * that is given up for a list.  Must not call the reflector.  May be NULL. */
    void (*on_error)(const lw_error *err, void *arg);
    void *arg;
    int resync_s;
    int64_t page_size;       /* 0: 500 where a server may page */
    bool lists_only;         /* never sendInitialEvents */
    int min_watch_timeout_s; /* a watch lasts between this and twice this; at least 300 */
    uint64_t seed;           /* of jitter; 0: drawn */
    const lw_clock *clock;
} lw_reflector_options;

lw_status lw_reflector_new(lw_reflector **out, const lw_reflector_options *options, lw_error *err);
void lw_reflector_free(lw_reflector *reflector);

/* Starts with the first list.  The source is asked from here, from tick and from stop only, never
 * from within its own callbacks.  Stop cancels what is under way; nothing is queued any more. */
void lw_reflector_start(lw_reflector *reflector);
void lw_reflector_stop(lw_reflector *reflector);

/* When lw_reflector_tick wants to be called, on the clock, perhaps at once; LW_NEVER_NS: no need.
 * Ask again after each dispatch of the source and after each change of the queue. */
int64_t lw_reflector_deadline_ns(const lw_reflector *reflector);
void lw_reflector_tick(lw_reflector *reflector);

/* A change that was popped could not be applied for lack of memory: lists again after a while, so
 * that nothing is lost.  Once a failure; not from a callback of the source.  (Where the queue was
 * full, or there was no memory to queue something, the reflector waits until the queue is empty and
 * does the same by itself.) */
void lw_reflector_recover(lw_reflector *reflector);

/* Counters (bytes_received: JSON of the objects) and what went wrong last, LW_OK: nothing is wrong
 * now.  Fields of the cache and of handlers are left alone. */
void lw_reflector_stats(const lw_reflector *reflector, lw_informer_statistics *stats);
lw_status lw_reflector_last_error(const lw_reflector *reflector, lw_error *err);
const char *lw_reflector_resource_version(const lw_reflector *reflector);

#endif
