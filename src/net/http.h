/* SPDX-License-Identifier: Apache-2.0 */
/* http.h -- a request and its reply, independent of the protocol: HTTP/1.1, HTTP/2 or WebSocket.
 *
 * A protocol creates an lw_http_stream for each request and passes it to the server's handler.  The
 * handler replies at once or later, completely or piece by piece.  Everything runs on the loop of
 * the connection.  The request exists as long as the stream, and the stream as long as there is a
 * reference: after the client has disconnected, replies do nothing and return LW_ERR_STOPPED. */
#ifndef LW_NET_HTTP_H
#define LW_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "base/ref.h"
#include "net/loop.h"
#include "net/tls/peer.h"

enum {
    LW_HTTP_HEAD_MAX = 64 * 1024, /* maximum size of request line and headers in bytes */
    LW_HTTP_HEADERS_MAX = 100,    /* maximum number of header fields of a request */
    /* Maximum size of a request body, unless the handler sets a smaller one. */
    LW_HTTP_BODY_MAX = 3 * 1024 * 1024,
    LW_HTTP_STREAMS_MAX = 1000, /* maximum number of concurrent HTTP/2 streams per connection */
    /* Maximum number of unsent HTTP/1.1 replies before the next request is read. */
    LW_HTTP_PIPELINE_MAX = 16,
    LW_HTTP_AHEAD_MAX = 64 * 1024,   /* maximum bytes of HTTP/1.1 requests read before the reply */
    LW_HTTP_REPLY_HEADERS_MAX = 32,  /* of a reply with those of its admission */
    LW_HTTP_QUEUE_HIGH = 256 * 1024, /* queued bytes above which a producer must wait */
    LW_HTTP_QUEUE_LOW = 64 * 1024,   /* queued bytes at which it may continue */
    /* For the TLS handshake, and then for the first byte of the first request. */
    LW_HTTP_HANDSHAKE_TIMEOUT_S = 10,
    LW_HTTP_HEAD_TIMEOUT_S = 32,  /* from the first byte of a request to the end of its headers */
    LW_HTTP_BODY_TIMEOUT_S = 34,  /* until the end of its body */
    LW_HTTP_IDLE_TIMEOUT_S = 90,  /* for a connection without a request */
    LW_HTTP_STALL_TIMEOUT_S = 60, /* for a client that does not read its queued data */
    /* Maximum number of open connections; further ones wait in the backlog. */
    LW_HTTP_CONNECTIONS_MAX = 20000,
    /* Maximum number of connections per source address whose client has not authenticated; when
     * there are more, the oldest is closed. */
    LW_HTTP_PER_SOURCE_MAX = 2000,
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

typedef struct lw_http_request {
    lw_http_method method;
    uint8_t version_major; /* 1 or 2 */
    bool is_websocket;     /* requests an upgrade: messages of the reply are sent as frames */
    lw_str method_text;    /* as sent */
    lw_str path;           /* before '?', percent-encoded */
    lw_str query;          /* after '?', percent-encoded; empty if there is none */
    const lw_http_header *headers;
    size_t header_count;
    lw_str body;         /* complete; empty in on_head */
    const lw_peer *peer; /* empty after the stream was closed */
    /* For the handler: the view of a mirror that the path named; empty: none. */
    lw_str view;
} lw_http_request;

/* The headers of a reply.  The protocol adds Content-Length, Transfer-Encoding, Connection and
 * Date. */
typedef struct lw_http_reply {
    int status;
    const lw_http_header *headers; /* names in any case */
    size_t header_count;
} lw_http_reply;

typedef struct lw_http_stream lw_http_stream;

/* What a layer in front of the handler (flow control) attaches to a stream when it admits the
 * request.  The functions run on the stream's loop; both may be NULL. */
typedef struct lw_http_admission lw_http_admission;
struct lw_http_admission {
    const lw_http_header *headers; /* added to the reply */
    size_t header_count;
    /* The reply goes on, but its expensive part is over: see lw_http_stream_settled. */
    void (*settled)(lw_http_stream *stream, lw_http_admission *admission);
    /* The stream was closed; called once. */
    void (*closed)(lw_http_stream *stream, lw_http_admission *admission);
};

/* What the handler attaches to a stream whose request waits for answers of other servers.  Both
 * functions run once, on the stream's loop if it was closed there. */
typedef struct lw_http_companion lw_http_companion;
struct lw_http_companion {
    void (*closed)(lw_http_companion *companion); /* the stream was closed */
    void (*freed)(lw_http_companion *companion);  /* with the stream, on any thread */
};

/* The operations of a protocol (or a test).  Called on the stream's loop, and not after the stream
 * was closed. */
typedef struct lw_http_stream_ops {
    /* Sends headers and body: the reply is complete.  Takes ownership of |body|, even on error. */
    lw_status (*reply)(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body);
    /* Sends the headers of a reply whose body follows piece by piece.  For a WebSocket request with
     * status 200 this is the upgrade. */
    lw_status (*begin)(lw_http_stream *stream, const lw_http_reply *reply);
    /* Queues one message: a chunk, DATA, or a frame.  Takes ownership of the pieces, even on
     * error. */
    lw_status (*write)(lw_http_stream *stream, const lw_bytes *pieces, size_t count);
    /* The body is complete. */
    void (*end)(lw_http_stream *stream);
    /* Ends the reply so that the client notices that it is incomplete. */
    void (*abort)(lw_http_stream *stream);
    /* Returns the number of queued bytes that are not yet written to the socket. */
    size_t (*pending)(const lw_http_stream *stream);
    /* The last reference was released. */
    void (*free)(lw_http_stream *stream);
    /* Optional; see lw_http_wants_more. */
    bool (*wants_more)(lw_http_stream *stream);
    /* Optional; see lw_http_upgrade and lw_http_set_reading. */
    lw_status (*upgrade)(lw_http_stream *stream, const lw_http_reply *reply);
    void (*set_reading)(lw_http_stream *stream, bool is_reading);
} lw_http_stream_ops;

/* Sees what becomes of a request, for auditing.  Called on the stream's loop, and for a relayed
 * request (see relay.h) on that of its connection.  It must not reply. */
typedef struct lw_http_observer {
    /* The reply begins.  |body| is all of it; NULL: it follows piece by piece.  Also called if the
     * client has disconnected before. */
    void (*replied)(lw_http_stream *stream, const lw_http_reply *reply, const lw_bytes *body);
    void (*written)(lw_http_stream *stream, const lw_bytes *pieces, size_t count);
    void (*closed)(lw_http_stream *stream); /* see on_closed below */
    void (*freed)(lw_http_stream *stream);  /* the request is still there; once, on any thread */
} lw_http_observer;

/* What an observer keeps about a request: the first member of its own struct, which its |freed|
 * releases. */
typedef struct lw_http_observation {
    const lw_http_observer *observer; /* NULL: nobody is told; there is only the ID */
    lw_str audit_id;                  /* in logs and in the header Audit-Id; not empty */
} lw_http_observation;

/* The first member of every protocol's stream.  Kept small: each watch has one. */
struct lw_http_stream {
    const lw_http_stream_ops *ops;
    lw_ref refs;
    bool is_closed; /* the client has disconnected or has its reply */
    /* For the handler: set by on_head if the client has authenticated.  Its connection is then not
     * closed to make room for others. */
    bool is_authenticated;
    lw_loop *loop;
    lw_http_request request;

