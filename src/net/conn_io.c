/* SPDX-License-Identifier: Apache-2.0 */
/* conn_io.c -- between a connection's socket and its protocol: reading, TLS, detecting HTTP/1.1 or
 * HTTP/2, sending. */
#include <string.h>

#include "net/conn_internal.h"
#include "net/wire.h"

enum {
    FLUSH_MAX = 1024 * 1024, /* bytes sent to one client before other connections are served */
};

static const char preface[LW_CONN_PREFACE_LEN + 1] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static bool start_protocol(lw_conn *conn, bool is_h2)
{
    lw_status st = is_h2 ? lw_h2_new(&conn->protocol, conn) : lw_h1_new(&conn->protocol, conn);
    if (st < 0)
        lw_conn_abort(conn);
    else if (conn->pool->is_draining)
        conn->protocol->ops->drain(conn->protocol);
    return st == LW_OK && conn->stage == LW_CONN_OPEN;
}

static void hand_on(lw_conn *conn, const char *bytes, size_t len)
{
    if (conn->protocol->ops->feed(conn->protocol, bytes, len) != LW_OK)
        lw_conn_finish(conn);
}

/* Waits until the first bytes are the HTTP/2 preface or cannot become it (RFC 9113, 3.3: prior
 * knowledge).  Bytes that wait are those of the preface, so only their number is kept. */
static void detect(lw_conn *conn, const char *bytes, size_t len)
{
    size_t had = conn->preface_len;
    size_t more = len < LW_CONN_PREFACE_LEN - had ? len : LW_CONN_PREFACE_LEN - had;
    bool may_be = memcmp(preface + had, bytes, more) == 0;
    if (may_be && had + more < LW_CONN_PREFACE_LEN) {
        conn->preface_len = (uint8_t)(had + more);
        if (had == 0)
            lw_conn_set_phase(conn, LW_CONN_HEAD);
        return;
    }
    if (!start_protocol(conn, may_be))
        return;
    if (had > 0)
        hand_on(conn, preface, had);
    if (conn->stage == LW_CONN_OPEN)
        hand_on(conn, bytes, len);
}

static void take_bytes(lw_conn *conn, const char *bytes, size_t len)
{
    lw_count(&conn->pool->counts->bytes_in, len);
    if (conn->stage == LW_CONN_LINGERING) {
        conn->lingered += (uint32_t)len;
        if (conn->lingered > LW_CONN_LINGER_BYTES)
            lw_conn_abort(conn);
    } else if (conn->stage == LW_CONN_OPEN && conn->protocol) {
        hand_on(conn, bytes, len);
    } else if (conn->stage == LW_CONN_OPEN) {
        detect(conn, bytes, len);
    }
}

static void take_end(lw_conn *conn)
{
    conn->has_ended = true;
    conn->is_reading = false;
    if (conn->stage == LW_CONN_FINISHING)
        return;
    bool owes = conn->stage == LW_CONN_OPEN && conn->protocol && conn->protocol->ops->ended &&
                conn->protocol->ops->ended(conn->protocol);
    if (!owes)
        lw_conn_abort(conn);
}

/* The client uses http:// on an HTTPS port: replies with plain HTTP that says so. */
static void answer_plain(lw_conn *conn)
{
    static const lw_str reply =
        LW_STR_INIT("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                    "Content-Length: 49\r\nConnection: close\r\n\r\n"
                    "client sent an HTTP request to an HTTPS server.\r\n");
    lw_tls_stream_free(conn->tls);
    conn->tls = NULL;
    lw_conn_count_protocol_error(conn);
    (void)lw_conn_send(conn, lw_bytes_static(reply));
    lw_conn_finish(conn);
}

/* True if the connection can be read from. */
static bool handshake(lw_conn *conn)
{
    lw_tls_result result = lw_tls_stream_handshake(conn->tls);
    conn->is_blocked = result == LW_TLS_WANTS_WRITE;
    if (result == LW_TLS_WANTS_READ || result == LW_TLS_WANTS_WRITE)
        return false;
    conn->is_handshaking = false;
    if (result == LW_TLS_PLAIN) {
        answer_plain(conn);
        return false;
    }
    if (result == LW_TLS_FAILED)
        lw_conn_count_protocol_error(conn);
    if (result != LW_TLS_OK || lw_tls_stream_peer(conn->tls, &conn->peer) < 0) {
        lw_conn_abort(conn);
        return false;
    }
    if (conn->peer.is_verified)
        lw_conn_set_authenticated(conn);
    lw_tls_stream_lighten(conn->tls, &conn->pool->tls);
    lw_conn_set_phase(conn, LW_CONN_IDLE);
    return start_protocol(conn, lw_tls_stream_is_h2(conn->tls));
}

void lw_conn__read(lw_conn *conn)
{
    if (conn->is_handshaking && !handshake(conn))
        return;
    /* Reads a plain socket once, for fairness: epoll reports the rest again.  TLS may have buffered
     * bytes that epoll does not know of. */
    do {
        size_t got = 0;
        lw_tls_result result =
            lw_wire_read(conn->io.fd, conn->tls, conn->pool->read, LW_CONN_POOL_READ_SIZE, &got);
        if (result == LW_TLS_OK)
            take_bytes(conn, conn->pool->read, got);
        else if (result == LW_TLS_CLOSED)
            take_end(conn);
        else if (result == LW_TLS_FAILED)
            lw_conn_abort(conn);
        if (result != LW_TLS_OK)
            return;
    } while (conn->tls && conn->is_reading && conn->stage != LW_CONN_DEAD &&
             lw_tls_stream_has_more(conn->tls));
}

void lw_conn__flush(lw_conn *conn)
{
    size_t before = conn->queue.pending;
    conn->is_blocked = false;
    while (conn->queue.pending > 0) {
        if (before - conn->queue.pending > FLUSH_MAX) {
            conn->is_blocked = true;
            break;
        }
        size_t sent = 0;
        lw_tls_result result = lw_wire_write(conn->io.fd, conn->tls, &conn->queue,
                                             conn->pool->gather, LW_CONN_POOL_GATHER_SIZE, &sent);
        if (result == LW_TLS_OK) {
            lw_conn_queue_take(&conn->queue, sent);
            continue;
        }
        /* If TLS needs to read first, any event leads back here. */
        if (result == LW_TLS_WANTS_READ || result == LW_TLS_WANTS_WRITE)
            conn->is_blocked = result == LW_TLS_WANTS_WRITE;
        else
            lw_conn_abort(conn);
        break;
    }
    size_t sent = before - conn->queue.pending;
    if (sent == 0)
        return;
    lw_count(&conn->pool->counts->bytes_out, sent);
    conn->has_sent = true;
    conn->stall_deadline = 0;
}
