/* SPDX-License-Identifier: Apache-2.0 */
/* conn.h -- a connection: socket, optional TLS, and the protocol on it.
 *
 *     socket ─▶ [TLS] ─▶ protocol ─▶ streams ─▶ handler
 *     socket ◀─ [TLS] ◀─ send queue ◀─ protocol
 *
 * A connection belongs to its loop.  What is sent during one batch of the loop is written with one
 * system call at its end.  Nothing blocks: data that the client does not read stays in the queue,
 * and the protocol stops asking its streams for more. */
#ifndef LW_NET_CONN_H
#define LW_NET_CONN_H

#include "net/http.h"
#include "net/http_server.h"

enum {
    LW_CONN_QUEUE_MAX = 16 * 1024 * 1024, /* limit of queued bytes for lw_conn_send */
    LW_CONN_TURN_REQUESTS = 16,           /* requests of one connection in one batch of the loop */
    LW_CONN_LINGER_BYTES = 1024 * 1024,   /* bytes read and dropped after the last reply ... */
    LW_CONN_LINGER_S = 2, /* ... and for how long, so that the client can read the reply */
};

typedef struct lw_conn lw_conn;
typedef struct lw_protocol lw_protocol;

/* The phase of a connection, which determines its timeout. */
typedef enum lw_conn_phase {
    LW_CONN_IDLE, /* between requests */
    LW_CONN_HEAD,
    LW_CONN_BODY,
    LW_CONN_REPLY, /* no timeout except for a stalled queue */
    LW_CONN_HANDSHAKE,
} lw_conn_phase;

/* The operations of a protocol.  All run on the loop's thread. */
typedef struct lw_protocol_ops {
    /* Consumes all received bytes.  After an error, the connection is closed once the queue is
     * sent. */
    lw_status (*feed)(lw_protocol *protocol, const char *bytes, size_t len);
    /* The queue is empty, or has fallen to LW_HTTP_QUEUE_LOW after it was above LW_HTTP_QUEUE_HIGH:
     * send more, if there is more. */
    void (*writable)(lw_protocol *protocol);
    /* Accepts no further requests; closes the connection when the last reply is complete. */
    void (*drain)(lw_protocol *protocol);
    /* True if no request is in progress or partly read: the idle timeout applies. */
    bool (*is_idle)(const lw_protocol *protocol);
    /* The connection has closed: closes its streams (lw_http_stream_closed) and frees itself. */
    void (*free)(lw_protocol *protocol);
    /* Optional.  The client has shut down its side.  True: a reply is still due and the protocol
     * will finish; otherwise, and if it is NULL, the connection is closed. */
    bool (*ended)(lw_protocol *protocol);
    /* Optional.  The headers or the body took too long: replies with an error and finishes; if it
     * is NULL, the connection is closed. */
    void (*timed_out)(lw_protocol *protocol, lw_conn_phase phase);
    /* The connection has its turn again, after lw_conn_has_turn was false. */
    void (*next_turn)(lw_protocol *protocol);
} lw_protocol_ops;

/* The first member of every protocol's struct. */
struct lw_protocol {
    const lw_protocol_ops *ops;
    lw_conn *conn;
};

/* Creates a protocol for |conn|; LW_ERR_NOMEM. */
lw_status lw_h1_new(lw_protocol **out, lw_conn *conn);
lw_status lw_h2_new(lw_protocol **out, lw_conn *conn);

/* Queues bytes; takes ownership, even on error.  LW_ERR_NOMEM, LW_ERR_LIMIT (more than
 * LW_CONN_QUEUE_MAX were already queued: the caller ignores lw_conn_pending), LW_ERR_STOPPED (the
 * connection is closed or finishing); on error the connection is closed later, by the loop. */
lw_status lw_conn_send(lw_conn *conn, lw_bytes bytes);

/* Queues a copy of bytes, for frame headers and reply headers. */
lw_status lw_conn_send_copy(lw_conn *conn, const void *bytes, size_t len);

/* Returns the number of queued bytes that are not yet written to the socket. */
size_t lw_conn_pending(const lw_conn *conn);

/* Closes the connection when the queue is sent.  Stops reading. */
void lw_conn_finish(lw_conn *conn);

/* Closes the connection at the end of the batch, whatever is queued. */
void lw_conn_abort(lw_conn *conn);

/* Stops or starts reading from the client, for flow control. */
void lw_conn_set_reading(lw_conn *conn, bool is_reading);

/* True if another request of this connection may be passed to the handler in this batch.  False:
 * next_turn is called in the next batch, after other connections had their turn. */
bool lw_conn_has_turn(lw_conn *conn);

/* Counts a request that is passed to the handler. */
void lw_conn_use_turn(lw_conn *conn);

/* Sets the phase and restarts its timeout. */
void lw_conn_set_phase(lw_conn *conn, lw_conn_phase phase);

lw_loop *lw_conn_loop(const lw_conn *conn);
const lw_http_handler *lw_conn_handler(const lw_conn *conn);
const lw_peer *lw_conn_peer(const lw_conn *conn);
const lw_http_limits *lw_conn_limits(const lw_conn *conn); /* with the defaults filled in */
bool lw_conn_is_draining(const lw_conn *conn);

/* The client has authenticated: the connection is not closed to make room for others. */
void lw_conn_set_authenticated(lw_conn *conn);

/* Update the server's statistics. */
void lw_conn_count_request(lw_conn *conn);
void lw_conn_count_stream(lw_conn *conn, int change);
void lw_conn_count_protocol_error(lw_conn *conn);

/* Returns a value for the Date header, updated once per second; valid until the next batch. */
lw_str lw_conn_date(lw_conn *conn);

#endif
