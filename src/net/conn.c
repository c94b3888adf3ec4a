/* SPDX-License-Identifier: Apache-2.0 */
/* conn.c -- the lifecycle of a connection: its stages, its timer, and the functions for protocols.
 *
 * Events during a batch only change the connection's state and queue |settling|; at the end of the
 * batch settle() sends, calls the protocol, moves to the next stage and frees.  So the connection
 * is never freed while code still uses it. */
#include "net/conn.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "net/conn_internal.h"

enum {
    SETTLE_ROUNDS = 4, /* rounds of sending and refilling before other connections are served */
};

static void settle(lw_task *task);
static void run_next_turn(lw_task *task);
static void timer_fired(lw_timer *timer);

static void io_ready(lw_io *io, unsigned events)
{
    lw_conn *conn = LW_CONTAINER_OF(io, lw_conn, io);
    bool wants_read = conn->stage == LW_CONN_LINGERING || conn->is_reading;
    if (events & LW_IO_WRITE)
        conn->is_blocked = false;
    if ((events & LW_IO_READ) || ((events & LW_IO_WRITE) && conn->is_handshaking))
        lw_conn__read(conn);
    else if ((events & LW_IO_GONE) && !wants_read)
        lw_conn_abort(conn); /* reading is off, so epoll would report the error again and again */
    else if (events & LW_IO_GONE)
        lw_conn__read(conn);
    lw_conn__settle_soon(conn);
}

lw_status lw_conn_new(lw_conn **out, lw_conn_pool *pool, int fd, lw_tls_context *tls,
                      lw_str address)
{
    lw_conn *conn = lw_alloc_zero(1, sizeof(*conn) + address.len);
    if (!conn) {
        close(fd);
        return LW_ERR_NOMEM;
    }
    conn->pool = pool;
    conn->io = (lw_io){ .fd = fd, .wanted = LW_IO_READ, .ready = io_ready };
    conn->timer.fire = timer_fired;
    conn->settling.run = settle;
    conn->next_turn.run = run_next_turn;
    conn->is_reading = true;
    lw_conn_queue_init(&conn->queue);
    memcpy(conn->address, address.ptr, address.len);
    conn->peer.address = lw_str_make(conn->address, address.len);
    if (tls) {
        lw_status st = lw_tls_stream_new(&conn->tls, tls, fd);
        if (st < 0) {
            close(fd);
            lw_free(conn);
            return st;
        }
        conn->is_handshaking = true;
    }
    *out = conn;
    return LW_OK;
}

void lw_conn_start(lw_conn *conn)
{
    if (conn->pool->is_stopped) {
        lw_conn_free(conn);
        return;
    }
    lw_dlist_push_back(&conn->pool->conns, &conn->link);
    conn->is_added = lw_loop_add(conn->pool->loop, &conn->io, NULL) == LW_OK;
    lw_conn_set_phase(conn, conn->is_handshaking ? LW_CONN_HANDSHAKE : LW_CONN_IDLE);
    if (!conn->is_added || conn->pool->is_draining)
        lw_conn_abort(conn);
    lw_conn__settle_soon(conn);
}

static void start_here(lw_task *task)
{
    lw_conn *conn = LW_DLIST_ITEM(&task->link, lw_conn, settling.link);
    conn->settling.run = settle;
    lw_conn_start(conn);
}

void lw_conn_hand_over(lw_conn *conn)
{
    conn->settling.run = start_here;
    lw_loop_post(conn->pool->loop, &conn->settling);
}

