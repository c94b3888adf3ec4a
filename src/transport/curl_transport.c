/* SPDX-License-Identifier: Apache-2.0 */
/* curl_transport.c -- the transport: one epoll set for the sockets of all pools, and dispatch.
 *
 * A dispatch adds started transfers, passes one batch of events to curl, runs the timers of curl
 * and of the transport, and then calls back for finished transfers.  Transfers are removed and
 * pools freed only there, outside of curl. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sync.h"
#include "transport/curl_internal.h"

enum {
    BATCH_MAX = 64, /* events per epoll_wait */
    DEFAULT_CONNECT_TIMEOUT_S = 30,
    DEFAULT_KEEPALIVE_S = 30,
    DEFAULT_KEEPALIVE_REPLY_S = 15,
    DEFAULT_CONNECTIONS = 4,
    SECONDS_MAX = 24 * 3600, /* limit of options in seconds */
};

static void init_curl(void *arg)
{
    *(bool *)arg = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* The global state of curl is initialised once per process and never freed. */
static bool curl_is_ready(void)
{
    static lw_once once = LW_ONCE_INIT;
    static bool is_ready;
    lw_once_run(&once, init_curl, &is_ready);
    return is_ready;
}

static bool is_earlier(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    return LW_HEAP_CONST_ITEM(a, lw_transfer, deadline)->deadline_ns <
           LW_HEAP_CONST_ITEM(b, lw_transfer, deadline)->deadline_ns;
}

static int or_default(int seconds, int otherwise)
{
    if (seconds <= 0)
        return otherwise;
    return seconds < SECONDS_MAX ? seconds : SECONDS_MAX;
}

static lw_transport_options filled_in(const lw_transport_options *options)
{
    lw_transport_options out = options ? *options : (lw_transport_options){ 0 };
    out.connect_timeout_s = or_default(out.connect_timeout_s, DEFAULT_CONNECT_TIMEOUT_S);
    out.keepalive_s = or_default(out.keepalive_s, DEFAULT_KEEPALIVE_S);
    out.keepalive_reply_s = or_default(out.keepalive_reply_s, DEFAULT_KEEPALIVE_REPLY_S);
    if (out.max_connections == 0)
        out.max_connections = DEFAULT_CONNECTIONS;
    if (out.max_connections > LW_TRANSPORT_TRANSFERS_MAX)
        out.max_connections = LW_TRANSPORT_TRANSFERS_MAX;
    if (!out.clock)
        out.clock = lw_clock_system();
    return out;
}

lw_status lw_transport_new(lw_transport **out, const lw_transport_options *options, lw_error *err)
{
    if (!curl_is_ready())
        return lw_error_set(
            err, LW_ERR_INTERNAL,
            "cannot load libcurl: install libcurl.so.4 (package libcurl4), version 7.84 or later");
    lw_transport *transport = lw_alloc_zero(1, sizeof(*transport));
    if (!transport)
        return lw_error_nomem(err);
    transport->options = filled_in(options);
    lw_dlist_init(&transport->pools);
    lw_dlist_init(&transport->starting);
    lw_dlist_init(&transport->resuming);
    lw_dlist_init(&transport->doomed);
    lw_heap_init(&transport->deadlines, LW_TRANSPORT_TRANSFERS_MAX, is_earlier, NULL);
    transport->now_ns = lw_clock_now(transport->options.clock);
    transport->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (transport->epoll_fd < 0) {
        lw_status st = lw_error_set(err, LW_ERR_IO, "epoll_create1: %s", strerror(errno));
        lw_transport_free(transport);
        return st;
    }
    *out = transport;
    return LW_OK;
}

/* Frees pools that are not needed any more. */
static void sweep_pools(lw_transport *transport)
{
    LW_DLIST_FOR_EACH_SAFE(lw_curl_pool, pool, &transport->pools, link)
    {
        if (pool == transport->current || pool->transfers > 0)
            continue;
        lw_dlist_remove(&pool->link);
        curl_pool_free(pool);
    }
}

static void cancel_all(lw_dlist *transfers)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_first(transfers)) != NULL)
        lw_transfer_cancel(LW_DLIST_ITEM(node, lw_transfer, link));
}

void lw_transport_free(lw_transport *transport)
{
    if (!transport)
        return;
    assert(!transport->is_dispatching);
    cancel_all(&transport->starting);
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    {
        cancel_all(&pool->running);
        cancel_all(&pool->tunnels);
    }
    transport->current = NULL;
    sweep_pools(transport);
    assert(transport->transfers == 0);
    lw_heap_done(&transport->deadlines);
    if (transport->epoll_fd >= 0)
        close(transport->epoll_fd);
    lw_free(transport);
}

