/* SPDX-License-Identifier: Apache-2.0 */
/* http.h -- one request and its reply, whatever carries them: HTTP/1.1, HTTP/2 or a WebSocket.
 *
 * A protocol makes an lw_http_stream a request and hands it to the server's handler.  The handler
 * replies at once or later, whole or piece by piece.  Everything happens on the loop that owns the
 * connection.  The request lives as long as the stream, and the stream as long as somebody holds a
 * reference: when the client goes away meanwhile, replies do nothing and return LW_ERR_STOPPED. */
#ifndef LW_NET_HTTP_H
#define LW_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/bytes.h"
#include "base/ref.h"
#include "net/loop.h"

enum {
    LW_HTTP_HEAD_MAX = 64 * 1024,       /* bytes of request line and headers together */
    LW_HTTP_HEADERS_MAX = 100,          /* header fields of a request */
    LW_HTTP_BODY_MAX = 3 * 1024 * 1024, /* bytes of a request body, unless the handler says less */
    LW_HTTP_STREAMS_MAX = 1000,         /* HTTP/2 streams at once on a connection */
    LW_HTTP_PIPELINE_MAX = 16,          /* HTTP/1.1 replies on their way before the next request */
    LW_HTTP_AHEAD_MAX = 64 * 1024,      /* bytes of HTTP/1.1 requests read ahead of the reply */
    LW_HTTP_QUEUE_HIGH = 256 * 1024,    /* bytes queued to a client, above which a producer waits */
    LW_HTTP_QUEUE_LOW = 64 * 1024,      /* at which it is told to go on */
    LW_HTTP_HEAD_TIMEOUT_S = 32,     /* from the first byte of a request to the end of its head */
    LW_HTTP_BODY_TIMEOUT_S = 34,     /* to the end of its body */
    LW_HTTP_IDLE_TIMEOUT_S = 90,     /* a connection without a request */
    LW_HTTP_STALL_TIMEOUT_S = 60,    /* a client that takes nothing of what is queued for it */
    LW_HTTP_CONNECTIONS_MAX = 20000, /* open at once; further ones wait in the backlog */
};

typedef enum lw_http_method {
    LW_HTTP_GET,
    LW_HTTP_HEAD,
    LW_HTTP_POST,
    LW_HTTP_PUT,
    LW_HTTP_PATCH,
    LW_HTTP_DELETE,
    LW_HTTP_OPTIONS,
    LW_HTTP_OTHER,
} lw_http_method;

typedef struct lw_http_header {
    lw_str name; /* lower case in requests */
    lw_str value;
} lw_http_header;

/* Who the client is, as far as TLS knows. */
typedef struct lw_http_peer {
    bool is_tls;
    bool is_verified;   /* by the client CA */
    lw_str common_name; /* of its certificate; empty without one */
    const lw_str *organizations;
    size_t organization_count;
    lw_str address; /* "127.0.0.1:4711" */
} lw_http_peer;

typedef struct lw_http_request {
    lw_http_method method;
    lw_str method_text; /* as it was sent */
    lw_str path;        /* before '?', still percent-escaped */
    lw_str query;       /* after '?', still percent-escaped; empty without one */
    const lw_http_header *headers;
    size_t header_count;
    lw_str body;              /* whole; empty in on_head */
    unsigned version_major;   /* 1 or 2 */
    bool is_websocket;        /* asks for an upgrade: messages of the reply will be frames */
    const lw_http_peer *peer; /* nobody, once the stream is closed */
} lw_http_request;

/* What stands before a body.  Content-Length, Transfer-Encoding, Connection and Date are the
 * protocol's business. */
typedef struct lw_http_reply {
    int status;
    const lw_http_header *headers; /* names in any case */
    size_t header_count;
} lw_http_reply;

typedef struct lw_http_stream lw_http_stream;

/* What a protocol (or a test) implements.  Called on the stream's loop, and no more once the
 * stream is closed. */
typedef struct lw_http_stream_ops {
    /* Sends head and body: the reply is complete.  Takes |body|, on error too. */
    lw_status (*reply)(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body);
    /* Sends the head of a reply whose body follows piece by piece.  For a WebSocket request with
     * status 200 this is the upgrade. */
    lw_status (*begin)(lw_http_stream *stream, const lw_http_reply *reply);
    /* Queues one message: a chunk, DATA, or a text frame.  Takes the pieces, on error too. */
    lw_status (*write)(lw_http_stream *stream, const lw_bytes *pieces, size_t count);
    /* The body is complete. */
    void (*end)(lw_http_stream *stream);
    /* Ends it so that the client notices: it was not complete. */
    void (*abort)(lw_http_stream *stream);
    /* Bytes queued and not yet taken by the system. */
    size_t (*pending)(const lw_http_stream *stream);
    /* The last reference is gone. */
    void (*free)(lw_http_stream *stream);
} lw_http_stream_ops;

/* The first member of every protocol's stream. */
struct lw_http_stream {
    const lw_http_stream_ops *ops;
    lw_ref refs;
    lw_loop *loop;
    lw_http_request request;
    bool is_closed; /* the client is gone or has its reply */

    /* The handler's: the identity that on_head authenticated, for on_request.  NULL before that. */
    const void *caller;

    /* The handler's, for replies that take their time.  Both may be NULL.  drained: pending() fell
     * to LW_HTTP_QUEUE_LOW after it was above LW_HTTP_QUEUE_HIGH.  closed: once, when the reply has
     * been handed to the system whole, or the client is gone. */
    void (*on_drained)(lw_http_stream *stream, void *arg);
    void (*on_closed)(lw_http_stream *stream, void *arg);
    void *arg;
};

/* What a server does with requests.  On the loop's thread. */
typedef struct lw_http_handler {
    /* The head is in.  May reply at once, e.g. 401: then the body is not read and on_request not
     * called.  Else returns how many bytes of body it will take (more is answered through
     * on_too_large).  May be NULL: LW_HTTP_BODY_MAX. */
    size_t (*on_head)(lw_http_stream *stream, void *arg);
    /* The body is larger than on_head allowed: reply with 413. */
    void (*on_too_large)(lw_http_stream *stream, void *arg);
    /* The request is whole.  Replies now, or takes a reference and replies later. */
    void (*on_request)(lw_http_stream *stream, void *arg);
    void *arg;
} lw_http_handler;

/* As in lw_http_stream_ops; LW_ERR_STOPPED when the stream is closed. */
lw_status lw_http_reply_whole(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body);
lw_status lw_http_reply_begin(lw_http_stream *stream, const lw_http_reply *reply);
lw_status lw_http_write(lw_http_stream *stream, const lw_bytes *pieces, size_t count);
void lw_http_end(lw_http_stream *stream);
void lw_http_abort(lw_http_stream *stream);
size_t lw_http_pending(const lw_http_stream *stream);

lw_http_stream *lw_http_stream_ref(lw_http_stream *stream);
void lw_http_stream_unref(lw_http_stream *stream);

/* For protocols: marks the stream closed and tells its handler, once. */
void lw_http_stream_closed(lw_http_stream *stream);

/* The value of the header |name| (lower case), the first where there are several; false without. */
bool lw_http_request_header(const lw_http_request *request, const char *name, lw_str *value);

/* True when |name|, in whatever case, is |lower_case|. */
bool lw_http_name_is(lw_str name, lw_str lower_case);

lw_http_method lw_http_method_of(lw_str text);

/* "Not Found"; "" for a status nobody registered. */
const char *lw_http_status_text(int status);

#endif
