/* SPDX-License-Identifier: Apache-2.0 */
/* port.c -- wakes a thread that has watchers or waits, and calls their callbacks there.
 *
 * A callback may close any watcher, cancel any wait and begin new ones.  So a dispatch first moves
 * what it will call to a separate list and pops from that: a closed watcher unlinks itself from
 * whichever list it is in, and a new one is not part of this dispatch.  Subscriptions are kept
 * until the dispatch ends.
 *
 * Only watchers that a change may concern are called (watcher_index.h).  The others are not
 * touched: an idle watcher has pulled everything before |routed| of its subscription. */
#include "cache/port.h"

#include <assert.h>

#include "base/alloc.h"
#include "cache/load.h"
#include "cache/state.h"
#include "cache/watcher_internal.h"
#include "object/compact/compact.h"

lw_status lw_cache_port_new(lw_cache_port **out, lw_cache *cache, void (*wake)(void *arg),
                            void *arg)
{
    lw_cache_port *port = lw_alloc_zero(1, sizeof(*port));
    if (!port)
        return LW_ERR_NOMEM;
    port->cache = cache;
    port->wake = wake;
    port->arg = arg;
    atomic_init(&port->is_woken, false);
    atomic_init(&port->wait_revision, UINT64_MAX);
    lw_dlist_init(&port->subscriptions);
    lw_dlist_init(&port->waits);
    lw_dlist_init(&port->due_waits);
    lw_mutex_lock(&cache->ports_mu);
    lw_dlist_push_back(&cache->ports, &port->cache_link);
    lw_mutex_unlock(&cache->ports_mu);
    *out = port;
    return LW_OK;
}

void lw_cache_port_free(lw_cache_port *port)
{
    if (!port)
        return;
    assert(lw_dlist_is_empty(&port->subscriptions) && "close its watchers first");
    assert(lw_dlist_is_empty(&port->waits) && lw_dlist_is_empty(&port->due_waits));
    lw_mutex_lock(&port->cache->ports_mu);
    lw_dlist_remove(&port->cache_link);
    lw_mutex_unlock(&port->cache->ports_mu);
    lw_free(port);
}

/* The caller holds ports_mu, so the port cannot be freed meanwhile. */
static void port_wake(lw_cache_port *port)
{
    if (!atomic_exchange(&port->is_woken, true))
        port->wake(port->arg);
}

void lw_ports_notify(lw_cache *cache, uint64_t revision)
{
    lw_mutex_lock(&cache->ports_mu);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&cache->dirty));) {
        lw_cache_resource *resource = LW_DLIST_ITEM(node, lw_cache_resource, dirty_link);
        LW_DLIST_FOR_EACH(lw_subscription, subscription, &resource->subscriptions, resource_link)
        {
            atomic_store(&subscription->is_changed, true);
            subscription->port->is_due = true;
        }
    }
    LW_DLIST_FOR_EACH(lw_cache_port, port, &cache->ports, cache_link)
    {
        bool is_due = port->is_due || atomic_load(&port->wait_revision) <= revision;
        port->is_due = false;
        if (is_due)
            port_wake(port);
    }
    lw_mutex_unlock(&cache->ports_mu);
}

void lw_ports_wake_all(lw_cache *cache)
{
    lw_mutex_lock(&cache->ports_mu);
    LW_DLIST_FOR_EACH(lw_cache_port, port, &cache->ports, cache_link)
    port_wake(port);
    lw_mutex_unlock(&cache->ports_mu);
}

static void clear_window(lw_subscription *subscription)
{
    for (size_t i = 0; i < subscription->window_count; i++) {
        lw_cache_change_done(&subscription->window[i].change);
        lw_object_unref(subscription->window[i].gone);
    }
    subscription->window_count = 0;
}