/* If endpoints change faster than transfers end, the oldest transfers are ended. */
static void abandon_oldest(lw_transport *transport)
{
    size_t count = 0;
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    count += !pool->is_abandoned;
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    {
        if (count <= CURL_POOLS_MAX)
            return;
        count -= !pool->is_abandoned;
        pool->is_abandoned = true;
    }
}

static void set_current(lw_transport *transport, lw_curl_pool *pool)
{
    lw_dlist_push_back(&transport->pools, &pool->link);
    transport->current = pool;
    abandon_oldest(transport);
    if (!transport->is_dispatching)
        sweep_pools(transport);
}

/* curl would reuse the silent connection as long as the kernel of the peer responds.  Transfers on
 * it have their own timeouts. */
lw_curl_pool *curl_transport_pool(lw_transport *transport)
{
    lw_upstream copy;
    lw_curl_pool *fresh = NULL;
    if (!transport->current->is_suspect ||
        lw_upstream_copy(&copy, &transport->current->upstream) < 0 ||
        curl_pool_new(&fresh, transport, &copy, NULL) < 0)
        return transport->current;
    set_current(transport, fresh);
    return fresh;
}

lw_status lw_transport_set_endpoint(lw_transport *transport, const lw_transport_endpoint *endpoint,
                                    lw_error *err)
{
    lw_upstream made;
    lw_curl_pool *pool = NULL;
    lw_status st = lw_upstream_init(&made, endpoint, err);
    if (st < 0)
        return st;
    if (transport->current && !transport->current->is_broken &&
        lw_upstream_is_same(&transport->current->upstream, &made)) {
        lw_upstream_done(&made);
        return LW_OK;
    }
    st = curl_pool_new(&pool, transport, &made, err);
    if (st < 0)
        return st;
    set_current(transport, pool);
    return LW_OK;
}

int lw_transport_fd(const lw_transport *transport)
{
    return transport->epoll_fd;
}

static bool has_errands(const lw_transport *transport)
{
    if (!lw_dlist_is_empty(&transport->starting) || !lw_dlist_is_empty(&transport->resuming))
        return true;
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    if (pool != transport->current && (pool->is_abandoned || pool->transfers == 0))
        return true;
    return false;
}

/* Returns the time until the first transfer may time out, on the clock of the options;
 * LW_NEVER_NS. */
static int64_t until_late_ns(const lw_transport *transport)
{
    const lw_heap_node *top = lw_heap_top(&transport->deadlines);
    if (!top)
        return LW_NEVER_NS;
    return LW_HEAP_CONST_ITEM(top, lw_transfer, deadline)->deadline_ns -
           lw_clock_now(transport->options.clock);
}

/* Returns the time until the next call of curl, on its clock; LW_NEVER_NS. */
static int64_t until_curl_ns(const lw_transport *transport)
{
    int64_t due = LW_NEVER_NS;
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    if (pool->deadline_ns < due)
        due = pool->deadline_ns;
    return due == LW_NEVER_NS ? due : due - lw_clock_now(lw_clock_system());
}

/* Rounded up, so that the timer has expired then. */
int lw_transport_timeout_ms(const lw_transport *transport)
{
    if (has_errands(transport))
        return 0;
    int64_t late = until_late_ns(transport), curl = until_curl_ns(transport);
    int64_t left = late < curl ? late : curl;
    if (left == LW_NEVER_NS)
        return -1;
    if (left <= 0)
        return 0;
    int64_t ms = (left - 1) / LW_NS_PER_MS + 1;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

static void add_starting(lw_transport *transport)
{
    lw_dlist taken;
    lw_dlist_node *node;
    lw_dlist_init(&taken);
    lw_dlist_append_all(&taken, &transport->starting);
    while ((node = lw_dlist_pop_front(&taken)) != NULL) {
        lw_transfer *transfer = LW_DLIST_ITEM(node, lw_transfer, link);
        lw_dlist_push_back(&transfer->pool->running, &transfer->link);
        transfer->state = TRANSFER_RUNNING;
        if (!curl_pool_add(transfer->pool, transfer)) {
            lw_transfer_result result;
            curl_result_of_code(transfer, CURLE_OUT_OF_MEMORY, &result);
            curl_transfer_finish(transfer, &result);
        }
    }
}

static void resume_waiting(lw_transport *transport)
{
    lw_dlist taken;
    lw_dlist_node *node;
    lw_dlist_init(&taken);
    lw_dlist_append_all(&taken, &transport->resuming);
    while ((node = lw_dlist_pop_front(&taken)) != NULL) {
        lw_transfer *transfer = LW_DLIST_ITEM(node, lw_transfer, resume_link);
        if (transfer->state == TRANSFER_OPEN)
            curl_tunnel_run(transfer);
        else
            curl_transfer_resume(transfer);
    }
}

static void run_sockets(lw_transport *transport)
{
    struct epoll_event batch[BATCH_MAX];
    int count = epoll_wait(transport->epoll_fd, batch, BATCH_MAX, 0);
    for (int i = 0; i < count; i++) {
        uint32_t id = (uint32_t)(batch[i].data.u64 >> 32);
        int fd = (int)(batch[i].data.u64 & UINT32_MAX);
        if (id == 0)
            curl_watch_event(transport, fd);
        LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
        if (pool->id == id && !curl_tunnel_event(pool, fd) && !curl_exchange_idle_event(pool, fd))
            curl_pool_socket(pool, fd, batch[i].events);
    }
}

static void run_clocks(lw_transport *transport)
{
    int64_t now_ns = lw_clock_now(lw_clock_system());
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    if (pool->deadline_ns <= now_ns)
        curl_pool_clock(pool);
}

static void drop_doomed(lw_transport *transport)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_first(&transport->doomed)) != NULL) {
        lw_transfer *transfer = LW_DLIST_ITEM(node, lw_transfer, link);
        curl_pool_remove(transfer->pool, transfer);
        curl_transfer_free(transfer);
    }
}