    /* For the handler: the user that on_head authenticated, for on_request.  NULL before that. */
    const void *caller;
    void (*caller_free)(const void *caller); /* called with the caller when the stream is freed; may
                                                be NULL */

    lw_http_admission *admission;     /* NULL: none */
    lw_http_companion *companion;     /* NULL: none */
    lw_http_observation *observation; /* NULL: none */
    /* For the observer: set by the handler while it begins the reply.  Keys and values in turn,
     * each ended by a NUL. */
    lw_str annotations;

    /* For the handler's streaming replies.  Both may be NULL.  drained: pending() has fallen to
     * LW_HTTP_QUEUE_LOW after it was above LW_HTTP_QUEUE_HIGH, or the client takes data again after
     * lw_http_wants_more was false.  closed: called once, when the reply
     * has been written completely or the client has disconnected. */
    void (*on_drained)(lw_http_stream *stream, void *arg);
    void (*on_closed)(lw_http_stream *stream, void *arg);
    /* After lw_http_upgrade: the client has sent bytes.  NULL: they are dropped. */
    void (*on_data)(lw_http_stream *stream, const char *bytes, size_t len, void *arg);
    void *arg;
};

/* The handler of a server's requests.  Runs on the loop's thread. */
typedef struct lw_http_handler {
    /* The headers have arrived.  May reply at once, e.g. with 401: then the body is not read and
     * on_request is not called.  Otherwise returns the maximum size of the body (a larger one leads
     * to on_too_large).  May be NULL: LW_HTTP_BODY_MAX. */
    size_t (*on_head)(lw_http_stream *stream, void *arg);
    /* The body is larger than on_head allowed: reply with 413. */
    void (*on_too_large)(lw_http_stream *stream, void *arg);
    /* The request is complete.  Replies now, or takes a reference and replies later. */
    void (*on_request)(lw_http_stream *stream, void *arg);
    void *arg;
} lw_http_handler;

/* See lw_http_stream_ops; LW_ERR_STOPPED if the stream is closed. */
lw_status lw_http_reply_whole(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body);
lw_status lw_http_reply_begin(lw_http_stream *stream, const lw_http_reply *reply);
lw_status lw_http_write(lw_http_stream *stream, const lw_bytes *pieces, size_t count);
void lw_http_end(lw_http_stream *stream);
void lw_http_abort(lw_http_stream *stream);
size_t lw_http_pending(const lw_http_stream *stream);

/* Returns true if the client takes data now: a producer makes nothing before that, because what it
 * makes would have to be held.  False: on_drained is called when the client takes data again; also
 * if the stream is closed. */
bool lw_http_wants_more(lw_http_stream *stream);

/* Replies with 101 and the headers of |reply|, which include Upgrade and Connection, and turns the
 * connection into a tunnel: on_data receives what the client sends, lw_http_write sends bytes as
 * they are, lw_http_end closes the connection when all of them are sent, lw_http_abort at once.
 * LW_ERR_UNSUPPORTED (HTTP/2, HTTP/1.0, or a relayed request): the request has no reply yet.
 * LW_ERR_STOPPED, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_http_upgrade(lw_http_stream *stream, const lw_http_reply *reply);

/* Pauses or resumes on_data of a tunnel.  What has been read before may still be reported. */
void lw_http_set_reading(lw_http_stream *stream, bool is_reading);

lw_http_stream *lw_http_stream_ref(lw_http_stream *stream);
void lw_http_stream_unref(lw_http_stream *stream);

/* Tells the layer that admitted the request that its expensive part is over, although the reply
 * goes on: a watch has sent its initial events. */
void lw_http_stream_settled(lw_http_stream *stream);

/* For protocols: marks the stream closed and notifies its handler, once. */
void lw_http_stream_closed(lw_http_stream *stream);

/* Gets the value of the first header |name| (lower case); false if there is none. */
bool lw_http_request_header(const lw_http_request *request, const char *name, lw_str *value);

/* True if |name| equals |lower_case|, ignoring case. */
bool lw_http_name_is(lw_str name, lw_str lower_case);

lw_http_method lw_http_method_of(lw_str text);

/* Returns for example "Not Found"; "" for an unknown status. */
const char *lw_http_status_text(int status);

#endif
