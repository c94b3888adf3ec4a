/* SPDX-License-Identifier: Apache-2.0 */
/* port.h -- the internals of a port: its subscriptions to resources, and how it is woken.
 *
 * A subscription connects one port to one resource: it has the port's watchers of that resource and
 * a window, which is a copy of some changes from the ring that these watchers read without a lock.
 * Nearly all watchers are at about the same position, so together they take the resource's lock
 * once. */
#ifndef LW_CACHE_PORT_H
#define LW_CACHE_PORT_H

#include <stdatomic.h>

#include "cache/event_ring.h"
#include "cache/resource.h"
#include "cache/watcher.h"
#include "cache/watcher_index.h"

enum {
    LW_WINDOW_SIZE = 32, /* number of changes */
};

typedef struct lw_window_change {
    lw_cache_change change; /* its objects may be packed: see lw_window_open */
    lw_object *gone; /* |prev| with the new revision, for watchers that see a deletion; or NULL */
} lw_window_change;

/* Belongs to the port's thread, except where a comment says otherwise. */
typedef struct lw_subscription {
    lw_cache_port *port;
    lw_cache_resource *resource; /* one reference */
    lw_dlist_node port_link;
    lw_dlist_node resource_link; /* cache->ports_mu */
    lw_watcher_index watchers; /* linked by their |link|; those being called are in another list */
    uint64_t routed;           /* the watchers of all changes before this number were called */
    atomic_bool is_changed;    /* any thread: the resource has changed */
    uint64_t window_first;     /* number of the first change in the window */
    size_t window_count;
    lw_window_change window[LW_WINDOW_SIZE];
} lw_subscription;

struct lw_cache_port {
    lw_cache *cache;
    void (*wake)(void *arg);
    void *arg;
    lw_dlist_node cache_link;            /* cache->ports_mu */
    bool is_due;                         /* cache->ports_mu: has work to do */
    atomic_bool is_woken;                /* any thread: |wake| has been called */
    atomic_uint_least64_t wait_revision; /* any thread: the lowest revision that is waited for */
    lw_dlist subscriptions;
    lw_dlist waits;
    lw_dlist due_waits; /* waits whose callbacks are being called */
    bool is_dispatching;
    bool has_fed_waits; /* some of |waits| may be for a resource that is fed (feed.h) */
};

/* Wakes the ports that have watchers of dirty resources, or waits for a revision up to |revision|,
 * and clears the dirty list.  The caller holds cache->apply_mu. */
void lw_ports_notify(lw_cache *cache, uint64_t revision);
void lw_ports_wake_all(lw_cache *cache);

/* Returns the subscription of |port| to |resource|, creating it if necessary; NULL: out of memory.
 * Give it back with lw_subscription_release, which frees a subscription without watchers. */
lw_subscription *lw_subscription_get(lw_cache_port *port, lw_cache_resource *resource);
void lw_subscription_release(lw_subscription *subscription);

/* Opens the object of |entry|, and the previous one if |with_prev|.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_window_open(lw_window_change *entry, bool with_prev);

/* Returns change number |seq|, borrowed until the next call; NULL: the ring has evicted it.  The
 * change must exist already. */
lw_window_change *lw_subscription_change(lw_subscription *subscription, uint64_t seq);

#endif