void lw_conn_free(lw_conn *conn)
{
    lw_conn_pool *pool = conn->pool;
    lw_conn_admission_remove(pool->admission, &conn->admission);
    conn->stage = LW_CONN_DEAD;
    conn->is_settling = true; /* closing streams must not queue it again */
    if (conn->protocol)
        conn->protocol->ops->free(conn->protocol);
    if (lw_dlist_node_is_linked(&conn->settling.link))
        lw_dlist_remove(&conn->settling.link);
    if (lw_dlist_node_is_linked(&conn->next_turn.link))
        lw_dlist_remove(&conn->next_turn.link);
    if (lw_dlist_node_is_linked(&conn->link))
        lw_dlist_remove(&conn->link);
    lw_timer_cancel(pool->loop, &conn->timer);
    if (conn->is_added)
        lw_loop_remove(pool->loop, &conn->io);
    lw_tls_stream_free(conn->tls);
    close(conn->io.fd);
    lw_conn_queue_done(&conn->queue);
    lw_free(conn);
    pool->conn_gone(pool);
}

void lw_conn_drain(lw_conn *conn)
{
    if (conn->stage != LW_CONN_OPEN)
        return;
    if (conn->protocol)
        conn->protocol->ops->drain(conn->protocol);
    else
        lw_conn_abort(conn);
}

void lw_conn__settle_soon(lw_conn *conn)
{
    if (!conn->is_settling && !lw_dlist_node_is_linked(&conn->settling.link))
        lw_loop_defer(conn->pool->loop, &conn->settling);
}

/* True if the protocol may send more. */
static bool may_refill(const lw_conn *conn)
{
    if (!conn->protocol || conn->stage == LW_CONN_DEAD)
        return false;
    return (conn->has_sent && conn->queue.pending == 0) ||
           (conn->was_high && conn->queue.pending <= LW_HTTP_QUEUE_LOW);
}

/* All is sent: shuts the socket down for writing and waits for the client to close.  Closing with
 * unread input would make the system discard data that the client has not read yet. */
static void start_lingering(lw_conn *conn)
{
    if (conn->protocol)
        conn->protocol->ops->free(conn->protocol);
    conn->protocol = NULL;
    if (conn->tls)
        lw_tls_stream_shutdown(conn->tls);
    /* Further input is dropped. */
    lw_tls_stream_free(conn->tls);
    conn->tls = NULL;
    conn->is_handshaking = false;
    if (shutdown(conn->io.fd, SHUT_WR) < 0 || conn->has_ended) {
        conn->stage = LW_CONN_DEAD;
        return;
    }
    conn->stage = LW_CONN_LINGERING;
    conn->phase_deadline = lw_loop_now(conn->pool->loop) + LW_CONN_LINGER_S * LW_NS_PER_S;
}

static void update_wanted(lw_conn *conn)
{
    unsigned wanted = 0;
    if (conn->stage == LW_CONN_LINGERING || (conn->stage == LW_CONN_OPEN && conn->is_reading))
        wanted |= LW_IO_READ;
    if (conn->is_blocked || may_refill(conn))
        wanted |= LW_IO_WRITE;
    lw_loop_change(conn->pool->loop, &conn->io, wanted);
}

/* A timer that fires early is cheaper than one that is moved with each deadline. */
static void update_timer(lw_conn *conn)
{
    if (conn->queue.pending > 0 && conn->stall_deadline == 0)
        conn->stall_deadline = lw_loop_now(conn->pool->loop) + conn->pool->limits.stall_timeout_ns;
    if (conn->queue.pending == 0)
        conn->stall_deadline = 0;
    int64_t deadline = conn->phase_deadline;
    if (deadline == 0 || (conn->stall_deadline != 0 && conn->stall_deadline < deadline))
        deadline = conn->stall_deadline;
    if (deadline == 0)
        return;
    bool is_set = lw_heap_node_is_in(&conn->timer.node);
    if (is_set && conn->timer.deadline_ns <= deadline)
        return;
    if (lw_timer_set(conn->pool->loop, &conn->timer, deadline) < 0)
        lw_conn_abort(conn);
}

static void send_and_refill(lw_conn *conn)
{
    for (int round = 0; round < SETTLE_ROUNDS; round++) {
        if (conn->queue.pending > 0 && !conn->is_blocked && conn->stage != LW_CONN_DEAD)
            lw_conn__flush(conn);
        if (!may_refill(conn))
            return;
        conn->was_high = conn->has_sent = false;
        conn->protocol->ops->writable(conn->protocol);
    }
    /* There is more, but other connections are served first: the next batch continues. */
    conn->is_blocked = conn->queue.pending > 0;
}

