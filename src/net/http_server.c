/* SPDX-License-Identifier: Apache-2.0 */
/* http_server.c -- listeners on the first loop, connections on all loops, and an orderly shutdown.
 *
 * Ownership: the server is reference-counted: one reference of its owner, one per connection, and
 * one per task that is posted to a loop.  So a task that runs after the server was freed
 * (lw_loop_free runs posted tasks) still finds it, sees is_stopped, and releases its reference.
 * Threads: |mu| guards what all loops change; a pool belongs to its loop; listeners to the first
 * loop. */
#include "net/http_server.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/sync.h"
#include "net/conn_internal.h"
#include "net/listener.h"

/* Delay before accepting is tried again after the system ran out of descriptors or memory. */
#define ACCEPT_AGAIN_NS (100 * LW_NS_PER_MS)

/* Age from which an unauthenticated connection may be closed to make room: if many clients connect
 * at once, they must not push each other out before they can authenticate. */
#define EVICTED_AFTER_NS (1 * LW_NS_PER_S)

enum {
    EVICTED_AT_ONCE = 4, /* unauthenticated connections that are closed together to make room */
};

typedef struct server_pool {
    lw_conn_pool pool;
    lw_task draining;
} server_pool;

struct lw_http_server {
    lw_ref refs;
    lw_http_counts counts;
    lw_conn_admission admission;
    lw_logger logger;
    server_pool *pools;
    size_t pool_count;
    size_t next_pool;   /* the pool of the next connection; used on the first loop */
    lw_dlist listeners; /* used on the first loop */
    lw_timer accept_again;
    lw_task resuming;
    lw_task drained_task;

    lw_mutex mu;  /* guards the members below */
    size_t open;  /* number of connections, including those that are being passed to their loop */
    bool is_full; /* accepting waits for a connection that closes */
    bool is_resuming; /* the task is posted */
    bool is_draining;
    bool is_drained;
    size_t pools_undrained;
    void (*drained)(void *arg);
    void *drained_arg;
};

static void server_unref(lw_http_server *server)
{
    if (!lw_ref_dec(&server->refs))
        return;
    for (size_t i = 0; i < server->pool_count; i++)
        lw_conn_pool_done(&server->pools[i].pool);
    lw_conn_admission_done(&server->admission);
    lw_mutex_done(&server->mu);
    lw_free(server->pools);
    lw_free(server);
}

static lw_loop *first_loop(const lw_http_server *server)
{
    return server->pools[0].pool.loop;
}

static void tell_drained(lw_task *task)
{
    lw_http_server *server = LW_DLIST_ITEM(&task->link, lw_http_server, drained_task.link);
    bool is_stopped = server->pools[0].pool.is_stopped;
    void (*drained)(void *arg) = server->drained;
    void *arg = server->drained_arg;
    server_unref(server);
    if (!is_stopped && drained)
        drained(arg);
}

/* True, once, if the last connection of a draining server has closed; the caller posts the task.
 * Never after the server was freed: its first loop may not exist any more. */
static bool is_drained_now_locked(lw_http_server *server, const lw_conn_pool *pool)
{
    bool is_now = server->is_draining && !server->is_drained && server->pools_undrained == 0 &&
                  server->open == 0 && !pool->is_stopped;
    server->is_drained = server->is_drained || is_now;
    return is_now;
}

static void post(lw_http_server *server, lw_loop *loop, lw_task *task)
{
    lw_ref_inc(&server->refs);
    lw_loop_post(loop, task);
}

static void set_accepting(lw_http_server *server)
{
    LW_DLIST_FOR_EACH(lw_listener, listener, &server->listeners, link)
    lw_listener_set_accepting(listener, true);
}

static void resume(lw_task *task)
{
    lw_http_server *server = LW_DLIST_ITEM(&task->link, lw_http_server, resuming.link);
    lw_mutex_lock(&server->mu);
    server->is_resuming = false;
    lw_mutex_unlock(&server->mu);
    set_accepting(server);
    server_unref(server);
}

