/* SPDX-License-Identifier: Apache-2.0 */
/* h2.h -- server side of HTTP/2 (RFC 9113) with nghttp2; shared by its files.
 *
 *     conn ─feed──▶ h2.c ─mem_recv─▶ h2_request.c ─▶ handler
 *     conn ◀─send── h2_send.c ◀─mem_send─ nghttp2 ◀─submit, resume─ h2_stream.c ◀─ handler
 *
 * nghttp2 does framing, header compression, flow control and scheduling of streams; bodies are not
 * copied through it.  Handlers run inside its callbacks when requests arrive, and may submit and
 * resume there; lw_h2__flush is the only place that sends. */
#ifndef LW_NET_H2_H2_H
#define LW_NET_H2_H2_H

#include <nghttp2/nghttp2.h>

#include "base/buf.h"
#include "base/dlist.h"
#include "net/conn.h"
#include "net/h2/h2_abuse.h"
#include "net/h2/h2_head.h"
#include "net/h2/h2_pieces.h"

enum {
    LW_H2_WINDOW = 256 * 1024,             /* flow-control window of a stream */
    LW_H2_CONNECTION_WINDOW = 1024 * 1024, /* flow-control window of a connection */
    /* Maximum bytes of request bodies buffered per connection. */
    LW_H2_BODIES_MAX = 32 * 1024 * 1024,
    /* Queued bytes of all replies of a connection above which its producers wait. */
    LW_H2_QUEUED_MAX = 8 * 1024 * 1024,
    /* Maximum bytes of an unwanted body that are read and dropped. */
    LW_H2_DROPPED_MAX = 8 * 1024 * 1024,
    LW_H2_REPLY_HEADERS_MAX = 128, /* maximum header fields of a reply */
    LW_H2_ACKS_MAX = 100,          /* maximum queued replies to PING and SETTINGS */
    LW_H2_SETTINGS_MAX = 32,       /* maximum entries of one SETTINGS frame */
};

typedef struct lw_h2_stream lw_h2_stream;

typedef struct lw_h2 {
    lw_protocol base;
    nghttp2_session *session;
    lw_h2_head head;  /* the header block being read: blocks are never interleaved */
    int32_t head_id;  /* its stream; 0: none */
    lw_dlist streams; /* lw_h2_stream.link: all that are open */
    lw_dlist reading; /* lw_h2_stream.reading: incomplete requests, oldest first */
    lw_dlist drained; /* lw_h2_stream.drained: handlers to notify after the flush */
    /* Lw_h2_stream.waiting: streams with queued bytes, least recent progress first. */
    lw_dlist waiting;
    lw_dlist starved;    /* lw_h2_stream.starved: producers that wait for room */
    lw_dlist ready;      /* lw_h2_stream.ready: complete requests that wait for their turn */
    lw_task wake_task;   /* in the loop's next batch: continues with |starved| */
    lw_timer stall;      /* set while there are any */
    size_t stream_count; /* in |streams| */
    size_t body_bytes;   /* size of all buffered request bodies */
    lw_task flush_task;
    lw_status st;        /* the first error of sending; the connection is then lost */
    lw_conn_phase phase; /* as last set on the connection */
    int32_t phase_id;    /* the stream for which it was set */
    lw_h2_abuse abuse;   /* what the client may still send */
    bool is_feeding;     /* inside lw_protocol_ops.feed, which flushes at its end */
    bool is_flushing;
    bool is_draining;
    bool is_goaway_sent; /* the last GOAWAY, which names the last stream */
    bool is_gone;        /* the connection was freed: freed by the flush that still has to run */
} lw_h2;

