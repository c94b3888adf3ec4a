/* SPDX-License-Identifier: Apache-2.0 */
/* curl_pool.c -- the connections to one endpoint: a multi handle whose sockets are in the epoll set
 * of the transport.
 *
 * Number of connections: over HTTP/2 all transfers share max_connections, plus one for each
 * TRANSFERS_PER_CONNECTION, because a server limits the streams of a connection (Kubernetes: 100).
 * HTTP/1.1 carries one request at a time, and a watch keeps its connection for minutes; with a
 * limit, lists would wait for watches to end, so only the number of transfers is limited.  Each
 * tunnel has a connection of its own. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "transport/curl_internal.h"

enum {
    TRANSFERS_PER_CONNECTION = 64,
    STREAMS_MAX = 1000, /* streams on one connection, if the server allows it */
};

static uint64_t event_key(const lw_curl_pool *pool, curl_socket_t fd)
{
    return (uint64_t)pool->id << 32 | (uint32_t)fd;
}

/* curl closes sockets without notice, and the kernel then removes them from the set; so the kernel
 * is asked what is in the set. */
static bool watch_socket(lw_curl_pool *pool, curl_socket_t fd, int what)
{
    struct epoll_event event = { .data = { .u64 = event_key(pool, fd) } };
    int epoll_fd = pool->transport->epoll_fd;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, &event);
        return true;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
        return true;
    return errno == ENOENT && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* A failure is recorded, not returned: curl would abort the whole multi handle. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    lw_curl_pool *pool = arg;
    (void)easy;
    (void)socket_arg;
    if (!watch_socket(pool, fd, what))
        pool->is_broken = true;
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *arg)
{
    lw_curl_pool *pool = arg;
    (void)multi;
    pool->deadline_ns = LW_NEVER_NS;
    if (timeout_ms >= 0)
        pool->deadline_ns = lw_clock_now(lw_clock_system()) + timeout_ms * LW_NS_PER_MS;
    return 0;
}

static size_t needed_connections(const lw_curl_pool *pool)
{
    size_t tunnels = pool->tunnel_count;
    size_t least = pool->transport->options.max_connections + tunnels;
    size_t needed = (pool->transfers - tunnels) / TRANSFERS_PER_CONNECTION + 1 + tunnels;
    if (!pool->upstream.is_tls || pool->is_http1)
        return LW_TRANSPORT_TRANSFERS_MAX;
    return needed > least ? needed : least;
}

/* curl reconsiders waiting transfers only when another one has ended, not when the limit of
 * connections is raised; so they are removed and added again.  Nothing of them was sent. */
static void restart_unsent(lw_curl_pool *pool)
{
    LW_DLIST_FOR_EACH(lw_transfer, transfer, &pool->running, link)
    {
        long sent = 0;
        (void)curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent);
        if (sent == 0 && curl_multi_remove_handle(pool->multi, transfer->easy) == CURLM_OK &&
            curl_multi_add_handle(pool->multi, transfer->easy) != CURLM_OK)
            pool->is_broken = true;
    }
}

void curl_pool_adjust(lw_curl_pool *pool)
{
    size_t needed = needed_connections(pool);
    if (!pool->multi || needed <= pool->connection_limit)
        return;
    pool->connection_limit = needed;
    (void)curl_multi_setopt(pool->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)needed);
    if (pool->is_http1)
        restart_unsent(pool);
}

static bool open_multi(lw_curl_pool *pool)
{
    pool->multi = curl_multi_init();
    if (!pool->multi)
        return false;
    unsigned bad = 0;
    CURLM *multi = pool->multi;
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, pool);
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_TIMERDATA, pool);
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    bad |= (unsigned)curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_MAX);
    pool->connection_limit = 0;
    curl_pool_adjust(pool);
    return bad == 0;
}

static bool has_text(const char *variable)
{
    const char *text = getenv(variable);
    return text && text[0];
}

lw_status curl_pool_new(lw_curl_pool **out, lw_transport *transport, lw_upstream *upstream_take,
                        lw_error *err)
{
    lw_curl_pool *pool = lw_alloc_zero(1, sizeof(*pool));
    if (!pool) {
        lw_upstream_done(upstream_take);
        return lw_error_nomem(err);
    }
    pool->upstream = *upstream_take;
    *upstream_take = (lw_upstream){ 0 };
    pool->transport = transport;
    pool->deadline_ns = LW_NEVER_NS;
    pool->id = ++transport->last_pool_id;
    lw_dlist_init(&pool->running);
    lw_dlist_init(&pool->tunnels);
    lw_dlist_init(&pool->idle);
    /* The names that curl looks up. */
    pool->has_proxy = pool->upstream.proxy_url || has_text("http_proxy") || has_text("all_proxy") ||
                      has_text("ALL_PROXY");
    (void)lw_origin_parse(&pool->origin, lw_str_of(pool->upstream.server), NULL);
    if (!open_multi(pool)) {
        curl_pool_free(pool);
        return lw_error_nomem(err);
    }
    *out = pool;
    return LW_OK;
}

void curl_pool_free(lw_curl_pool *pool)
{
    if (!pool)
        return;
    assert(pool->transfers == 0);
    curl_exchange_close_idle(pool);
    if (pool->multi)
        (void)curl_multi_cleanup(pool->multi);
    lw_upstream_done(&pool->upstream);
    lw_free(pool);
}

void curl_pool_repair(lw_curl_pool *pool)
{
    assert(lw_dlist_is_empty(&pool->running) && lw_dlist_is_empty(&pool->tunnels));
    curl_exchange_close_idle(pool);
    if (pool->multi)
        (void)curl_multi_cleanup(pool->multi);
    pool->deadline_ns = LW_NEVER_NS;
    pool->is_broken = !open_multi(pool);
}

bool curl_pool_add(lw_curl_pool *pool, lw_transfer *transfer)
{
    curl_pool_adjust(pool);
    return pool->multi && curl_multi_add_handle(pool->multi, transfer->easy) == CURLM_OK;
}

void curl_pool_remove(lw_curl_pool *pool, lw_transfer *transfer)
{
    (void)curl_multi_remove_handle(pool->multi, transfer->easy);
}

static void turn(lw_curl_pool *pool, curl_socket_t fd, int events)
{
    int running = 0;
    pool->transport->is_in_curl = true;
    if (curl_multi_socket_action(pool->multi, fd, events, &running) != CURLM_OK)
        pool->is_broken = true;
    pool->transport->is_in_curl = false;
}

void curl_pool_socket(lw_curl_pool *pool, int fd, uint32_t events)
{
    int bits = 0;
    if (events & (EPOLLIN | EPOLLHUP))
        bits |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        bits |= CURL_CSELECT_OUT;
    if (events & EPOLLERR)
        bits |= CURL_CSELECT_ERR;
    turn(pool, fd, bits);
}

void curl_pool_clock(lw_curl_pool *pool)
{
    pool->deadline_ns = LW_NEVER_NS;
    turn(pool, CURL_SOCKET_TIMEOUT, 0);
}

lw_transfer *curl_pool_next_done(lw_curl_pool *pool, int *code)
{
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        char *private = NULL;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        *code = (int)message->data.result;
        return (lw_transfer *)(void *)private;
    }
    return NULL;
}
