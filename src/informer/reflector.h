/* SPDX-License-Identifier: Apache-2.0 */
/* reflector.h -- fills a queue from a source with list and watch: an explicit state machine without
 * I/O.
 *
 *   IDLE ─start─▶ LISTING ─end─▶ WATCHING ─▶ (clean end: WATCHING again at once)
 *     │             ▲  │ failed            │ 410, malformed, rejected ...
 *     │             │  ▼                   ▼
 *     └─▶ STREAMING BACKOFF ◀──────────────┘
 *         (sendInitialEvents; falls back to LISTING)
 *     └─▶ WATCHING, with saved objects
 *
 * Reflectors of one factory share what they know about the server (server_health.h): while it is
 * down one of them probes, and when it answers, those that wait because of it are woken.
 *
 * Time comes from its clock and randomness from its own generator; all requests go to its source.
 * One thread at a time. */
#ifndef LW_INFORMER_REFLECTOR_H
#define LW_INFORMER_REFLECTOR_H

#include <listwatch/read_options.h>
#include <listwatch/stats.h>
#include <listwatch/sys/clock.h>
#include <listwatch/sys/source.h>

#include "informer/delta_fifo.h"
#include "informer/index/indexer.h"
#include "informer/server_health.h"

typedef struct lw_reflector lw_reflector;

typedef struct lw_reflector_options {
    lw_source *source;
    lw_delta_fifo *fifo;
    /* Returns the object with this key in the cache, or NULL: an unchanged object is shared instead
     * of kept twice while a list arrives.  Borrowed until the next change of the cache. */
    const lw_object *(*known)(lw_key key, void *arg);
    /* Called before an object is queued, once per object and not for an object that is unchanged in
     * the cache: returns a reference to it or to another object; NULL: rejects it.  A rejected
     * object is reported; a list leaves it out, a watch lists again.  May be NULL. */
    lw_object *(*transform)(const lw_object *obj, void *arg);
    /* Puts an object of a list into |state|, in the form in which the cache keeps it.  Errors as
     * lw_replacement_put, which NULL is. */
    lw_status (*collect)(lw_replacement *state, const lw_object *obj, void *arg);
    /* Called when the watch of saved objects is open: false: the server is another cluster, and
     * everything is listed.  May be NULL. */
    bool (*is_same_cluster)(void *arg);
    /* Called for each error, after the next step was decided; also for errors that are retried, but
     * not if a stream is replaced by a list.  Must not call the reflector.  May be NULL. */
    void (*on_error)(const lw_error *err, void *arg);
    void *arg;
    int resync_s;
    int64_t page_size;       /* 0: 500, if the server supports pages */
    int backoff_min_ms;      /* bounds of the delay after an error; 0: 800 */
    int backoff_max_ms;      /* 0: 30000 */
    lw_list_bounds bounds;   /* of a list or of the state in a stream */
    bool lists_only;         /* never sendInitialEvents */
    int min_watch_timeout_s; /* a watch lasts between this and twice this; at least 300 */
    uint64_t seed;           /* for jitter; 0: random */
    /* What is known about the server, shared with other reflectors; must outlive the reflector.
     * NULL: the reflector decides alone. */
    lw_server_health *health;
    const lw_clock *clock;
} lw_reflector_options;

lw_status lw_reflector_new(lw_reflector **out, const lw_reflector_options *options, lw_error *err);
void lw_reflector_free(lw_reflector *reflector);

/* Before start: begins with a watch from |rv|, up to which |objects| are the whole state, instead
 * of a list.  They are queued when the watch is accepted, or by start if |is_at_once|; if the
 * server requires a list, they are dropped.  Takes |objects|, which are finished.  |rv| is shorter
 * than 128 bytes. */
void lw_reflector_set_warm_take(lw_reflector *reflector, lw_replacement *objects, const char *rv,
                                bool is_at_once);

/* Start with the first list, and stop.  The source is called only by start, tick and stop, never
 * from its own callbacks.  Stop cancels the request in progress; nothing is queued any more. */
void lw_reflector_start(lw_reflector *reflector);
void lw_reflector_stop(lw_reflector *reflector);

/* Returns the time of the next lw_reflector_tick on the clock, maybe now; LW_NEVER_NS: none.  Ask
 * again after each dispatch of the source and after each change of the queue. */
int64_t lw_reflector_deadline_ns(const lw_reflector *reflector);
void lw_reflector_tick(lw_reflector *reflector);

/* A popped change could not be applied because memory ran out: lists again after a delay, so that
 * nothing is lost.  Call it once per failure, not from a callback of the source. (If the queue is
 * full, or memory for queueing runs out, the reflector waits until the queue is empty and lists
 * again by itself.) */
void lw_reflector_recover(lw_reflector *reflector);

/* Get the counters (bytes_received: JSON of the objects) and the last error (LW_OK: none now).
 * Fields of the cache and of handlers are not changed. */
void lw_reflector_stats(const lw_reflector *reflector, lw_informer_statistics *stats);
lw_status lw_reflector_last_error(const lw_reflector *reflector, lw_error *err);
/* Returns the resourceVersion up to which changes are queued. */
const char *lw_reflector_resource_version(const lw_reflector *reflector);

#endif