struct lw_h2_stream {
    lw_http_stream base;
    lw_h2 *h2; /* NULL once closed */
    int32_t id;
    lw_dlist_node link, reading, drained, waiting, starved, ready;
    int64_t moved_ns;     /* when |queue| last shrank or was started */
    lw_buf body;          /* of the request; its limit is the size the handler accepts */
    size_t dropped;       /* bytes of the body that were dropped */
    lw_h2_pieces queue;   /* data of the reply that is not framed yet */
    bool is_replied;      /* the reply headers are submitted */
    bool is_ended;        /* nothing more will be queued */
    bool is_bodiless;     /* HEAD, 204, 304: the body is dropped */
    bool is_deferred;     /* nghttp2 waits for lw_h2 to resume the stream */
    bool is_high;         /* |queue| was above LW_HTTP_QUEUE_HIGH */
    bool is_sent;         /* END_STREAM is sent */
    bool is_aborted;      /* by the server */
    bool is_body_dropped; /* too large: the rest is not kept */
    bool is_given_up;     /* the server does not wait for the rest of the request */
};

/* h2_request.c -- callbacks of nghttp2 for received data. */
void lw_h2__set_request_callbacks(nghttp2_session_callbacks *callbacks);

/* Stops waiting for the rest of the request: after its reply the client is told to stop sending. */
void lw_h2__give_up(lw_h2_stream *stream);

/* Passes complete requests that had to wait for their turn to the handler. */
void lw_h2__dispatch_ready(lw_h2 *h2);

/* Closes the stream: queue, handler, lists. */
void lw_h2__stream_close(lw_h2_stream *stream);

/* h2_stream.c -- the functions that handlers call. */
extern const lw_http_stream_ops lw_h2__stream_ops;

/* Replies with |status| and a line of text, instead of the handler. */
void lw_h2__refuse(lw_h2_stream *stream, int status);

/* Resets the stream and drops its queue; |code| is an HTTP/2 error code. */
void lw_h2__reset(lw_h2_stream *stream, uint32_t code);

/* h2_reply.c -- submits the reply headers.  |body_len| is sent unless it is UINT64_MAX; |has_body|:
 * DATA follows.  LW_ERR_LIMIT (too many headers), LW_ERR_NOMEM. */
lw_status lw_h2__submit_head(lw_h2_stream *stream, const lw_http_reply *reply, uint64_t body_len,
                             bool has_body);

/* h2_send.c -- moves data from the streams' queues to the connection. */
void lw_h2__set_send_callbacks(nghttp2_session_callbacks *callbacks);

/* Reads a stream's queue for nghttp2. */
ssize_t lw_h2__read_data(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *arg);

/* Sends as much as the connection accepts, notifies handlers, and closes what has ended.  Not
 * inside a callback of nghttp2. */
void lw_h2__flush(lw_h2 *h2);

/* Flushes at the end of the batch. */
void lw_h2__want_flush(lw_h2 *h2);

/* If |result| of an nghttp2 function is an error, records that the connection is lost. */
void lw_h2__check(lw_h2 *h2, int result);

/* Releases everything queued on the stream. */
void lw_h2__drop_queue(lw_h2_stream *stream);

/* h2_room.c -- see lw_http_wants_more. */
bool lw_h2__wants_more(lw_http_stream *base);

/* The stream does not wait for room any more. */
void lw_h2__room_forget(lw_h2_stream *stream);

/* Notifies streams that have room again: a flush calls their handlers. */
void lw_h2__room_wake(lw_h2 *h2);

/* True if the stream is blocked by the client's windows, not by other streams. */
bool lw_h2__is_shut(const lw_h2_stream *stream);

/* h2_stall.c -- records progress of a stream with queued data. */
void lw_h2__stall_moved(lw_h2_stream *stream);

/* Removes a stream that has no queued data. */
void lw_h2__stall_forget(lw_h2_stream *stream);

/* Resets streams whose client has not opened their window for too long. */
void lw_h2__stall_fire(lw_timer *timer);

/* h2.c -- sets the phase of the connection. */
void lw_h2__update_phase(lw_h2 *h2);

/* Submits the last GOAWAY of a connection that accepts no more requests. */
void lw_h2__submit_goaway(lw_h2 *h2);

#endif
