/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.c -- rests between batches. */
#include "api/context/throttle.h"

#include "base/clock.h"

#define REST_MIN_NS LW_NS_PER_MS
#define REST_MAX_NS (50 * LW_NS_PER_MS)

static void rest_over(lw_throttle *pace)
{
    lw_timer_cancel(pace->port->loop, &pace->timer);
    lw_dlist_remove(&pace->link);
    pace->is_resting = false;
    pace->port->under_way--;
    pace->go(pace);
}

static void timer_fire(lw_timer *timer)
{
    rest_over(LW_HEAP_ITEM(&timer->node, lw_throttle, timer.node));
}

static int64_t now_of(const lw_throttle *pace)
{
    return lw_clock_now(lw_loop_clock(pace->port->loop));
}

void lw_throttle_begin(lw_throttle *pace)
{
    pace->began_ns = now_of(pace);
}

void lw_throttle_rest(lw_throttle *pace)
{
    int64_t rest_ns = now_of(pace) - pace->began_ns;
    if (rest_ns < REST_MIN_NS)
        rest_ns = REST_MIN_NS;
    if (!lw_throttle_wait(pace, rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS))
        pace->go(pace);
}

bool lw_throttle_wait(lw_throttle *pace, int64_t wait_ns)
{
    if (pace->port->is_draining)
        return false;
    pace->timer.fire = timer_fire;
    if (lw_timer_set(pace->port->loop, &pace->timer, now_of(pace) + wait_ns) < 0)
        return false;
    pace->is_resting = true;
    pace->port->under_way++;
    lw_dlist_push_back(&pace->port->resting, &pace->link);
    return true;
}

void lw_throttle_hurry(lw_api_port *port)
{
    for (lw_dlist_node *node; (node = lw_dlist_first(&port->resting));)
        rest_over(LW_DLIST_ITEM(node, lw_throttle, link));
}