lw_subscription *lw_subscription_get(lw_cache_port *port, lw_cache_resource *resource)
{
    LW_DLIST_FOR_EACH(lw_subscription, subscription, &port->subscriptions, port_link)
    {
        if (subscription->resource == resource)
            return subscription;
    }
    lw_subscription *made = lw_alloc_zero(1, sizeof(*made));
    if (!made)
        return NULL;
    made->port = port;
    made->resource = lw_cache_resource_ref(resource);
    lw_watcher_index_init(&made->watchers);
    made->routed = atomic_load_explicit(&resource->next_seq, memory_order_acquire);
    atomic_init(&made->is_changed, false);
    lw_dlist_push_back(&port->subscriptions, &made->port_link);
    lw_mutex_lock(&port->cache->ports_mu);
    lw_dlist_push_back(&resource->subscriptions, &made->resource_link);
    lw_mutex_unlock(&port->cache->ports_mu);
    return made;
}

void lw_subscription_release(lw_subscription *subscription)
{
    lw_cache_port *port = subscription->port;
    if (lw_watcher_index_count(&subscription->watchers) > 0 || port->is_dispatching)
        return;
    lw_mutex_lock(&port->cache->ports_mu);
    lw_dlist_remove(&subscription->resource_link);
    lw_mutex_unlock(&port->cache->ports_mu);
    lw_dlist_remove(&subscription->port_link);
    clear_window(subscription);
    lw_watcher_index_done(&subscription->watchers);
    lw_cache_resource_unref(subscription->resource);
    lw_free(subscription);
}

/* Copies the changes from |seq| on into the window.  False: the ring has evicted |seq|. */
static bool fill_window(lw_subscription *subscription, uint64_t seq)
{
    lw_cache_resource *resource = subscription->resource;
    clear_window(subscription);
    size_t count = 0;
    lw_rwlock_read(&resource->lock);
    for (; count < LW_WINDOW_SIZE; count++) {
        const lw_cache_change *change = lw_event_ring_at(&resource->ring, seq + count);
        if (!change)
            break;
        lw_cache_change *copy = &subscription->window[count].change;
        *copy = *change;
        (void)lw_object_ref(copy->object);
        if (copy->prev)
            (void)lw_object_ref(copy->prev);
        subscription->window[count].gone = NULL;
    }
    lw_rwlock_unlock(&resource->lock);
    subscription->window_first = seq;
    subscription->window_count = count;
    return count > 0;
}

lw_status lw_window_open(lw_window_change *entry, bool with_prev)
{
    lw_cache_change *change = &entry->change;
    lw_status st = lw_compact_open(&change->object);
    if (st == LW_OK && with_prev && change->prev)
        st = lw_compact_open(&change->prev);
    return st;
}

lw_window_change *lw_subscription_change(lw_subscription *subscription, uint64_t seq)
{
    uint64_t at = seq - subscription->window_first; /* very large if |seq| is before the window */
    if (at < subscription->window_count)
        return &subscription->window[at];
    return fill_window(subscription, seq) ? &subscription->window[0] : NULL;
}

/* Moves the watchers that the changes from |routed| on may concern to |due|. */
static void route_changes(lw_subscription *subscription, lw_dlist *due)
{
    lw_cache_resource *resource = subscription->resource;
    lw_watcher_index *watchers = &subscription->watchers;
    /* In this order, as in lw_watcher_next. */
    bool concerns_all = atomic_load_explicit(&resource->is_removed, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&resource->next_seq, memory_order_acquire);
    uint64_t seq = subscription->routed;
    if (!concerns_all && !lw_watcher_index_has_keys(watchers))
        seq = next;
    lw_watcher_index_take_common(watchers, due);
    for (; seq != next && !concerns_all; seq++) {
        lw_window_change *entry = lw_subscription_change(subscription, seq);
        /* An evicted change may have concerned anybody: they all expire.  A change that was found
         * by a relist ends the watches with selectors, whatever it changes. */
        concerns_all =
            !entry || entry->change.is_relisted ||
            (lw_watcher_index_reads_objects(watchers) && lw_window_open(entry, true) < 0) ||
            !lw_watcher_index_take(watchers, &entry->change, seq, due);
        if (concerns_all)
            break;
    }
    if (concerns_all)
        lw_watcher_index_take_all(watchers, seq, due);
    subscription->routed = next;
}

