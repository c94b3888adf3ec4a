/* SPDX-License-Identifier: Apache-2.0 */
/* conn.h -- a connection: socket, TLS if there is any, and the protocol spoken on it.
 *
 *     socket ─▶ [TLS] ─▶ protocol ─▶ streams ─▶ handler
 *     socket ◀─ [TLS] ◀─ send queue ◀─ protocol
 *
 * A connection belongs to its loop.  What is sent in one batch of the loop leaves in one system
 * call at its end.  Nothing here waits: what the client does not take stays in the queue, and the
 * protocol stops asking its streams for more. */
#ifndef LW_NET_CONN_H
#define LW_NET_CONN_H

#include "net/http.h"
#include "net/http_server.h"

enum {
    LW_CONN_QUEUE_MAX = 16 * 1024 * 1024, /* bytes queued, above which lw_conn_send gives up */
    LW_CONN_LINGER_BYTES = 1024 * 1024,   /* read and dropped after the last reply ... */
    LW_CONN_LINGER_S = 2,                 /* ... for so long, so that the client gets to read it */
};

typedef struct lw_conn lw_conn;
typedef struct lw_protocol lw_protocol;

/* What a connection is at, and so which timer bounds it. */
typedef enum lw_conn_phase {
    LW_CONN_IDLE, /* between requests */
    LW_CONN_HEAD,
    LW_CONN_BODY,
    LW_CONN_REPLY, /* no bound but the stall of its queue */
} lw_conn_phase;

/* What a protocol does with its connection.  All on the loop's thread. */
typedef struct lw_protocol_ops {
    /* Bytes came; all of them are consumed.  Any status but LW_OK: the connection is closed once
     * what is queued has been sent. */
    lw_status (*feed)(lw_protocol *protocol, const char *bytes, size_t len);
    /* The queue fell to LW_HTTP_QUEUE_LOW after it was above LW_HTTP_QUEUE_HIGH, or is empty: send
     * more, if there is more. */
    void (*writable)(lw_protocol *protocol);
    /* Takes no further requests; closes the connection when the last reply is complete. */
    void (*drain)(lw_protocol *protocol);
    /* True when no request is under way or partly read: the idle timer counts. */
    bool (*is_idle)(const lw_protocol *protocol);
    /* The connection is gone: closes its streams (lw_http_stream_closed) and frees itself. */
    void (*free)(lw_protocol *protocol);
    /* Optional.  The client will send no more.  True: a reply is still owed, the protocol will
     * finish; else, and without it, the connection is closed. */
    bool (*ended)(lw_protocol *protocol);
    /* Optional.  The head or the body took too long: says so and finishes; without it, the
     * connection is closed. */
    void (*timed_out)(lw_protocol *protocol, lw_conn_phase phase);
} lw_protocol_ops;

/* The first member of every protocol's struct. */
struct lw_protocol {
    const lw_protocol_ops *ops;
    lw_conn *conn;
};

/* Makes a protocol for |conn|; LW_ERR_NOMEM. */
lw_status lw_h1_new(lw_protocol **out, lw_conn *conn);
lw_status lw_h2_new(lw_protocol **out, lw_conn *conn);

/* Queues bytes; takes them, on error too.  LW_ERR_NOMEM, LW_ERR_LIMIT (more than LW_CONN_QUEUE_MAX
 * were queued before: somebody does not look at lw_conn_pending), LW_ERR_STOPPED (the connection is
 * gone or finishing); the connection is closed then, from the loop, not from within. */
lw_status lw_conn_send(lw_conn *conn, lw_bytes bytes);

/* The same for bytes that must be copied: frame headers, heads. */
lw_status lw_conn_send_copy(lw_conn *conn, const void *bytes, size_t len);

/* Bytes queued and not yet taken by the system. */
size_t lw_conn_pending(const lw_conn *conn);

/* Closes when the queue is sent.  Reads no more. */
void lw_conn_finish(lw_conn *conn);

/* Closes as soon as the loop's batch is over, whatever is queued. */
void lw_conn_abort(lw_conn *conn);

/* Stops and starts reading from the client (a pipeline that is full). */
void lw_conn_set_reading(lw_conn *conn, bool is_reading);

/* Restarts the timer that bounds the phase. */
void lw_conn_set_phase(lw_conn *conn, lw_conn_phase phase);

lw_loop *lw_conn_loop(const lw_conn *conn);
const lw_http_handler *lw_conn_handler(const lw_conn *conn);
const lw_http_peer *lw_conn_peer(const lw_conn *conn);
const lw_http_limits *lw_conn_limits(const lw_conn *conn); /* with the defaults filled in */
bool lw_conn_is_draining(const lw_conn *conn);

/* Counts for the server's statistics. */
void lw_conn_count_request(lw_conn *conn);
void lw_conn_count_stream(lw_conn *conn, int change);
void lw_conn_count_protocol_error(lw_conn *conn);

/* A value for the Date header, made anew each second; lives until the next batch. */
lw_str lw_conn_date(lw_conn *conn);

#endif
