/* SPDX-License-Identifier: Apache-2.0 */
/* consistent_read.c -- a question to the store and its way back to the loop, and to a cache that
 * has it.
 *
 *     asked ──store's thread──▶ answered ──on the loop──▶ cache has it ──▶ over */
#include "api/context/consistent_read.h"

#include "base/clock.h"
#include "base/error.h"

bool lw_consistent_read_is_needed(const lw_api_port *port)
{
    return lw_store_is_shared(port->api->store);
}

static void confirm_end(lw_consistent_read *confirm)
{
    lw_cache_wait_cancel(confirm->port->cache, &confirm->wait);
    lw_timer_cancel(confirm->port->loop, &confirm->timer);
    confirm->port->under_way--;
    confirm->over(confirm);
}

static void cache_has_it(lw_cache_wait *wait)
{
    confirm_end(LW_DLIST_ITEM(&wait->link, lw_consistent_read, wait.link));
}

static void cache_is_late(lw_timer *timer)
{
    lw_consistent_read *confirm = LW_HEAP_ITEM(&timer->node, lw_consistent_read, timer.node);
    confirm->question.st =
        lw_error_set(&confirm->question.err, LW_ERR_UNAVAILABLE,
                     "the watch cache is being reloaded from the store; try again");
    confirm_end(confirm);
}

static void confirm_arrived(lw_task *task)
{
    lw_consistent_read *confirm = LW_DLIST_ITEM(&task->link, lw_consistent_read, task.link);
    lw_loop *loop = confirm->port->loop;
    confirm->wait =
        (lw_cache_wait){ .revision = confirm->question.revision, .reached = cache_has_it };
    confirm->timer = (lw_timer){ .fire = cache_is_late };
    if (confirm->question.st < 0 || lw_cache_wait_begin(confirm->port->cache, &confirm->wait)) {
        confirm_end(confirm);
        return;
    }
    int64_t deadline = lw_clock_now(lw_loop_clock(loop)) + LW_CONSISTENT_READ_CACHE_S * LW_NS_PER_S;
    if (lw_timer_set(loop, &confirm->timer, deadline) < 0) {
        confirm->question.st = lw_error_nomem(&confirm->question.err);
        confirm_end(confirm);
    }
}

/* On the store's thread. */
static void confirm_answered(lw_store_confirmation *question)
{
    lw_consistent_read *confirm = question->arg;
    lw_loop_post(confirm->port->loop, &confirm->task);
}

void lw_consistent_read_begin(lw_consistent_read *confirm)
{
    confirm->question = (lw_store_confirmation){ .done = confirm_answered, .arg = confirm };
    confirm->wait = (lw_cache_wait){ .revision = 0 };
    confirm->timer = (lw_timer){ .fire = cache_is_late };
    confirm->task = (lw_task){ .run = confirm_arrived };
    confirm->port->under_way++;
    lw_status st = lw_store_confirm(confirm->port->api->store, &confirm->question);
    if (st == LW_OK)
        return;
    confirm->question.st =
        lw_error_set(&confirm->question.err, st, "the store is overloaded; try again later");
    lw_loop_post(confirm->port->loop, &confirm->task);
}
