/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_internal.h -- internals of an HTTP/2 client connection, for h2_client*.c.
 *
 *     socket ──h2_client_io.c──▶ h2_client_session.c ─▶ sinks of calls
 *     socket ◀─h2_client_io.c── queue ◀─h2_client_send.c── nghttp2 ◀── h2_client_call.c
 *
 * nghttp2 does framing, header compression and flow control; bodies are not copied through it.
 * Sinks are called inside its callbacks, and may open, send, reset and free there: all of these
 * only change state and queue |settling|, which sends, decides and deletes at the end of the batch.
 * So a call must be looked up again after each callback, and the client exists until then. */
#ifndef LW_NET_H2_H2_CLIENT_INTERNAL_H
#define LW_NET_H2_H2_CLIENT_INTERNAL_H

#include <nghttp2/nghttp2.h>

#include "net/conn_queue.h"
#include "net/dial/dial.h"
#include "net/h2/h2_client.h"
#include "net/h2/h2_head.h"
#include "net/h2/h2_pieces.h"
#include "net/tls/tls_stream.h"

enum {
    LW_H2_CLIENT_READ_SIZE = 64 * 1024,   /* bytes read at once */
    LW_H2_CLIENT_GATHER_SIZE = 16 * 1024, /* bytes of a full TLS record */
};

typedef enum lw_h2_client_stage {
    LW_H2_CLIENT_DIALLING,
    LW_H2_CLIENT_SECURING, /* the TLS handshake */
    /* Until the server's SETTINGS arrive, which show that it speaks HTTP/2 and has accepted us. */
    LW_H2_CLIENT_GREETING,
    LW_H2_CLIENT_UP,
    LW_H2_CLIENT_DOWN,
} lw_h2_client_stage;

struct lw_h2_client {
    lw_loop *loop;
    lw_h2_client_options options; /* its strings are the members below */
    char *host;
    char *authority; /* value of :authority */
    char *name;      /* name that the certificate must match */
    lw_h2_client_stage stage;
    lw_dial *dial;
    lw_io io; /* fd -1: not connected */
    lw_tls_stream *tls;
    lw_timer timer; /* for the connect timeout, then for PING */
    lw_task settling;
    nghttp2_session *session;
    lw_conn_queue queue; /* frames to be written to the socket */
    lw_h2_head head;     /* the header block being read: blocks are never interleaved */
    lw_dlist waiting;    /* lw_h2_call.link: not yet submitted, oldest first */
    lw_dlist under_way;  /* lw_h2_call.link: submitted */
    lw_dlist drained;    /* lw_h2_call.drained: to be told */
    size_t call_count;   /* number in both lists */
    size_t under_way_count;
    size_t queued; /* bytes of bodies that are not framed yet, of all calls */
    int64_t connect_deadline_ns;
    int64_t quiet_since_ns; /* when something was last received, or the first call was opened */
    int64_t pinged_ns;
    lw_error err;        /* code LW_OK: no error; otherwise why the connection goes down */
    lw_error goaway;     /* the error of the server's GOAWAY */
    char *read, *gather; /* LW_H2_CLIENT_READ_SIZE, LW_H2_CLIENT_GATHER_SIZE */
    bool is_closing;     /* the server accepts no new streams */
    bool is_blocked;     /* the socket did not accept all bytes */
    bool is_pinged;      /* and nothing was received since */
    bool is_freed;       /* by its owner: deleted at the end of the batch */
};

struct lw_h2_call {
    lw_h2_client *client;
    lw_dlist_node link; /* in client->waiting or client->under_way */
    lw_dlist_node drained;
    lw_h2_call_sink sink;
    int32_t id; /* 0: waiting */
    lw_h2_pieces queue;
    size_t head_bytes; /* size of the reply's headers and trailers */
    size_t unreturned; /* bytes received while it was paused */
    lw_status st;      /* why the client gives it up */
    bool is_sent;      /* its headers have been framed */
    bool is_ended;     /* nothing more is pushed to |queue| */
    bool is_end_sent;  /* END_STREAM has been framed */
    bool is_deferred;  /* nghttp2 waits until the stream is resumed */
    bool has_head;     /* the reply headers have been reported */
    bool is_paused;
    bool is_closed; /* on_close is running */
    size_t field_count;
    nghttp2_nv fields[]; /* header fields of the request; their text follows */
};

/* h2_client.c -- records the first error; settle does the rest. */
void lw_h2_client__fail(lw_h2_client *client, lw_status st, const char *format, ...)
    LW_PRINTF(3, 4);

/* Sends and decides at the end of the batch. */
void lw_h2_client__settle_soon(lw_h2_client *client);

/* The server's SETTINGS have arrived.  Runs callbacks. */
void lw_h2_client__is_up(lw_h2_client *client);

/* True if no more callbacks may run. */
static inline bool lw_h2_client__is_over(const lw_h2_client *client)
{
    return client->is_freed || client->stage == LW_H2_CLIENT_DOWN;
}

/* h2_client_io.c -- starts to use the connected socket.  Takes ownership of |fd|. */
void lw_h2_client__connected(lw_h2_client *client, int fd);

/* The same after the handshake of |tls| (NULL: plain).  Takes both. */
void lw_h2_client__secured(lw_h2_client *client, int fd, lw_tls_stream *tls);

/* Removes the socket from the loop and closes it. */
void lw_h2_client__disconnect(lw_h2_client *client);

/* Frames what may be sent and writes it to the socket. */
void lw_h2_client__flush(lw_h2_client *client);

/* h2_client_session.c -- creates the session; the preface and our SETTINGS are queued in it.
 * LW_ERR_NOMEM. */
lw_status lw_h2_client__session_new(lw_h2_client *client);

/* Processes bytes from the server. */
void lw_h2_client__feed(lw_h2_client *client, const char *bytes, size_t len);

/* Returns the call of stream |id|; NULL: it has ended for its owner. */
lw_h2_call *lw_h2_client__find(const lw_h2_client *client, int32_t id);

/* If |result| of an nghttp2 function is an error, records that the connection is lost. */
void lw_h2_client__check(lw_h2_client *client, int result);

/* h2_client_send.c */
void lw_h2_client__set_send_callbacks(nghttp2_session_callbacks *callbacks);

/* Submits waiting calls, up to the server's concurrency limit. */
void lw_h2_client__submit_waiting(lw_h2_client *client);

/* Moves frames from nghttp2 to the queue, up to its limit. */
void lw_h2_client__frame(lw_h2_client *client);

/* h2_client_call.c -- reports the end to the owner and frees the call.  |err| NULL: success. */
void lw_h2_call__close(lw_h2_call *call, const lw_error *err, bool is_unseen);

/* Frees the call without a callback. */
void lw_h2_call__drop(lw_h2_call *call);

#endif
