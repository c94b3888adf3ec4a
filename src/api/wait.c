/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c -- a call waits for a revision, for a timer, or for its client to go; the first wins. */
#include "api/wait.h"

#include "base/clock.h"

static void end_wait(lw_call_wait *wait, lw_wait_outcome outcome)
{
    lw_api_call *call = wait->call;
    lw_cache_wait_cancel(call->port->cache, &wait->cache_wait);
    lw_timer_cancel(call->port->loop, &wait->timer);
    call->stream->on_closed = NULL;
    call->stream->arg = NULL;
    wait->over(wait, outcome);
}

static void wait_reached(lw_cache_wait *cache_wait)
{
    end_wait(LW_LIST_ITEM(&cache_wait->link, lw_call_wait, cache_wait.link), LW_WAIT_REACHED);
}

static void wait_expired(lw_timer *timer)
{
    end_wait(LW_HEAP_ITEM(&timer->node, lw_call_wait, timer.node), LW_WAIT_LATE);
}

static void wait_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    end_wait(arg, LW_WAIT_GONE);
}

void lw_call_wait_begin(lw_call_wait *wait, uint64_t revision)
{
    lw_api_call *call = wait->call;
    lw_api_port *port = call->port;
    wait->cache_wait = (lw_cache_wait){ .revision = revision, .reached = wait_reached };
    wait->timer = (lw_timer){ .fire = wait_expired };
    if (revision == 0 || lw_cache_wait_begin(port->cache, &wait->cache_wait)) {
        wait->over(wait, LW_WAIT_REACHED);
        return;
    }
    int64_t deadline = lw_clock_now(lw_loop_clock(port->loop)) + LW_CALL_WAIT_S * LW_NS_PER_S;
    if (lw_timer_set(port->loop, &wait->timer, deadline) < 0) {
        end_wait(wait, LW_WAIT_NOMEM);
        return;
    }
    call->stream->on_closed = wait_closed;
    call->stream->arg = wait;
}