static void conn_gone(lw_conn_pool *pool)
{
    lw_http_server *server = pool->owner;
    lw_mutex_lock(&server->mu);
    server->open--;
    bool is_drained = is_drained_now_locked(server, pool);
    bool must_resume = server->is_full && !server->is_resuming && !pool->is_stopped;
    server->is_full = false;
    server->is_resuming = server->is_resuming || must_resume;
    lw_mutex_unlock(&server->mu);
    lw_count(&server->counts.open, UINT64_MAX);
    if (must_resume)
        post(server, first_loop(server), &server->resuming);
    if (is_drained)
        post(server, first_loop(server), &server->drained_task);
    server_unref(server);
}

static void set_full(lw_http_server *server, bool is_full)
{
    lw_mutex_lock(&server->mu);
    server->is_full = is_full;
    lw_mutex_unlock(&server->mu);
}

static void accept_again(lw_timer *timer)
{
    lw_http_server *server = LW_CONTAINER_OF(timer, lw_http_server, accept_again);
    set_full(server, false);
    set_accepting(server);
}

/* Accepting has paused, and is tried again soon. */
static void accept_later(lw_listener *listener)
{
    lw_http_server *server = listener->owner;
    int64_t deadline = lw_loop_now(listener->loop) + ACCEPT_AGAIN_NS;
    /* Without memory for a timer, the next connection that closes resumes accepting. */
    if (lw_timer_set(listener->loop, &server->accept_again, deadline) < 0)
        set_full(server, true);
}

/* Counts and logs connections that were closed to make room. */
static void count_evicted(lw_http_server *server, size_t closed)
{
    if (closed == 0)
        return;
    lw_count(&server->counts.evicted, closed);
    lw_conn_admission_log(&server->admission, closed, lw_loop_now(first_loop(server)));
}

static bool has_waiting(const lw_listener *listener)
{
    struct pollfd waiting = { .fd = listener->io.fd, .events = POLLIN };
    return poll(&waiting, 1, 0) > 0;
}

/* Closes unauthenticated connections that are at least |age_ns| old.  False: there are none. */
static bool make_room(lw_http_server *server, int64_t age_ns)
{
    int64_t until_ns = lw_loop_now(first_loop(server)) - age_ns;
    size_t closed = lw_conn_admission_make_room(&server->admission, EVICTED_AT_ONCE, until_ns);
    count_evicted(server, closed);
    return closed > 0;
}

