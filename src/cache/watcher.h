/* SPDX-License-Identifier: Apache-2.0 */
/* watcher.h -- one follower of a resource: a cursor on its ring.
 *
 * The cache never waits for a watcher and queues nothing for it.  A watcher belongs to the thread
 * of its port (a loop); when there may be news the port is woken, and the thread pulls.
 *
 *     open ──▶ initial objects ──▶ SYNCED ──▶ events ──▶ EXPIRED (overtaken)
 *      └────────── (after a revision, or from now) ────▲ └▶ ENDED (the resource is removed) */
#ifndef LW_CACHE_WATCHER_H
#define LW_CACHE_WATCHER_H

#include <listwatch/watch_event.h>

#include "base/dlist.h"
#include "cache/cache.h"

/* The watchers and waits of one thread. */
typedef struct lw_cache_port lw_cache_port;

/* |wake| is called on the store's thread when something changed that this port has a watcher or a
 * wait for: once, until lw_cache_port_dispatch has run.  It must only pass the word on. */
lw_status lw_cache_port_new(lw_cache_port **out, lw_cache *cache, void (*wake)(void *arg),
                            void *arg);
void lw_cache_port_free(lw_cache_port *port);

/* Calls |on_ready| of each watcher whose resource has new events, and |reached| of the waits that
 * are over.  The port's thread; the callbacks may close any watcher and cancel any wait of the
 * port. */
void lw_cache_port_dispatch(lw_cache_port *port);

/* Somebody who needs the cache to be as new as a revision; starts zeroed. */
typedef struct lw_cache_wait {
    lw_dlist_node link;
    uint64_t revision;
    void (*reached)(struct lw_cache_wait *wait);
} lw_cache_wait;

/* True when the cache is there already; else |reached| is called by a dispatch, once. */
bool lw_cache_wait_begin(lw_cache_port *port, lw_cache_wait *wait);
void lw_cache_wait_cancel(lw_cache_port *port, lw_cache_wait *wait); /* if it is still waiting */

typedef enum lw_watch_start {
    LW_WATCH_START_STATE, /* the objects there are, as ADDED; then what changes */
    LW_WATCH_START_NOW,   /* only what changes from now on */
    LW_WATCH_START_AFTER, /* what changed after a revision */
} lw_watch_start;

typedef struct lw_watcher lw_watcher;

typedef struct lw_watcher_options {
    lw_cache_port *port;
    lw_cache_resource *resource;
    const lw_cache_filter *filter; /* borrowed */
    lw_watch_start start;
    uint64_t after; /* of LW_WATCH_START_AFTER; may lie in the future */
    void (*on_ready)(lw_watcher *watcher, void *arg); /* pull now, or soon */
    void *arg;
    bool is_uncounted; /* the server's own: no watcher in the statistics */
} lw_watcher_options;

/* Pull once after opening; on_ready comes with later news.  LW_ERR_EXPIRED: |after| is before the
 * oldest event; err->message is as Kubernetes words it ("too old resource version: 1 (79)"). */
lw_status lw_watcher_open(lw_watcher **out, const lw_watcher_options *options, lw_error *err);
void lw_watcher_close(lw_watcher *watcher);

typedef enum lw_watch_step {
    LW_WATCH_STEP_IDLE,    /* nothing more now; on_ready will be called */
    LW_WATCH_STEP_EVENT,   /* *event is filled in; unref its object */
    LW_WATCH_STEP_SYNCED,  /* once: the initial objects are over; event->revision is theirs */
    LW_WATCH_STEP_EXPIRED, /* the ring has overtaken the watcher: it is over */
    LW_WATCH_STEP_ENDED,   /* the resource is removed and nothing is left to tell: it is over */
    LW_WATCH_STEP_FAILED,  /* out of memory: it is over */
} lw_watch_step;

typedef struct lw_cache_event {
    lw_watch_event_type type; /* ADDED, MODIFIED, DELETED as the filter sees it */
    lw_object *object;        /* carries |revision|, but initial objects their own; a deletion shows
                                 the last content */
    uint64_t revision;
    int64_t told_ns; /* when the store told the cache, by its clock; 0: that is not known */
} lw_cache_event;

lw_watch_step lw_watcher_next(lw_watcher *watcher, lw_cache_event *event);

/* Everything up to this revision has been pulled: what a bookmark may say.  Never goes back; 0
 * before LW_WATCH_STEP_SYNCED. */
uint64_t lw_watcher_revision(const lw_watcher *watcher);

#endif