static void call_watchers(lw_subscription *subscription)
{
    lw_dlist to_call;
    lw_dlist_init(&to_call);
    route_changes(subscription, &to_call);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&to_call));) {
        lw_watcher *watcher = LW_DLIST_ITEM(node, lw_watcher, link);
        lw_watcher_index_put_back(&subscription->watchers, watcher);
        watcher->on_ready(watcher, watcher->arg);
    }
    clear_window(subscription);
}

/* Sets wait_revision to the lowest revision that is waited for. */
static void update_wait_revision(lw_cache_port *port)
{
    uint64_t lowest = UINT64_MAX;
    port->has_fed_waits = port->has_fed_waits && !lw_dlist_is_empty(&port->waits);
    LW_DLIST_FOR_EACH(lw_cache_wait, wait, &port->waits, link)
    {
        if (wait->revision < lowest)
            lowest = wait->revision;
    }
    atomic_store(&port->wait_revision, lowest);
}

/* Returns the revision that |wait| compares with: that of its resource, or of the cache. */
static uint64_t wait_progress(const lw_cache_port *port, const lw_cache_wait *wait)
{
    return wait->resource ? lw_resource_progress(wait->resource) : lw_cache_revision(port->cache);
}

static void call_waits(lw_cache_port *port)
{
    if (lw_dlist_is_empty(&port->waits) ||
        (!port->has_fed_waits &&
         atomic_load(&port->wait_revision) > lw_cache_revision(port->cache)))
        return;
    LW_DLIST_FOR_EACH_SAFE(lw_cache_wait, wait, &port->waits, link)
    {
        if (wait->revision > wait_progress(port, wait))
            continue;
        lw_dlist_remove(&wait->link);
        lw_dlist_push_back(&port->due_waits, &wait->link);
    }
    update_wait_revision(port);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&port->due_waits));) {
        lw_cache_wait *wait = LW_DLIST_ITEM(node, lw_cache_wait, link);
        wait->reached(wait);
    }
}

void lw_cache_port_dispatch(lw_cache_port *port)
{
    assert(!port->is_dispatching && "dispatch called inside a dispatch");
    /* This comes first, so that any later change wakes the port again. */
    atomic_store(&port->is_woken, false);
    if (!port->cache->is_shared &&
        atomic_load_explicit(&port->cache->is_disconnected, memory_order_acquire))
        (void)lw_cache_reconnect(port->cache,
                                 NULL); /* on failure the next reader retries and gets the error */
    port->is_dispatching = true;
    call_waits(port);
    LW_DLIST_FOR_EACH(lw_subscription, subscription, &port->subscriptions, port_link)
    {
        if (atomic_exchange(&subscription->is_changed, false))
            call_watchers(subscription);
    }
    port->is_dispatching = false;
    LW_DLIST_FOR_EACH_SAFE(lw_subscription, subscription, &port->subscriptions, port_link)
    lw_subscription_release(subscription);
}

bool lw_cache_wait_begin(lw_cache_port *port, lw_cache_wait *wait)
{
    if (wait_progress(port, wait) >= wait->revision)
        return true;
    lw_dlist_push_back(&port->waits, &wait->link);
    port->has_fed_waits = port->has_fed_waits || (wait->resource && wait->resource->is_fed);
    if (wait->revision < atomic_load(&port->wait_revision))
        atomic_store(&port->wait_revision, wait->revision);
    /* The revision may have been reached before the store's thread could see the wait
     * (lw_apply_publish_locked). */
    if (wait_progress(port, wait) < wait->revision)
        return false;
    lw_cache_wait_cancel(port, wait);
    return true;
}

void lw_cache_wait_cancel(lw_cache_port *port, lw_cache_wait *wait)
{
    if (!lw_dlist_node_is_linked(&wait->link))
        return;
    lw_dlist_remove(&wait->link);
    if (atomic_load(&port->wait_revision) == wait->revision)
        update_wait_revision(port);
}
