/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client.h -- an HTTP/2 client connection: TCP, optional TLS, many streams.
 *
 *     open ──▶ dialling ──▶ (TLS, ALPN h2) ──▶ greeting ──the server's SETTINGS──▶ up ──▶ down
 *
 * Everything runs on the given loop, and nothing blocks: data that the server does not accept is
 * queued, up to a limit.  A connection that is down cannot be reused: open another one.
 *
 * Callbacks come from the loop, never from inside the functions below, and may call all of these.
 * Views passed to a callback are valid until it returns. */
#ifndef LW_NET_H2_H2_CLIENT_H
#define LW_NET_H2_H2_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "net/http.h"
#include "net/loop.h"
#include "net/tls/tls_stream.h"

enum {
    LW_H2_CLIENT_WINDOW = 16 * 1024 * 1024,            /* flow-control window of a stream */
    LW_H2_CLIENT_CONNECTION_WINDOW = 64 * 1024 * 1024, /* flow-control window of the connection */
    LW_H2_CLIENT_QUEUE_MAX = 64 * 1024 * 1024, /* maximum bytes of requests queued to the server */
    LW_H2_CLIENT_HEAD_MAX = 64 * 1024, /* maximum size of headers and trailers of one reply */
    LW_H2_CLIENT_STREAMS_MAX = 10000,  /* maximum number of calls in progress or waiting */
};

typedef struct lw_h2_client lw_h2_client;
typedef struct lw_h2_call lw_h2_call;

/* Options.  Strings are copied; |tls| is referenced. */
typedef struct lw_h2_client_options {
    /* A name or an IP address, without brackets; names are resolved on a separate thread, and all
     * addresses are tried. */
    const char *host;
    uint16_t port;
    lw_tls_context *tls; /* a client context (tls.h); NULL: plain, with prior knowledge */
    /* The value of :authority and, without its port, the name that the certificate must match;
     * NULL: host and port. */
    const char *authority;
    int connect_timeout_ms; /* until up, including TLS; > 0 */
    int ping_idle_ms;       /* idle time before a PING while there are calls; 0: no PING ... */
    /* ... and the connection is down if nothing is received for this time after it; > 0. */
    int ping_timeout_ms;
    /* The connection is up; calls opened before are being sent.  May be NULL. */
    void (*on_up)(lw_h2_client *client, void *arg);
    /* Called once: the connection is down because of |err| (LW_ERR_UNAVAILABLE: refused or lost;
     * LW_ERR_TIMEOUT; LW_ERR_INVALID: not trusted, or not an HTTP/2 server; LW_ERR_INTERNAL:
     * protocol violation; LW_ERR_NOMEM, LW_ERR_IO); every call was closed before.  May free the
     * client.  Not called by lw_h2_client_free.  May be NULL. */
    void (*on_down)(lw_h2_client *client, const lw_error *err, void *arg);
    void *arg;
} lw_h2_client_options;

/* Starts to connect.  LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_h2_client_open(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                            lw_error *err);

/* Continues on the connected socket |fd|, with |tls| after a handshake that selected HTTP/2 (NULL:
 * plain).  Takes both, even on error.  LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_h2_client_adopt(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                             int fd, lw_tls_stream *tls, lw_error *err);

/* Closes the connection; its calls are dropped without a callback.  NULL does nothing.  May be
 * called from callbacks. */
void lw_h2_client_free(lw_h2_client *client);

/* True if new calls are not accepted: the server has sent GOAWAY, and calls in progress may still
 * succeed; or the connection is down. */
bool lw_h2_client_is_closing(const lw_h2_client *client);

/* Callbacks of a call.  All but on_close may be NULL. */
typedef struct lw_h2_call_sink {
    void (*on_head)(lw_h2_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg);
    void (*on_data)(lw_h2_call *call, const char *bytes, size_t len, void *arg);
    void (*on_trailers)(lw_h2_call *call, const lw_http_header *headers, size_t count, void *arg);
    /* What was queued is framed: lw_h2_call_pending is 0. */
    void (*on_drained)(lw_h2_call *call, void *arg);
    /* Called once, as the last callback; |call| is freed afterwards.  |err| is NULL if the server
     * ended the stream, whatever its status.  |is_unseen|: it is certain that the server did not
     * process it (never sent, refused, or above the last stream of a GOAWAY). */
    void (*on_close)(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg);
    void *arg;
} lw_h2_call_sink;

/* Opens a stream: |method| and |path|, with |headers| (lower case) in addition to those of HTTP/2.
 * May be called while connecting; the call then waits, as it does while the server's concurrency
 * limit is reached.  LW_ERR_TOO_MANY, LW_ERR_LIMIT (more than LW_HTTP_HEADERS_MAX headers),
 * LW_ERR_NOMEM, LW_ERR_STOPPED (down or closing). */
lw_status lw_h2_call_open(lw_h2_call **out, lw_h2_client *client, lw_str method, lw_str path,
                          const lw_http_header *headers, size_t count, const lw_h2_call_sink *sink);

/* Sends a piece of the body; takes ownership, even on error.  |is_last|: nothing follows.
 * LW_ERR_LIMIT (the queue is full), LW_ERR_NOMEM, LW_ERR_STOPPED (after the last). */
lw_status lw_h2_call_send(lw_h2_call *call, lw_bytes bytes, bool is_last);

/* Returns the queued bytes that are not framed yet. */
size_t lw_h2_call_pending(const lw_h2_call *call);

/* Ends the call at once and resets its stream (RST_STREAM); no callback follows.  NULL does
 * nothing. */
void lw_h2_call_reset(lw_h2_call *call);

/* Pauses or resumes receiving: while it is paused, the server may still send the rest of the
 * stream's window, at most LW_H2_CLIENT_WINDOW, which is reported as usual.  Other calls are not
 * affected. */
void lw_h2_call_set_paused(lw_h2_call *call, bool is_paused);

#endif