static void settle(lw_task *task)
{
    lw_conn *conn = LW_DLIST_ITEM(&task->link, lw_conn, settling.link);
    conn->is_settling = true;
    send_and_refill(conn);
    if (conn->tls && conn->is_reading && conn->stage == LW_CONN_OPEN && !conn->is_handshaking &&
        lw_tls_stream_has_more(conn->tls))
        lw_conn__read(conn);
    if (conn->stage == LW_CONN_FINISHING && conn->queue.pending == 0)
        start_lingering(conn);
    if (conn->stage != LW_CONN_DEAD)
        update_timer(conn);
    if (conn->stage == LW_CONN_DEAD) {
        lw_conn_free(conn);
        return;
    }
    update_wanted(conn);
    /* Most connections are watches, which send nothing for a long time. */
    lw_conn_queue_trim(&conn->queue, &conn->pool->queues);
    conn->is_settling = false;
}

static void phase_is_over(lw_conn *conn)
{
    lw_protocol *protocol = conn->protocol;
    conn->phase_deadline = 0;
    if (conn->stage == LW_CONN_LINGERING) {
        lw_conn_abort(conn);
        return;
    }
    if (conn->phase == LW_CONN_IDLE) {
        if (!protocol || protocol->ops->is_idle(protocol))
            lw_conn_finish(conn);
        return;
    }
    lw_count(&conn->pool->counts->timeouts, 1);
    if (conn->phase == LW_CONN_HANDSHAKE)
        lw_conn_abort(conn);
    else if (protocol && protocol->ops->timed_out)
        protocol->ops->timed_out(protocol, conn->phase);
    else
        lw_conn_finish(conn);
}

static void timer_fired(lw_timer *timer)
{
    lw_conn *conn = LW_CONTAINER_OF(timer, lw_conn, timer);
    int64_t now = lw_loop_now(conn->pool->loop);
    if (conn->stall_deadline != 0 && conn->stall_deadline <= now) {
        lw_count(&conn->pool->counts->timeouts, 1);
        lw_conn_abort(conn);
    } else if (conn->phase_deadline != 0 && conn->phase_deadline <= now) {
        phase_is_over(conn);
    }
    lw_conn__settle_soon(conn);
}

static lw_status after_push(lw_conn *conn, lw_status st)
{
    if (st < 0) {
        lw_conn_abort(conn);
        return st;
    }
    if (conn->queue.pending > LW_HTTP_QUEUE_HIGH)
        conn->was_high = true;
    lw_conn__settle_soon(conn);
    return LW_OK;
}

/* Returns LW_OK if more may be queued. */
static lw_status make_room(lw_conn *conn)
{
    if (conn->stage != LW_CONN_OPEN)
        return LW_ERR_STOPPED;
    if (conn->queue.pending > LW_CONN_QUEUE_MAX)
        return LW_ERR_LIMIT;
    lw_conn_queue_borrow(&conn->queue, &conn->pool->queues);
    return LW_OK;
}

lw_status lw_conn_send(lw_conn *conn, lw_bytes bytes)
{
    lw_status st = make_room(conn);
    if (st == LW_OK)
        return after_push(conn, lw_conn_queue_push(&conn->queue, bytes));
    lw_bytes_release(bytes);
    if (st == LW_ERR_LIMIT)
        lw_conn_abort(conn);
    return st;
}

lw_status lw_conn_send_copy(lw_conn *conn, const void *bytes, size_t len)
{
    lw_status st = make_room(conn);
    if (st == LW_OK)
        return after_push(conn, lw_conn_queue_push_copy(&conn->queue, bytes, len));
    if (st == LW_ERR_LIMIT)
        lw_conn_abort(conn);
    return st;
}

size_t lw_conn_pending(const lw_conn *conn)
{
    return conn->queue.pending;
}

