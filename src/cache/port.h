/* SPDX-License-Identifier: Apache-2.0 */
/* port.h -- a port from inside: what it has to do with each resource, and how it is woken.
 *
 * A subscription is what one port has with one resource: its watchers there, and a window, a copy
 * of a few changes out of the ring that these watchers read without a lock.  Watchers that are
 * about equally far, which is nearly all of them, cost one hold of the resource's lock together. */
#ifndef LW_CACHE_PORT_H
#define LW_CACHE_PORT_H

#include <stdatomic.h>

#include "cache/event_ring.h"
#include "cache/resource.h"
#include "cache/watcher.h"

enum {
    LW_WINDOW_SIZE = 32, /* changes */
};

typedef struct lw_window_change {
    lw_cache_change change;
    lw_object *gone; /* prev with the new revision, for those to whom it is a deletion; or NULL */
} lw_window_change;

/* Belongs to the port's thread but for what is said. */
typedef struct lw_subscription {
    lw_cache_port *port;
    lw_cache_resource *resource; /* held */
    lw_dlist_node port_link;
    lw_dlist_node resource_link; /* cache->ports_mu */
    lw_dlist watchers;           /* by their link; those being called are in another list */
    size_t watcher_count;
    atomic_bool is_changed; /* any thread: the resource has news */
    uint64_t window_first;  /* number of the first change in the window */
    size_t window_count;
    lw_window_change window[LW_WINDOW_SIZE];
} lw_subscription;

struct lw_cache_port {
    lw_cache *cache;
    void (*wake)(void *arg);
    void *arg;
    lw_dlist_node cache_link;            /* cache->ports_mu */
    bool is_due;                         /* cache->ports_mu: has something to do */
    atomic_bool is_woken;                /* any thread: and has been told so */
    atomic_uint_least64_t wait_revision; /* any thread: the lowest that is waited for */
    lw_dlist subscriptions;
    lw_dlist waits;
    lw_dlist due_waits; /* being told */
    bool is_dispatching;
};

/* Wakes the ports that have watchers of dirty resources (which are clean then), or waits up to
 * |revision|.  cache->apply_mu is held. */
void lw_ports_notify(lw_cache *cache, uint64_t revision);
void lw_ports_wake_all(lw_cache *cache);

/* The subscription of |port| to |resource|, made if need be; NULL: no memory.  Give it back with
 * lw_subscription_release: it goes when it has no watcher. */
lw_subscription *lw_subscription_get(lw_cache_port *port, lw_cache_resource *resource);
void lw_subscription_release(lw_subscription *subscription);

/* Change number |seq|, borrowed until the next call; NULL: the ring has overtaken it.  It must have
 * come. */
lw_window_change *lw_subscription_change(lw_subscription *subscription, uint64_t seq);

#endif
