/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_internal.h -- the inside of our side of an HTTP/2 connection, for h2_client*.c.
 *
 *     socket ──h2_client_io.c──▶ h2_client_session.c ─▶ sinks of calls
 *     socket ◀─h2_client_io.c── queue ◀─h2_client_send.c── nghttp2 ◀── h2_client_call.c
 *
 * nghttp2 frames, compresses and counts windows; bodies pass it by.  Sinks are called from within
 * its callbacks, and may open, send, reset and free there: all of that only changes state and
 * queues |settling|, which sends, decides and deletes at the end of the batch.  So a call is looked
 * up anew after each callback, and the client lives until then. */
#ifndef LW_NET_H2_CLIENT_INTERNAL_H
#define LW_NET_H2_CLIENT_INTERNAL_H

#include <nghttp2/nghttp2.h>

#include "net/conn_queue.h"
#include "net/dial.h"
#include "net/h2_client.h"
#include "net/h2_head.h"
#include "net/h2_pieces.h"
#include "net/tls_stream.h"

enum {
    LW_H2_CLIENT_READ_SIZE = 64 * 1024,   /* bytes read at once */
    LW_H2_CLIENT_GATHER_SIZE = 16 * 1024, /* bytes of a full TLS record */
};

typedef enum lw_h2_client_stage {
    LW_H2_CLIENT_DIALLING,
    LW_H2_CLIENT_SECURING, /* the TLS handshake */
    LW_H2_CLIENT_GREETING, /* until the server's SETTINGS: it speaks HTTP/2 and has let us in */
    LW_H2_CLIENT_UP,
    LW_H2_CLIENT_DOWN,
} lw_h2_client_stage;

struct lw_h2_client {
    lw_loop *loop;
    lw_h2_client_options options; /* its strings are those below */
    char *host;
    char *authority; /* as :authority says it */
    char *name;      /* whom the certificate must be for */
    lw_h2_client_stage stage;
    lw_dial *dial;
    lw_io io; /* fd -1: not connected */
    lw_tls_stream *tls;
    lw_timer timer; /* of the connect timeout, then of PING */
    lw_task settling;
    nghttp2_session *session;
    lw_conn_queue queue; /* frames on their way to the socket */
    lw_h2_head head;     /* the one being read: header blocks never mingle */
    lw_dlist waiting;    /* lw_h2_call.link: not yet submitted, the oldest first */
    lw_dlist under_way;  /* lw_h2_call.link: submitted */
    size_t call_count;   /* in both */
    size_t under_way_count;
    size_t queued; /* bytes of bodies that are not framed yet, of all calls */
    int64_t connect_deadline_ns;
    int64_t quiet_since_ns; /* when something last came, or the first of the calls was opened */
    int64_t pinged_ns;
    lw_error err;        /* code LW_OK: all is well; else why it goes or went down */
    lw_error goaway;     /* what the server's GOAWAY said */
    char *read, *gather; /* LW_H2_CLIENT_READ_SIZE, LW_H2_CLIENT_GATHER_SIZE */
    bool is_closing;     /* the server takes no new streams */
    bool is_blocked;     /* the system took less than there was */
    bool is_pinged;      /* and nothing has come since */
    bool is_freed;       /* by its owner: deleted at the end of the batch */
};

struct lw_h2_call {
    lw_h2_client *client;
    lw_dlist_node link; /* in client->waiting or client->under_way */
    lw_h2_call_sink sink;
    int32_t id; /* 0: waiting */
    lw_h2_pieces queue;
    size_t head_bytes; /* of the reply's heads and trailers */
    size_t unreturned; /* bytes that came while it was paused */
    lw_status st;      /* why we give it up ourselves */
    bool is_sent;      /* its head has been framed */
    bool is_ended;     /* nothing more is pushed to |queue| */
    bool is_end_sent;  /* END_STREAM has been framed */
    bool is_deferred;  /* nghttp2 waits to be told of more */
    bool has_head;     /* the reply's has been told */
    bool is_paused;
    bool is_closed; /* on_close is being called */
    size_t field_count;
    nghttp2_nv fields[]; /* of the request; their text follows */
};

/* h2_client.c -- records why it goes down, the first time; the rest happens in settle. */
void lw_h2_client__fail(lw_h2_client *client, lw_status st, const char *format, ...)
    LW_PRINTF(3, 4);

/* Sends and decides at the end of the batch. */
void lw_h2_client__settle_soon(lw_h2_client *client);

/* The server's SETTINGS are in.  Calls back. */
void lw_h2_client__is_up(lw_h2_client *client);

/* Whether nothing is to be told to anybody any more. */
static inline bool lw_h2_client__is_over(const lw_h2_client *client)
{
    return client->is_freed || client->stage == LW_H2_CLIENT_DOWN;
}

/* h2_client_io.c -- the socket is there.  Takes |fd|. */
void lw_h2_client__connected(lw_h2_client *client, int fd);

/* Leaves the loop and closes. */
void lw_h2_client__disconnect(lw_h2_client *client);

/* Frames what may be sent and hands it to the system. */
void lw_h2_client__flush(lw_h2_client *client);

/* h2_client_session.c -- makes the session; the preface and our settings are queued in it.
 * LW_ERR_NOMEM. */
lw_status lw_h2_client__session_new(lw_h2_client *client);

/* Bytes came from the server. */
void lw_h2_client__feed(lw_h2_client *client, const char *bytes, size_t len);

/* The call of the stream |id|; NULL: it is over for its owner. */
lw_h2_call *lw_h2_client__find(const lw_h2_client *client, int32_t id);

/* Records that |result| of an nghttp2 function, if it is an error, has cost the connection. */
void lw_h2_client__check(lw_h2_client *client, int result);

/* h2_client_send.c */
void lw_h2_client__set_send_callbacks(nghttp2_session_callbacks *callbacks);

/* Submits the calls that wait, as many as the server takes. */
void lw_h2_client__submit_waiting(lw_h2_client *client);

/* Moves frames from nghttp2 to the queue, as far as it goes. */
void lw_h2_client__frame(lw_h2_client *client);

/* h2_client_call.c -- tells its owner that it is over, and frees it.  |err| NULL: it ended well. */
void lw_h2_call__close(lw_h2_call *call, const lw_error *err, bool is_unseen);

/* Frees it without a word. */
void lw_h2_call__drop(lw_h2_call *call);

#endif
