/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client.h -- our side of one HTTP/2 connection to a server: dialled, secured, many streams.
 *
 *     open ──▶ dialling ──▶ (TLS, ALPN h2) ──▶ greeting ──the server's SETTINGS──▶ up ──▶ down
 *
 * Everything happens on the loop that it was given, and nothing waits: what the server does not
 * take stays queued, within bounds.  A connection that is down is not mended: open another.
 *
 * Callbacks come from the loop, never from within the functions below, and all of these may be
 * called from them.  Views handed to a callback die when it returns. */
#ifndef LW_NET_H2_CLIENT_H
#define LW_NET_H2_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "net/http.h"
#include "net/loop.h"
#include "net/tls.h"

enum {
    LW_H2_CLIENT_WINDOW = 16 * 1024 * 1024,            /* bytes a stream may send ahead of us */
    LW_H2_CLIENT_CONNECTION_WINDOW = 64 * 1024 * 1024, /* all of them together */
    LW_H2_CLIENT_QUEUE_MAX = 64 * 1024 * 1024,         /* bytes of requests queued to the server */
    LW_H2_CLIENT_HEAD_MAX = 64 * 1024, /* bytes of the heads and trailers of one reply */
    LW_H2_CLIENT_STREAMS_MAX = 10000,  /* under way or waiting for the server to take them */
};

typedef struct lw_h2_client lw_h2_client;
typedef struct lw_h2_call lw_h2_call;

/* Where to, and what to tell.  Strings are copied; |tls| is kept alive. */
typedef struct lw_h2_client_options {
    const char *host; /* a name or an IP address, without brackets; names are looked up on a thread
                         of their own, all their addresses are tried */
    uint16_t port;
    lw_tls_context *tls; /* a client's (tls.h); NULL: plain, with prior knowledge */
    /* What :authority says, and, without its port, whom the certificate must be for; NULL: host and
     * port. */
    const char *authority;
    int connect_timeout_ms; /* to be up, TLS included; > 0 */
    int ping_idle_ms;       /* a PING after so much silence while there are calls; 0: none ... */
    int ping_timeout_ms;    /* ... and down when nothing at all came so long after it; > 0 */
    /* Streams may be opened; those opened before are on their way.  May be NULL. */
    void (*on_up)(lw_h2_client *client, void *arg);
    /* Once: it is over, |err| says why (LW_ERR_UNAVAILABLE: not there, or gone; LW_ERR_TIMEOUT;
     * LW_ERR_INVALID: not to be trusted, or no server of HTTP/2; LW_ERR_INTERNAL: it breaks the
     * rules; LW_ERR_NOMEM, LW_ERR_IO); every call was told before.  May free the client.  Not
     * called by lw_h2_client_free.  May be NULL. */
    void (*on_down)(lw_h2_client *client, const lw_error *err, void *arg);
    void *arg;
} lw_h2_client_options;

/* Begins to dial and returns.  LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_h2_client_open(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                            lw_error *err);

/* Closes; its calls are dropped without a callback.  NULL does nothing.  Also from its callbacks.
 */
void lw_h2_client_free(lw_h2_client *client);

/* It takes no new calls: the server has said so (GOAWAY), and what is under way may still end well;
 * or it is down. */
bool lw_h2_client_is_closing(const lw_h2_client *client);

/* What becomes of one stream.  Any may be NULL but on_close. */
typedef struct lw_h2_call_sink {
    void (*on_head)(lw_h2_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg);
    void (*on_data)(lw_h2_call *call, const char *bytes, size_t len, void *arg);
    void (*on_trailers)(lw_h2_call *call, const lw_http_header *headers, size_t count, void *arg);
    /* Once, and last, |call| is gone then: |err| is NULL when the server ended it, whatever it
     * said. |is_unseen|: it is certain that the server did not begin to handle it (never sent,
     * refused, above the last stream of a GOAWAY). */
    void (*on_close)(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg);
    void *arg;
} lw_h2_call_sink;

/* Opens a stream: a POST to |path| with |headers| (lower case) beside the ones of HTTP/2 itself.
 * May be called while it is dialling; it waits then, and while the server takes no more at once.
 * LW_ERR_TOO_MANY, LW_ERR_LIMIT (more than LW_HTTP_HEADERS_MAX headers), LW_ERR_NOMEM,
 * LW_ERR_STOPPED (down or closing). */
lw_status lw_h2_call_open(lw_h2_call **out, lw_h2_client *client, lw_str path,
                          const lw_http_header *headers, size_t count, const lw_h2_call_sink *sink);

/* Sends a piece of the body; takes it, on error too.  |is_last|: nothing follows.  LW_ERR_LIMIT
 * (the queue is full), LW_ERR_NOMEM, LW_ERR_STOPPED (after the last). */
lw_status lw_h2_call_send(lw_h2_call *call, lw_bytes bytes, bool is_last);

/* Ends it at once, on the wire too (RST_STREAM); no callback comes any more.  NULL does nothing. */
void lw_h2_call_reset(lw_h2_call *call);

/* Holds back and gives again: while it is paused the server may send what is left of the stream's
 * window, LW_H2_CLIENT_WINDOW at most, which is told as ever; the rest waits on its side.  Other
 * calls are not held up. */
void lw_h2_call_set_paused(lw_h2_call *call, bool is_paused);

#endif
