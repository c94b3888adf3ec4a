/* SPDX-License-Identifier: Apache-2.0 */
/* h1_internal.h -- internals of HTTP/1.1, for h1*.c. */
#ifndef LW_NET_H1_H1_INTERNAL_H
#define LW_NET_H1_H1_INTERNAL_H

#include "base/dlist.h"
#include "net/conn.h"
#include "net/h1/h1_parse.h"
#include "net/h1/ws.h"

typedef enum lw_h1_stage {
    LW_H1_READING,   /* its body is not complete */
    LW_H1_ANSWERING, /* the handler has not replied yet */
    LW_H1_STREAMING, /* the reply headers are sent */
    LW_H1_UPGRADED,  /* the reply is a WebSocket */
    LW_H1_TUNNEL,    /* the connection carries another protocol, which only the handler knows */
    LW_H1_ENDED,     /* the reply is queued completely */
} lw_h1_stage;

typedef struct lw_h1 lw_h1;

typedef struct lw_h1_stream {
    lw_http_stream base;
    lw_h1 *h1;          /* NULL once it is closed */
    lw_dlist_node link; /* in h1->ended */
    lw_buf body;        /* its limit is the size that the handler accepts */
    uint8_t stage;      /* lw_h1_stage */
    bool has_body;      /* the request has a body */
    bool is_whole;      /* the request is complete */
    bool keeps_alive;   /* the connection stays open after the reply */
    bool is_old;        /* HTTP/1.0: no chunks */
    bool sends_no_body; /* HEAD, 204, 304 */
    bool is_choked;     /* the queue was above LW_HTTP_QUEUE_HIGH */
    lw_http_header headers[];
} lw_h1_stream;

struct lw_h1 {
    lw_protocol base;
    lw_h1_parser parser;
    lw_h1_stream *current; /* the request that is being read or answered */
    lw_dlist ended;        /* replies that are queued completely but not sent completely */
    size_t ended_count;
    lw_buf held;     /* input after the current request */
    lw_ws *ws;       /* set after the upgrade */
    bool ws_is_text; /* whether frames are text or binary */
    bool is_over;    /* further input is dropped */
    bool is_draining;
    bool has_ended; /* the client has shut down its side */
    bool is_in_head;
};

/* Creates the stream for |head| and makes it current.  LW_ERR_NOMEM. */
lw_status lw_h1__stream_new(lw_h1 *h1, const lw_h1_head *head);

/* Closes the stream: notifies its handler and releases it. */
void lw_h1__stream_close(lw_h1_stream *stream);

/* Replies with plain text instead of the handler, and closes the connection afterwards. */
void lw_h1__refuse(lw_h1 *h1, int status, const char *reason);

/* Ends the connection's requests: the queue is sent, further input is dropped. */
void lw_h1__finish(lw_h1 *h1);

/* The upgrade to a WebSocket, a message on it, its end, and input from the client. */
lw_status lw_h1__upgrade(lw_h1_stream *stream, const lw_http_reply *reply);
lw_status lw_h1__send_frame(lw_h1 *h1, const lw_bytes *pieces, size_t count);
void lw_h1__close_frame(lw_h1 *h1, unsigned code);
lw_status lw_h1__feed_frames(lw_h1 *h1, const char *bytes, size_t len);

/* h1_tunnel.c -- the upgrade to a tunnel, and input from the client. */
lw_status lw_h1__open_tunnel(lw_http_stream *base, const lw_http_reply *reply);
void lw_h1__set_tunnel_reading(lw_http_stream *base, bool is_reading);
void lw_h1__feed_tunnel(lw_h1 *h1, lw_str bytes);

/* Appends reply headers in wire format; line breaks in them become spaces. */
void lw_h1__write_headers(lw_buf *out, const lw_http_reply *reply);

/* Queues pieces one after the other; takes ownership, even on error. */
lw_status lw_h1__send_pieces(lw_h1 *h1, const lw_bytes *pieces, size_t count);

/* Queues the content of |out| and empties it. */
lw_status lw_h1__send_buf(lw_h1 *h1, lw_buf *out);

#endif