/* Returns the number that the descriptor of the next connection will have. */
static int next_descriptor(const lw_listener *listener)
{
    int fd = fcntl(listener->io.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return INT_MAX;
    (void)close(fd);
    return fd;
}

/* If connections or descriptors are used up and another client waits, unauthenticated connections
 * are closed.  Accepting then waits until they are, or until any other connection closes.  Plain
 * HTTP, where health checks arrive, uses half of the reserved descriptors meanwhile. */
static bool has_room(lw_listener *listener)
{
    lw_http_server *server = listener->owner;
    lw_conn_room room = lw_conn_admission_room(&server->admission, next_descriptor(listener));
    lw_mutex_lock(&server->mu);
    bool was_full = server->is_full;
    bool is_over = server->open >= server->pools[0].pool.limits.connections;
    bool uses_reserve = !listener->tls && !is_over && room == LW_CONN_ROOM_LITTLE;
    /* Set before the rest is looked at, so that a connection that closes meanwhile resumes. */
    server->is_full = !uses_reserve || was_full;
    lw_mutex_unlock(&server->mu);
    if (uses_reserve) {
        if (has_waiting(listener))
            (void)make_room(server, 0);
        return true;
    }
    if (was_full || lw_conn_admission_leaving(&server->admission) > 0)
        return false;
    if ((!is_over && room == LW_CONN_ROOM_ENOUGH) || !has_waiting(listener)) {
        set_full(server, false);
        return true;
    }
    bool is_urgent = !listener->tls && room != LW_CONN_ROOM_ENOUGH;
    if (!make_room(server, is_urgent ? 0 : EVICTED_AFTER_NS)) {
        lw_conn_admission_log(&server->admission, 0, lw_loop_now(listener->loop));
        accept_later(listener);
    }
    return false;
}

static void accepted(lw_listener *listener, int fd, const lw_address *peer)
{
    lw_http_server *server = listener->owner;
    lw_conn_pool *pool = &server->pools[server->next_pool].pool;
    char text[LW_ADDRESS_SIZE];
    lw_conn *conn;
    if (lw_conn_new(&conn, pool, fd, listener->tls, lw_address_format(peer, text)) < 0) {
        lw_count(&server->counts.refused, 1);
        return;
    }
    count_evicted(server, lw_conn_admission_add(&server->admission, &conn->admission, fd, peer,
                                                lw_loop_now(listener->loop)));
    lw_mutex_lock(&server->mu);
    server->open++;
    lw_mutex_unlock(&server->mu);
    lw_ref_inc(&server->refs);
    lw_count(&server->counts.open, 1);
    lw_count(&server->counts.accepted, 1);
    server->next_pool = (server->next_pool + 1) % server->pool_count;
    if (pool == &server->pools[0].pool)
        lw_conn_start(conn);
    else
        lw_conn_hand_over(conn);
}

static void exhausted(lw_listener *listener)
{
    lw_http_server *server = listener->owner;
    lw_count(&server->counts.refused, 1);
    lw_conn_admission_log(&server->admission, 1, lw_loop_now(listener->loop));
    (void)make_room(server, 0);
    accept_later(listener);
}

static void stop_listening(lw_http_server *server)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&server->listeners)) != NULL)
        lw_listener_free(LW_DLIST_ITEM(node, lw_listener, link));
    lw_timer_cancel(first_loop(server), &server->accept_again);
}

static void drain_pool(lw_task *task)
{
    server_pool *own = LW_DLIST_ITEM(&task->link, server_pool, draining.link);
    lw_http_server *server = own->pool.owner;
    if (!own->pool.is_stopped) {
        own->pool.is_draining = true;
        if (own == &server->pools[0])
            stop_listening(server);
        LW_DLIST_FOR_EACH(lw_conn, conn, &own->pool.conns, link)
        lw_conn_drain(conn);
    }
    lw_mutex_lock(&server->mu);
    server->pools_undrained--;
    bool is_drained = is_drained_now_locked(server, &own->pool);
    lw_mutex_unlock(&server->mu);
    if (is_drained)
        post(server, first_loop(server), &server->drained_task);
    server_unref(server);
}

static lw_http_limits fill_limits(lw_http_limits limits)
{
    if (limits.connections == 0)
        limits.connections = LW_HTTP_CONNECTIONS_MAX;
    if (limits.per_source == 0)
        limits.per_source = LW_HTTP_PER_SOURCE_MAX;
    if (limits.handshake_timeout_ns == 0)
        limits.handshake_timeout_ns = LW_HTTP_HANDSHAKE_TIMEOUT_S * LW_NS_PER_S;
    if (limits.head_timeout_ns == 0)
        limits.head_timeout_ns = LW_HTTP_HEAD_TIMEOUT_S * LW_NS_PER_S;
    if (limits.body_timeout_ns == 0)
        limits.body_timeout_ns = LW_HTTP_BODY_TIMEOUT_S * LW_NS_PER_S;
    if (limits.idle_timeout_ns == 0)
        limits.idle_timeout_ns = LW_HTTP_IDLE_TIMEOUT_S * LW_NS_PER_S;
    if (limits.stall_timeout_ns == 0)
        limits.stall_timeout_ns = LW_HTTP_STALL_TIMEOUT_S * LW_NS_PER_S;
    return limits;
}

