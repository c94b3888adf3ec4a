/* SPDX-License-Identifier: Apache-2.0 */
/* consistent_read.c -- asks the store for its revision, returns to the loop, and waits for the
 * cache.
 *
 *     asked ──store's thread──▶ answered ──on the loop──▶ cache has reached it ──▶ over */
#include "api/context/consistent_read.h"

#include "base/clock.h"
#include "base/error.h"
#include "cache/feed.h"

bool lw_consistent_read_is_needed(const lw_api_port *port, const lw_cache_resource *resource)
{
    return lw_store_is_shared(port->api->store) || (resource && lw_feed_is_fed(resource));
}

static void read_end(lw_consistent_read *read)
{
    lw_cache_wait_cancel(read->port->cache, &read->wait);
    lw_timer_cancel(read->port->loop, &read->timer);
    read->port->under_way--;
    read->over(read);
}

static void cache_has_it(lw_cache_wait *wait)
{
    read_end(LW_DLIST_ITEM(&wait->link, lw_consistent_read, wait.link));
}

static void cache_is_late(lw_timer *timer)
{
    lw_consistent_read *read = LW_HEAP_ITEM(&timer->node, lw_consistent_read, timer.node);
    read->question.st =
        lw_error_set(&read->question.err, LW_ERR_UNAVAILABLE,
                     read->resource
                         ? "the mirror is behind its upstream; try again"
                         : "the watch cache is being reloaded from the store; try again");
    read_end(read);
}

static void read_arrived(lw_task *task)
{
    lw_consistent_read *read = LW_DLIST_ITEM(&task->link, lw_consistent_read, task.link);
    lw_loop *loop = read->port->loop;
    read->wait = (lw_cache_wait){ .revision = read->question.revision,
                                  .resource = read->resource,
                                  .reached = cache_has_it };
    read->timer = (lw_timer){ .fire = cache_is_late };
    if (read->question.st < 0 || lw_cache_wait_begin(read->port->cache, &read->wait)) {
        read_end(read);
        return;
    }
    int64_t deadline = lw_clock_now(lw_loop_clock(loop)) + LW_CONSISTENT_READ_CACHE_S * LW_NS_PER_S;
    if (lw_timer_set(loop, &read->timer, deadline) < 0) {
        read->question.st = lw_error_nomem(&read->question.err);
        read_end(read);
    }
}

/* Runs on the store's thread. */
static void read_answered(lw_store_confirmation *question)
{
    lw_consistent_read *read = question->arg;
    lw_loop_post(read->port->loop, &read->task);
}

void lw_consistent_read_begin(lw_consistent_read *read)
{
    read->question = (lw_store_confirmation){ .done = read_answered, .arg = read };
    read->wait = (lw_cache_wait){ .revision = 0 };
    read->timer = (lw_timer){ .fire = cache_is_late };
    read->task = (lw_task){ .run = read_arrived };
    read->port->under_way++;
    const lw_api *api = read->port->api;
    bool is_fed = read->resource && lw_feed_is_fed(read->resource);
    if (!is_fed)
        read->resource = NULL;
    lw_status st = is_fed
                       ? api->upstream.confirm(api->upstream.arg, read->resource, &read->question)
                       : lw_store_confirm(api->store, &read->question);
    if (st == LW_OK)
        return;
    read->question.st =
        lw_error_set(&read->question.err, st, "the store is overloaded; try again later");
    lw_loop_post(read->port->loop, &read->task);
}