void lw_conn_finish(lw_conn *conn)
{
    if (conn->stage != LW_CONN_OPEN)
        return;
    conn->stage = LW_CONN_FINISHING;
    conn->phase_deadline = 0;
    lw_conn__settle_soon(conn);
}

void lw_conn_abort(lw_conn *conn)
{
    conn->stage = LW_CONN_DEAD;
    lw_conn__settle_soon(conn);
}

void lw_conn_set_reading(lw_conn *conn, bool is_reading)
{
    if (conn->has_ended || conn->is_reading == is_reading)
        return;
    conn->is_reading = is_reading;
    lw_conn__settle_soon(conn);
}

void lw_conn_set_phase(lw_conn *conn, lw_conn_phase phase)
{
    const lw_http_limits *limits = &conn->pool->limits;
    const int64_t bounds[] = {
        [LW_CONN_HANDSHAKE] = limits->handshake_timeout_ns,
        [LW_CONN_IDLE] = limits->idle_timeout_ns,
        [LW_CONN_HEAD] = limits->head_timeout_ns,
        [LW_CONN_BODY] = limits->body_timeout_ns,
        [LW_CONN_REPLY] = 0,
    };
    int64_t bound = bounds[phase];
    if (conn->stage != LW_CONN_OPEN)
        return;
    if (phase == LW_CONN_IDLE && !conn->has_asked && limits->handshake_timeout_ns < bound)
        bound = limits->handshake_timeout_ns;
    conn->phase = (uint8_t)phase;
    conn->phase_deadline = bound ? lw_loop_now(conn->pool->loop) + bound : 0;
    lw_conn__settle_soon(conn);
}

static void run_next_turn(lw_task *task)
{
    lw_conn *conn = LW_CONTAINER_OF(task, lw_conn, next_turn);
    if (conn->stage == LW_CONN_OPEN && conn->protocol)
        conn->protocol->ops->next_turn(conn->protocol);
    lw_conn__settle_soon(conn);
}

bool lw_conn_has_turn(lw_conn *conn)
{
    if (conn->turn != lw_loop_batch(conn->pool->loop) || conn->turn_used < LW_CONN_TURN_REQUESTS)
        return true;
    if (!lw_dlist_node_is_linked(&conn->next_turn.link))
        lw_loop_later(conn->pool->loop, &conn->next_turn);
    return false;
}

void lw_conn_use_turn(lw_conn *conn)
{
    uint64_t batch = lw_loop_batch(conn->pool->loop);
    if (conn->turn != batch)
        conn->turn_used = 0;
    if (conn->turn_used < LW_CONN_TURN_REQUESTS)
        conn->turn_used++;
    conn->turn = batch;
}

lw_loop *lw_conn_loop(const lw_conn *conn)
{
    return conn->pool->loop;
}

const lw_http_handler *lw_conn_handler(const lw_conn *conn)
{
    return &conn->pool->handler;
}

const lw_peer *lw_conn_peer(const lw_conn *conn)
{
    return &conn->peer;
}

const lw_http_limits *lw_conn_limits(const lw_conn *conn)
{
    return &conn->pool->limits;
}

bool lw_conn_is_draining(const lw_conn *conn)
{
    return conn->pool->is_draining;
}

void lw_conn_set_authenticated(lw_conn *conn)
{
    if (conn->is_authenticated)
        return;
    conn->is_authenticated = true;
    lw_conn_admission_authenticated(conn->pool->admission, &conn->admission);
}

void lw_conn_count_request(lw_conn *conn)
{
    conn->has_asked = true;
    lw_count(&conn->pool->counts->requests, 1);
}

void lw_conn_count_stream(lw_conn *conn, int change)
{
    /* Unsigned arithmetic wraps: adding -1 subtracts one. */
    lw_count(&conn->pool->counts->streams, (uint64_t)(int64_t)change);
}

void lw_conn_count_protocol_error(lw_conn *conn)
{
    lw_count(&conn->pool->counts->protocol_errors, 1);
}

lw_str lw_conn_date(lw_conn *conn)
{
    return lw_conn_pool_date(conn->pool);
}
