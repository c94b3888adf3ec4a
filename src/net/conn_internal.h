/* SPDX-License-Identifier: Apache-2.0 */
/* conn_internal.h -- internals of a connection, for conn*.c and the server that creates them. */
#ifndef LW_NET_CONN_INTERNAL_H
#define LW_NET_CONN_INTERNAL_H

#include "net/conn.h"
#include "net/conn_pool.h"
#include "net/conn_queue.h"
#include "net/tls/tls_stream.h"

enum {
    LW_CONN_PREFACE_LEN = 24, /* length of the HTTP/2 preface */
};

/* OPEN ──lw_conn_finish──▶ FINISHING ──queue sent──▶ LINGERING ──client closes, timeout──▶ DEAD
 *    └─────────────────────────┴──lw_conn_abort, error────────────────────────────────────▲ */
typedef enum lw_conn_stage {
    LW_CONN_OPEN,
    LW_CONN_FINISHING,
    LW_CONN_LINGERING,
    LW_CONN_DEAD, /* freed at the end of the batch */
} lw_conn_stage;

/* Kept small: there may be a hundred thousand, most of them idle. */
struct lw_conn {
    lw_conn_pool *pool;
    lw_dlist_node link; /* in pool->conns */
    lw_conn_entry admission;
    lw_io io;
    lw_timer timer;
    lw_task settling;  /* queued while there is something to send or to decide */
    lw_task next_turn; /* in the loop's next batch, if requests wait for their turn */
    uint64_t turn;     /* the batch in which requests were last dispatched */
    lw_protocol *protocol;
    lw_tls_stream *tls; /* NULL: plain HTTP */
    lw_conn_queue queue;
    int64_t phase_deadline; /* 0: none */
    int64_t stall_deadline; /* 0: nothing is queued */
    uint32_t lingered;      /* bytes read and dropped, at most one read above the limit */
    uint8_t turn_used;      /* requests dispatched in |turn|, up to LW_CONN_TURN_REQUESTS */
    uint8_t stage;          /* lw_conn_stage */
    uint8_t phase;          /* lw_conn_phase */
    uint8_t preface_len;    /* bytes of the HTTP/2 preface, until the protocol is known */
    bool is_added;          /* added to the loop */
    bool is_reading;
    bool is_settling; /* inside settle: need not be queued */
    bool is_handshaking;
    bool is_blocked; /* the socket did not accept all bytes */
    bool was_high;   /* pending was above LW_HTTP_QUEUE_HIGH and has not fallen since */
    bool has_sent;   /* since the protocol was last notified of an empty queue */
    bool has_ended;  /* the client has shut down its side */
    bool has_asked;  /* there was a request */
    bool is_authenticated;
    lw_peer peer;
    char address[]; /* peer.address */
};

/* Creates a connection for the socket |fd|, which it takes over, even on error.  Any thread; it
 * then belongs to |pool|.  LW_ERR_NOMEM. */
lw_status lw_conn_new(lw_conn **out, lw_conn_pool *pool, int fd, lw_tls_context *tls,
                      lw_str address);

/* Starts the connection on the pool's thread; lw_conn_hand_over does so from any thread.  On
 * failure the connection is freed. */
void lw_conn_start(lw_conn *conn);
void lw_conn_hand_over(lw_conn *conn);

/* Accepts no further requests. */
void lw_conn_drain(lw_conn *conn);

/* Frees the connection at once: at the end of a batch, or when the loop does not run. */
void lw_conn_free(lw_conn *conn);

/* Makes settle run at the end of the batch. */
void lw_conn__settle_soon(lw_conn *conn);

/* Reads the available input and passes it on. */
void lw_conn__read(lw_conn *conn);

/* Sends as much as the socket accepts; marks the connection dead on failure. */
void lw_conn__flush(lw_conn *conn);

#endif