static void finish_done(lw_transport *transport)
{
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    {
        lw_transfer *transfer;
        int code = 0;
        curl_pool_adjust(pool);
        while ((transfer = curl_pool_next_done(pool, &code)) != NULL) {
            lw_transfer_result result;
            if (code == CURLE_OK && (transfer->options.on_ready || transfer->exchange)) {
                curl_tunnel_open(transfer);
                continue;
            }
            curl_pool_remove(pool, transfer);
            curl_result_of_code(transfer, code, &result);
            curl_transfer_finish(transfer, &result);
        }
    }
}

/* The deadline in the heap is a lower limit; received bytes may have postponed the real one. */
static void finish_late(lw_transport *transport)
{
    lw_heap_node *top;
    while ((top = lw_heap_top(&transport->deadlines)) != NULL) {
        lw_transfer *transfer = LW_HEAP_ITEM(top, lw_transfer, deadline);
        if (transfer->deadline_ns > transport->now_ns)
            return;
        int64_t due = curl_transfer_due_ns(transfer);
        if (due > transport->now_ns) {
            transfer->deadline_ns = due;
            lw_heap_update(&transport->deadlines, top);
            continue;
        }
        lw_transfer_result result;
        curl_result_timeout(transfer, &result);
        if (transfer->state == TRANSFER_RUNNING || transfer->state == TRANSFER_OPEN) {
            /* With HTTP/1.1 the connection is closed with its transfer. */
            transfer->pool->is_suspect =
                transfer->pool->upstream.is_tls && !transfer->options.on_ready;
            curl_pool_remove(transfer->pool, transfer);
        }
        curl_transfer_finish(transfer, &result);
    }
}

static void abandon_all(lw_curl_pool *pool, lw_dlist *transfers)
{
    lw_dlist_node *node;
    while ((pool->is_broken || pool->is_abandoned) && (node = lw_dlist_first(transfers)) != NULL) {
        lw_transfer *transfer = LW_DLIST_ITEM(node, lw_transfer, link);
        lw_transfer_result result;
        curl_result_abandoned(transfer, &result);
        curl_pool_remove(pool, transfer);
        curl_transfer_finish(transfer, &result);
    }
}

static void finish_abandoned(lw_transport *transport)
{
    LW_DLIST_FOR_EACH(lw_curl_pool, pool, &transport->pools, link)
    {
        abandon_all(pool, &pool->running);
        abandon_all(pool, &pool->tunnels);
        if (pool->is_broken)
            curl_pool_repair(pool);
    }
}

void lw_transport_dispatch(lw_transport *transport)
{
    assert(!transport->is_dispatching);
    transport->is_dispatching = true;
    transport->now_ns = lw_clock_now(transport->options.clock);
    add_starting(transport);
    resume_waiting(transport);
    /* Run the added transfers for the first time. */
    transport->now_ns = lw_clock_now(transport->options.clock);
    run_sockets(transport);
    run_clocks(transport);
    drop_doomed(transport);
    finish_done(transport);
    finish_late(transport);
    finish_abandoned(transport);
    transport->is_dispatching = false;
    sweep_pools(transport);
}

void lw_transport_read_stats(const lw_transport *transport, lw_transport_stats *stats)
{
    *stats = transport->stats;
}