static lw_status make_pools(lw_http_server *server, const lw_http_server_options *options)
{
    server->pools = lw_alloc_zero(options->loop_count, sizeof(*server->pools));
    if (!server->pools)
        return LW_ERR_NOMEM;
    server->pool_count = options->loop_count;
    lw_status st = LW_OK;
    for (size_t i = 0; i < server->pool_count && st == LW_OK; i++) {
        lw_conn_pool *pool = &server->pools[i].pool;
        pool->loop = options->loops[i];
        pool->handler = options->handler;
        pool->limits = fill_limits(options->limits);
        pool->counts = &server->counts;
        pool->admission = &server->admission;
        pool->conn_gone = conn_gone;
        pool->owner = server;
        server->pools[i].draining.run = drain_pool;
        st = lw_conn_pool_init(pool);
    }
    return st;
}

lw_status lw_http_server_new(lw_http_server **out, const lw_http_server_options *options,
                             lw_error *err)
{
    assert(options->loop_count > 0 && options->handler.on_request);
    lw_http_server *server = lw_alloc_zero(1, sizeof(*server));
    if (!server)
        return lw_error_nomem(err);
    lw_ref_init(&server->refs);
    lw_mutex_init(&server->mu);
    lw_dlist_init(&server->listeners);
    server->accept_again.fire = accept_again;
    server->resuming.run = resume;
    server->drained_task.run = tell_drained;
    if (options->logger)
        server->logger = *options->logger;
    const lw_http_limits limits = fill_limits(options->limits);
    lw_conn_admission_init(&server->admission, limits.per_source, limits.descriptors,
                           &server->logger);
    if (make_pools(server, options) < 0) {
        server_unref(server);
        return lw_error_nomem(err);
    }
    *out = server;
    return LW_OK;
}

lw_status lw_http_server_listen(lw_http_server *server, lw_str address, lw_tls_context *tls,
                                uint16_t *port, lw_error *err)
{
    lw_address parsed;
    lw_listener *listener;
    lw_status st = lw_address_parse(&parsed, address, err);
    if (st == LW_OK)
        st = lw_listener_new(&listener, first_loop(server), &parsed, err);
    if (st < 0)
        return st;
    listener->tls = tls;
    listener->accepted = accepted;
    listener->has_room = has_room;
    listener->exhausted = exhausted;
    listener->owner = server;
    lw_dlist_push_back(&server->listeners, &listener->link);
    if (port)
        *port = listener->port;
    return LW_OK;
}

void lw_http_server_drain(lw_http_server *server, void (*drained)(void *arg), void *arg)
{
    lw_mutex_lock(&server->mu);
    bool is_first = !server->is_draining;
    if (is_first) {
        server->is_draining = true;
        server->pools_undrained = server->pool_count;
        server->drained = drained;
        server->drained_arg = arg;
    }
    lw_mutex_unlock(&server->mu);
    for (size_t i = 0; is_first && i < server->pool_count; i++)
        post(server, server->pools[i].pool.loop, &server->pools[i].draining);
}

void lw_http_server_free(lw_http_server *server)
{
    if (!server)
        return;
    stop_listening(server);
    for (size_t i = 0; i < server->pool_count; i++)
        server->pools[i].pool.is_stopped = true;
    for (size_t i = 0; i < server->pool_count; i++) {
        lw_conn_pool *pool = &server->pools[i].pool;
        lw_dlist_node *node;
        while ((node = lw_dlist_first(&pool->conns)) != NULL)
            lw_conn_free(LW_DLIST_ITEM(node, lw_conn, link));
    }
    server_unref(server);
}

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void lw_http_server_stats(const lw_http_server *server, lw_http_stats *stats)
{
    const lw_http_counts *counts = &server->counts;
    *stats = (lw_http_stats){
        .connections_open = read_count(&counts->open),
        .connections_accepted = read_count(&counts->accepted),
        .connections_evicted = read_count(&counts->evicted),
        .connections_refused = read_count(&counts->refused),
        .streams_open = read_count(&counts->streams),
        .requests = read_count(&counts->requests),
        .bytes_in = read_count(&counts->bytes_in),
        .bytes_out = read_count(&counts->bytes_out),
        .protocol_errors = read_count(&counts->protocol_errors),
        .timeouts = read_count(&counts->timeouts),
    };
}
