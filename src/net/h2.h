/* SPDX-License-Identifier: Apache-2.0 */
/* h2.h -- HTTP/2 (RFC 9113), a server's side, by nghttp2: what its files share.
 *
 *     conn ─feed──▶ h2.c ─mem_recv─▶ h2_request.c ─▶ handler
 *     conn ◀─send── h2_send.c ◀─mem_send─ nghttp2 ◀─submit, resume─ h2_stream.c ◀─ handler
 *
 * nghttp2 frames, compresses, counts windows and shares the connection among the streams; bodies
 * pass it by.  Handlers run inside its callbacks when requests come, and may submit and resume
 * there; bytes leave it in one place only, lw_h2__flush. */
#ifndef LW_NET_H2_H
#define LW_NET_H2_H

#include <nghttp2/nghttp2.h>

#include "base/buf.h"
#include "base/dlist.h"
#include "net/conn.h"
#include "net/h2_head.h"
#include "net/h2_pieces.h"

enum {
    LW_H2_WINDOW = 256 * 1024,             /* bytes of body a stream may send ahead of us */
    LW_H2_CONNECTION_WINDOW = 1024 * 1024, /* all streams of a connection together */
    LW_H2_BODIES_MAX = 32 * 1024 * 1024,   /* bytes of request bodies held for a connection */
    LW_H2_DROPPED_MAX = 8 * 1024 * 1024,   /* bytes read and dropped of a body nobody wants */
    LW_H2_REPLY_HEADERS_MAX = 128,         /* header fields of a reply */
    LW_H2_ACKS_MAX = 100,     /* answers to PING and SETTINGS the client leaves lying */
    LW_H2_SETTINGS_MAX = 32,  /* entries of one SETTINGS frame */
    LW_H2_RESETS_BURST = 500, /* streams reset by the client at once */
    LW_H2_RESETS_PER_S = 100, /* and in the long run */
};

typedef struct lw_h2_stream lw_h2_stream;

typedef struct lw_h2 {
    lw_protocol base;
    nghttp2_session *session;
    lw_h2_head head;     /* the one being read: header blocks never mingle */
    int32_t head_id;     /* its stream; 0: none */
    lw_dlist streams;    /* lw_h2_stream.link: all that are open */
    lw_dlist reading;    /* lw_h2_stream.reading: whose request is not whole, the oldest first */
    lw_dlist drained;    /* lw_h2_stream.drained: whose handlers are to be told after the flush */
    lw_dlist waiting;    /* lw_h2_stream.waiting: with bytes queued, who moved longest ago first */
    lw_timer stall;      /* set while there are some */
    size_t stream_count; /* in |streams| */
    size_t body_bytes;   /* of request bodies, all streams together */
    lw_task flush_task;
    lw_status st;         /* the first failure of sending; the connection is lost then */
    lw_conn_phase phase;  /* as the connection was told */
    int32_t phase_id;     /* the stream it was told for */
    int64_t resets_since; /* when |resets_left| was last filled up */
    unsigned resets_left; /* streams the client may still reset */
    bool is_feeding;      /* within lw_protocol_ops.feed, which flushes at its end */
    bool is_flushing;
    bool is_draining;
    bool is_goaway_sent; /* the last one, which names the last stream */
    bool is_gone;        /* the connection is: freed by the flush that is still to run */
} lw_h2;

struct lw_h2_stream {
    lw_http_stream base;
    lw_h2 *h2; /* NULL once closed */
    int32_t id;
    lw_dlist_node link, reading, drained, waiting;
    int64_t moved_ns;     /* when |queue| last became shorter, or began */
    lw_buf body;          /* of the request; its limit is what the handler takes */
    size_t dropped;       /* bytes of the body that nobody wants */
    lw_h2_pieces queue;   /* of the reply, not yet framed */
    bool is_replied;      /* the head of the reply is submitted */
    bool is_ended;        /* nothing is queued any more */
    bool is_bodiless;     /* HEAD, 204, 304: what is written is dropped */
    bool is_deferred;     /* nghttp2 waits to be told of more */
    bool is_high;         /* |queue| was above LW_HTTP_QUEUE_HIGH */
    bool is_sent;         /* END_STREAM has been */
    bool is_aborted;      /* by us */
    bool is_body_dropped; /* too large: what still comes is not kept */
    bool is_given_up;     /* the rest of the request is not waited for */
};

/* h2_request.c -- what nghttp2 calls when bytes come. */
void lw_h2__set_request_callbacks(nghttp2_session_callbacks *callbacks);

/* Waits no more for the rest of the request: the client is told to stop once it has its reply. */
void lw_h2__give_up(lw_h2_stream *stream);

/* Ends the stream for everyone: queue, handler, lists. */
void lw_h2__stream_close(lw_h2_stream *stream);

/* h2_stream.c -- what handlers call. */
extern const lw_http_stream_ops lw_h2__stream_ops;

/* Answers with |status| and a line of text, in the handler's place. */
void lw_h2__refuse(lw_h2_stream *stream, int status);

/* Resets the stream, which drops what is queued; |code| is HTTP/2's. */
void lw_h2__reset(lw_h2_stream *stream, uint32_t code);

/* h2_reply.c -- submits the head of a reply.  |body_len| is told where it is not UINT64_MAX;
 * |has_body|: DATA follows.  LW_ERR_LIMIT (too many headers), LW_ERR_NOMEM. */
lw_status lw_h2__submit_head(lw_h2_stream *stream, const lw_http_reply *reply, uint64_t body_len,
                             bool has_body);

/* h2_send.c -- from the queues of streams to the connection. */
void lw_h2__set_send_callbacks(nghttp2_session_callbacks *callbacks);

/* Reads a stream's queue for nghttp2. */
ssize_t lw_h2__read_data(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *arg);

/* Sends all that the connection takes, tells handlers, and closes what is over.  Not within a
 * callback of nghttp2. */
void lw_h2__flush(lw_h2 *h2);

/* The same at the end of the batch. */
void lw_h2__want_flush(lw_h2 *h2);

/* Remembers that |result| of an nghttp2 function, if it is an error, has cost the connection. */
void lw_h2__check(lw_h2 *h2, int result);

/* Releases all that is queued on the stream. */
void lw_h2__drop_queue(lw_h2_stream *stream);

/* h2_stall.c -- the stream has bytes queued, and some were taken just now. */
void lw_h2__stall_moved(lw_h2_stream *stream);

/* It has none any more. */
void lw_h2__stall_forget(lw_h2_stream *stream);

/* Resets streams whose client has not opened their window for too long. */
void lw_h2__stall_fire(lw_timer *timer);

/* h2.c -- tells the connection which of its timers counts. */
void lw_h2__update_phase(lw_h2 *h2);

/* The last GOAWAY of a connection that takes no more requests. */
void lw_h2__submit_goaway(lw_h2 *h2);

#endif
