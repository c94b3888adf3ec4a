/* SPDX-License-Identifier: Apache-2.0 */
/* links.c -- connections to members: opened on demand, left when they fail. */
#include <assert.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "etcd/client.h"

int64_t lw_etcd__now(const lw_etcd *etcd)
{
    return lw_clock_now(lw_loop_clock(etcd->loop));
}

static void link_free(lw_etcd_link *link)
{
    lw_dlist_remove(&link->node);
    lw_h2_client_free(link->h2);
    lw_free(link);
}

void lw_etcd__wake(lw_etcd *etcd, const lw_error *err)
{
    lw_dlist woken;
    lw_dlist_node *node;
    lw_dlist_init(&woken);
    lw_dlist_append_all(&woken, &etcd->waiters);
    while ((node = lw_dlist_pop_front(&woken)) != NULL) {
        lw_etcd_waiter *waiter = LW_DLIST_ITEM(node, lw_etcd_waiter, node);
        waiter->wake(waiter, err);
    }
}

/* After a failure the next member is tried at once, unless all members have failed in turn. */
static void count_failure(lw_etcd *etcd, size_t endpoint)
{
    int64_t now = lw_etcd__now(etcd);
    etcd->next_endpoint = (endpoint + 1) % etcd->endpoints.count;
    etcd->failures++;
    etcd->dial_at_ns = now;
    if (etcd->failures % etcd->endpoints.count == 0)
        etcd->dial_at_ns += lw_backoff_next(&etcd->backoff, now);
}

/* Sets the timer that wakes the waiters when it is time to connect. */
static void arm_dial(lw_etcd *etcd)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_dlist_is_empty(&etcd->waiters) ||
        lw_timer_set(etcd->loop, &etcd->dial_timer, etcd->dial_at_ns) == LW_OK)
        return;
    (void)lw_error_nomem(&err);
    lw_etcd__wake(etcd, &err);
}

void lw_etcd__heard(lw_etcd_link *link)
{
    link->etcd->failures = 0;
    lw_backoff_reset(&link->etcd->backoff);
}

void lw_etcd__leave(lw_etcd_link **link)
{
    lw_etcd_link *left = *link;
    if (!left)
        return;
    *link = NULL;
    left->streams--;
    if (left->streams == 0 && left != left->etcd->current)
        link_free(left);
}

void lw_etcd__move_on(lw_etcd_link *link)
{
    lw_etcd *etcd = link->etcd;
    if (link != etcd->current)
        return;
    lw_log(&etcd->logger, LW_LOG_INFO, "etcd", "switching from %s to another endpoint",
           lw_etcd__url(link));
    etcd->current = NULL;
    count_failure(etcd, link->endpoint);
    if (link->streams == 0)
        link_free(link);
}

static void on_up(lw_h2_client *h2, void *arg)
{
    lw_etcd_link *link = arg;
    (void)h2;
    link->is_up = true;
    lw_log(&link->etcd->logger, LW_LOG_DEBUG, "etcd", "connected to %s", lw_etcd__url(link));
}

static void on_down(lw_h2_client *h2, const lw_error *err, void *arg)
{
    lw_etcd_link *link = arg;
    lw_etcd *etcd = link->etcd;
    const lw_error why = *err;
    (void)h2;
    lw_log(&etcd->logger, LW_LOG_WARN, "etcd", "%s: %s", lw_etcd__url(link), why.message);
    etcd->last_failure = why;
    (void)lw_error_set(&etcd->last_failure, LW_ERR_UNAVAILABLE, "etcd at %s: %s",
                       lw_etcd__url(link), why.message);
    if (link == etcd->current) {
        etcd->current = NULL;
        count_failure(etcd, link->endpoint);
    }
    assert(link->streams == 0);
    link_free(link);
    if (why.code == LW_ERR_NOMEM)
        lw_etcd__wake(etcd, &why);
    else
        arm_dial(etcd);
}

static lw_status dial(lw_etcd *etcd, lw_error *err)
{
    const lw_etcd_endpoint *endpoint = &etcd->endpoints.items[etcd->next_endpoint];
    lw_etcd_link *link = lw_alloc_zero(1, sizeof(*link));
    if (!link)
        return lw_error_nomem(err);
    link->etcd = etcd;
    link->endpoint = etcd->next_endpoint;
    const lw_h2_client_options options = {
        .host = endpoint->host,
        .port = endpoint->port,
        .tls = etcd->tls,
        .connect_timeout_ms = etcd->connect_timeout_ms,
        .ping_idle_ms = etcd->keepalive_ms,
        .ping_timeout_ms = etcd->keepalive_timeout_ms,
        .on_up = on_up,
        .on_down = on_down,
        .arg = link,
    };
    lw_status st = lw_h2_client_open(&link->h2, etcd->loop, &options, err);
    if (st < 0) {
        lw_free(link);
        return st;
    }
    lw_dlist_push_back(&etcd->links, &link->node);
    etcd->current = link;
    return LW_OK;
}

static lw_status wait_for_dial(lw_etcd *etcd, lw_etcd_waiter *waiter, lw_error *err)
{
    if (lw_timer_set(etcd->loop, &etcd->dial_timer, etcd->dial_at_ns) < 0)
        return lw_error_nomem(err);
    lw_dlist_push_back(&etcd->waiters, &waiter->node);
    return LW_ERR_STOPPED;
}

lw_status lw_etcd__enter(lw_etcd *etcd, lw_etcd_waiter *waiter, bool needs_token,
                         lw_etcd_link **out, lw_error *err)
{
    lw_status st = needs_token ? lw_etcd__token_ready(etcd, err) : LW_OK;
    if (st == LW_ERR_STOPPED)
        lw_dlist_push_back(&etcd->waiters, &waiter->node);
    if (st < 0)
        return st;
    if (etcd->current && lw_h2_client_is_closing(etcd->current->h2))
        lw_etcd__move_on(etcd->current);
    while (!etcd->current) {
        if (etcd->dial_at_ns > lw_etcd__now(etcd))
            return wait_for_dial(etcd, waiter, err);
        st = dial(etcd, err);
        if (st == LW_ERR_NOMEM)
            return st;
        if (st < 0)
            count_failure(etcd, etcd->next_endpoint);
    }
    *out = etcd->current;
    etcd->current->streams++;
    return LW_OK;
}

void lw_etcd__stop_waiting(lw_etcd_waiter *waiter)
{
    if (lw_dlist_node_is_linked(&waiter->node))
        lw_dlist_remove(&waiter->node);
}

static void dial_due(lw_timer *timer)
{
    lw_etcd__wake(LW_CONTAINER_OF(timer, lw_etcd, dial_timer), NULL);
}

lw_status lw_etcd__links_init(lw_etcd *etcd)
{
    static const lw_backoff_options pauses = { 50 * LW_NS_PER_MS, 5 * LW_NS_PER_S, 2.0, 1.0, 0 };
    etcd->dial_timer.fire = dial_due;
    /* A random start spreads clients over the members. */
    etcd->next_endpoint = (size_t)lw_random_below(&etcd->random, etcd->endpoints.count);
    return lw_backoff_init(&etcd->backoff, &pauses, lw_random_next(&etcd->random));
}

void lw_etcd__links_done(lw_etcd *etcd)
{
    lw_timer_cancel(etcd->loop, &etcd->dial_timer);
    etcd->current = NULL;
    LW_DLIST_FOR_EACH_SAFE(lw_etcd_link, link, &etcd->links, node)
    {
        link_free(link);
    }
}
