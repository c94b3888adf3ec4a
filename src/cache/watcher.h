/* SPDX-License-Identifier: Apache-2.0 */
/* watcher.h -- a watcher of a resource: a position in its ring.
 *
 * The cache never waits for a watcher and keeps no queue for it.  A watcher belongs to the thread
 * of its port (an event loop); when there may be changes, the port is woken and the thread pulls
 * them.
 *
 *     open ──▶ initial objects ──▶ SYNCED ──▶ events ──▶ EXPIRED (the ring evicted the next change)
 *      └────────── (after a revision, or from now) ────▲ └▶ ENDED (the resource was removed) */
#ifndef LW_CACHE_WATCHER_H
#define LW_CACHE_WATCHER_H

#include <listwatch/watch_event.h>

#include "base/dlist.h"
#include "cache/cache.h"

/* The watchers and waits of one thread. */
typedef struct lw_cache_port lw_cache_port;

/* |wake| is called on the store's thread when something has changed that a watcher or wait of this
 * port is interested in: once, until lw_cache_port_dispatch has run.  It must only notify the
 * port's thread.  LW_ERR_NOMEM. */
lw_status lw_cache_port_new(lw_cache_port **out, lw_cache *cache, void (*wake)(void *arg),
                            void *arg);
void lw_cache_port_free(lw_cache_port *port);

/* Calls |on_ready| of each watcher that has new events, or may have some, and |reached| of each
 * completed wait.  Call it on the port's thread.  The callbacks may close any watcher and cancel
 * any wait of the port. */
void lw_cache_port_dispatch(lw_cache_port *port);

/* Waits until the cache has reached a revision; initialise it with zeros. */
typedef struct lw_cache_wait {
    lw_dlist_node link;
    uint64_t revision;
    lw_cache_resource *resource; /* whose revision it is; NULL: the cache's */
    void (*reached)(struct lw_cache_wait *wait);
} lw_cache_wait;

/* Returns true if the cache has already reached the revision; otherwise a dispatch calls |reached|,
 * once. */
bool lw_cache_wait_begin(lw_cache_port *port, lw_cache_wait *wait);
void lw_cache_wait_cancel(lw_cache_port *port,
                          lw_cache_wait *wait); /* does nothing if it has ended */

typedef enum lw_watch_start {
    LW_WATCH_START_STATE, /* the current objects as ADDED, then changes */
    LW_WATCH_START_NOW,   /* only changes from now on */
    LW_WATCH_START_AFTER, /* changes after a revision */
} lw_watch_start;

typedef struct lw_watcher lw_watcher;

typedef struct lw_watcher_options {
    lw_cache_port *port;
    lw_cache_resource *resource;
    const lw_cache_filter *filter; /* borrowed */
    lw_watch_start start;
    uint64_t after; /* for LW_WATCH_START_AFTER; may be in the future */
    void (*on_ready)(lw_watcher *watcher, void *arg); /* pull now, or soon */
    void *arg;
    bool wants_previous; /* events of MODIFIED objects have the previous state, too */
    bool is_uncounted;   /* internal watchers of the server: not counted in the statistics */
} lw_watcher_options;

/* Opens a watcher.  Pull once after opening; on_ready is called for later events.  LW_ERR_EXPIRED:
 * |after| is before the oldest event; err->message has the wording of Kubernetes ("too old resource
 * version: 1 (79)").  Any error of lw_resource_begin_read. */
lw_status lw_watcher_open(lw_watcher **out, const lw_watcher_options *options, lw_error *err);
void lw_watcher_close(lw_watcher *watcher);

typedef enum lw_watch_step {
    LW_WATCH_STEP_IDLE,    /* no more events now; on_ready will be called */
    LW_WATCH_STEP_EVENT,   /* *event is set; unref its object */
    LW_WATCH_STEP_SYNCED,  /* once: all initial objects were returned; event->revision is their
                              revision */
    LW_WATCH_STEP_EXPIRED, /* the ring has evicted the next change: the watcher has ended */
    LW_WATCH_STEP_ENDED,   /* the resource was removed and all its events were returned: the watcher
                              has ended */
    LW_WATCH_STEP_FAILED,  /* out of memory: the watcher has ended */
} lw_watch_step;

typedef struct lw_cache_event {
    lw_watch_event_type type; /* ADDED, MODIFIED, DELETED as the filter sees it */
    lw_object *object; /* has |revision|, but an initial object its own; for a deletion, the last
                          content */
    uint64_t revision;
    int64_t received_ns; /* when the cache got it, by its clock; 0: unknown */
    lw_object *previous; /* with wants_previous and MODIFIED, to be unreffed; else NULL */
} lw_cache_event;

lw_watch_step lw_watcher_next(lw_watcher *watcher, lw_cache_event *event);

/* Returns the revision up to which everything has been pulled, which a bookmark may report.  Never
 * decreases; 0 before LW_WATCH_STEP_SYNCED. */
uint64_t lw_watcher_revision(lw_watcher *watcher);

#endif
