/* SPDX-License-Identifier: Apache-2.0 */
/* h1_internal.h -- the inside of HTTP/1.1, for h1*.c. */
#ifndef LW_NET_H1_INTERNAL_H
#define LW_NET_H1_INTERNAL_H

#include "base/dlist.h"
#include "net/conn.h"
#include "net/h1_parse.h"
#include "net/ws.h"

typedef enum lw_h1_stage {
    LW_H1_READING,   /* its body is not whole */
    LW_H1_ANSWERING, /* the handler owes a reply */
    LW_H1_STREAMING, /* the head of the reply is sent */
    LW_H1_UPGRADED,  /* the reply is a WebSocket */
    LW_H1_ENDED,     /* the reply is queued whole */
} lw_h1_stage;

typedef struct lw_h1 lw_h1;

typedef struct lw_h1_stream {
    lw_http_stream base;
    lw_h1 *h1;          /* NULL once it is closed */
    lw_dlist_node link; /* in h1->ended */
    lw_buf body;
    size_t body_max;
    lw_h1_stage stage;
    bool has_body;      /* the request has one */
    bool is_whole;      /* the request is in */
    bool keeps_alive;   /* the connection goes on after the reply */
    bool is_old;        /* HTTP/1.0: no chunks */
    bool sends_no_body; /* HEAD, 204, 304 */
    bool is_choked;     /* the queue was above LW_HTTP_QUEUE_HIGH */
    lw_http_header headers[];
} lw_h1_stream;

struct lw_h1 {
    lw_protocol base;
    lw_h1_parser parser;
    lw_h1_stream *current; /* the request that is read or answered */
    lw_dlist ended;        /* replies queued whole, not taken whole by the system */
    size_t ended_count;
    lw_buf held;     /* bytes behind the request at hand */
    lw_ws *ws;       /* once the connection is upgraded */
    bool ws_is_text; /* what its frames are */
    bool is_over;    /* what comes is dropped */
    bool is_draining;
    bool has_ended; /* the client sends no more */
    bool is_in_head;
};

/* Makes the stream of |head| the current one.  LW_ERR_NOMEM. */
lw_status lw_h1__stream_new(lw_h1 *h1, const lw_h1_head *head);

/* The stream is over for its handler: tells it, lets go of it. */
void lw_h1__stream_close(lw_h1_stream *stream);

/* Answers in the handler's stead, in plain text, and closes the connection after it. */
void lw_h1__refuse(lw_h1 *h1, int status, const char *reason);

/* Ends the connection's requests: what is queued is sent, what comes is dropped. */
void lw_h1__finish(lw_h1 *h1);

/* The upgrade to a WebSocket, a message on it, its end, and what the client says. */
lw_status lw_h1__upgrade(lw_h1_stream *stream, const lw_http_reply *reply);
lw_status lw_h1__send_frame(lw_h1 *h1, const lw_bytes *pieces, size_t count);
void lw_h1__close_frame(lw_h1 *h1, unsigned code);
lw_status lw_h1__feed_frames(lw_h1 *h1, const char *bytes, size_t len);

/* Appends reply headers as they go over the wire; line breaks in them become blanks. */
void lw_h1__write_headers(lw_buf *out, const lw_http_reply *reply);

/* Queues pieces one after the other; takes them, on error too. */
lw_status lw_h1__send_pieces(lw_h1 *h1, const lw_bytes *pieces, size_t count);

/* Queues what was written to |out| and leaves it empty. */
lw_status lw_h1__send_buf(lw_h1 *h1, lw_buf *out);

#endif
