/* SPDX-License-Identifier: Apache-2.0 */
/* conn_internal.h -- the inside of a connection, for conn*.c and the server that makes them. */
#ifndef LW_NET_CONN_INTERNAL_H
#define LW_NET_CONN_INTERNAL_H

#include "net/address.h"
#include "net/conn.h"
#include "net/conn_pool.h"
#include "net/conn_queue.h"
#include "net/tls_stream.h"

enum {
    LW_CONN_PREFACE_LEN = 24, /* of HTTP/2 */
};

/*  OPEN ──lw_conn_finish──▶ FINISHING ──queue sent──▶ LINGERING ──client closes, or time──▶ DEAD
 *    └─────────────────────────┴──lw_conn_abort, error──────────────────────────────────────▲  */
typedef enum lw_conn_stage {
    LW_CONN_OPEN,
    LW_CONN_FINISHING,
    LW_CONN_LINGERING,
    LW_CONN_DEAD, /* freed at the end of the batch */
} lw_conn_stage;

struct lw_conn {
    lw_conn_pool *pool;
    lw_dlist_node link; /* in pool->conns */
    lw_io io;
    lw_timer timer;
    lw_task settling; /* queued while there is something to send or to decide */
    lw_protocol *protocol;
    lw_tls_stream *tls; /* NULL: plain */
    lw_conn_queue queue;
    int64_t phase_deadline; /* 0: none */
    int64_t stall_deadline; /* 0: nothing waits */
    size_t lingered;        /* bytes read and dropped */
    lw_conn_stage stage;
    lw_conn_phase phase;
    bool is_added; /* to the loop */
    bool is_reading;
    bool is_settling; /* inside of settle: no need to queue it */
    bool is_handshaking;
    bool is_blocked; /* the system took less than there was */
    bool was_high;   /* pending was above LW_HTTP_QUEUE_HIGH and has not fallen since */
    bool has_sent;   /* since the protocol was last told that the queue is empty */
    bool has_ended;  /* the client sends no more */
    unsigned char preface_len;
    char preface[LW_CONN_PREFACE_LEN]; /* the first bytes, until they tell the protocol */
    lw_http_peer peer;
    char address[LW_ADDRESS_SIZE];
};

/* Makes a connection of the socket |fd|, which it closes in the end, on error too.  Any thread;
 * it belongs to |pool| from here on.  LW_ERR_NOMEM. */
lw_status lw_conn_new(lw_conn **out, lw_conn_pool *pool, int fd, lw_tls_context *tls,
                      lw_str address);

/* Begins to work, on the pool's thread; any thread hands it over there.  The connection is freed
 * when it cannot. */
void lw_conn_start(lw_conn *conn);
void lw_conn_hand_over(lw_conn *conn);

/* Takes no further request. */
void lw_conn_drain(lw_conn *conn);

/* Frees it at once: from the end of a batch, or when the loop does not run. */
void lw_conn_free(lw_conn *conn);

/* Sees to it that settle runs at the end of the batch. */
void lw_conn__settle_soon(lw_conn *conn);

/* Reads what there is and hands it on. */
void lw_conn__read(lw_conn *conn);

/* Sends as much as the system takes; marks the connection dead when it fails. */
void lw_conn__flush(lw_conn *conn);

#endif
