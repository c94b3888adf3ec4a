/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.c -- pauses between batches of writes. */
#include "api/context/throttle.h"

#include "base/clock.h"

#define REST_MIN_NS LW_NS_PER_MS
#define REST_MAX_NS (50 * LW_NS_PER_MS)

static void rest_over(lw_throttle *throttle)
{
    lw_timer_cancel(throttle->port->loop, &throttle->timer);
    lw_dlist_remove(&throttle->link);
    throttle->is_resting = false;
    throttle->port->under_way--;
    throttle->go(throttle);
}

static void timer_fire(lw_timer *timer)
{
    rest_over(LW_HEAP_ITEM(&timer->node, lw_throttle, timer.node));
}

static int64_t now_of(const lw_throttle *throttle)
{
    return lw_clock_now(lw_loop_clock(throttle->port->loop));
}

void lw_throttle_begin(lw_throttle *throttle)
{
    throttle->began_ns = now_of(throttle);
}

void lw_throttle_rest(lw_throttle *throttle)
{
    int64_t rest_ns = now_of(throttle) - throttle->began_ns;
    if (rest_ns < REST_MIN_NS)
        rest_ns = REST_MIN_NS;
    if (!lw_throttle_wait(throttle, rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS))
        throttle->go(throttle);
}

bool lw_throttle_wait(lw_throttle *throttle, int64_t wait_ns)
{
    if (throttle->port->is_draining)
        return false;
    throttle->timer.fire = timer_fire;
    if (lw_timer_set(throttle->port->loop, &throttle->timer, now_of(throttle) + wait_ns) < 0)
        return false;
    throttle->is_resting = true;
    throttle->port->under_way++;
    lw_dlist_push_back(&throttle->port->resting, &throttle->link);
    return true;
}

void lw_throttle_hurry(lw_api_port *port)
{
    for (lw_dlist_node *node; (node = lw_dlist_first(&port->resting));)
        rest_over(LW_DLIST_ITEM(node, lw_throttle, link));
}
