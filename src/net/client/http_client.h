/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.h -- HTTP requests of the server to others: webhooks, key sets, aggregated API
 * servers, kubelets.
 *
 *     call ──▶ pool of its target ──▶ idle connection? ──yes──▶ send ──▶ head ──▶ data ──▶ close
 *                                          │ no
 *                                          └▶ dial, TLS, ALPN: HTTP/2 (shared) or HTTP/1.1
 *
 * A client belongs to one loop; nothing blocks.  Connections are kept and used again for the same
 * target.  Callbacks come from the loop, never from inside the functions below, and may call all of
 * them.  Views passed to a callback are valid until it returns. */
#ifndef LW_NET_CLIENT_HTTP_CLIENT_H
#define LW_NET_CLIENT_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "net/http.h"
#include "net/loop.h"
#include "net/tls/tls.h"

enum {
    LW_HTTP_CLIENT_CALLS_MAX = 10000,    /* calls of one client, waiting or in progress */
    LW_HTTP_CLIENT_CONNECTIONS_MAX = 64, /* HTTP/1.1 connections to one target */
    LW_HTTP_CLIENT_IDLE_S = 30,          /* then an idle connection is closed */
    /* Until there is a connection, for a call without a deadline. */
    LW_HTTP_CLIENT_CONNECT_TIMEOUT_S = 30,
    LW_HTTP_CLIENT_HEAD_MAX = 64 * 1024,         /* of a request, and of a reply */
    LW_HTTP_CLIENT_QUEUE_MAX = 64 * 1024 * 1024, /* queued bytes of one call */
    LW_HTTP_CLIENT_ASK_MAX = 64 * 1024 * 1024,   /* reply of lw_http_client_ask without reply_max */
};

typedef struct lw_http_client lw_http_client;
typedef struct lw_http_call lw_http_call;

/* Where a request goes.  Calls with equal targets share connections.  Strings are copied, |tls| is
 * referenced. */
typedef struct lw_http_target {
    const char *host; /* a name or an IP address without brackets: what is dialled */
    uint16_t port;
    lw_tls_context *tls; /* a client context (tls.h); NULL: plain HTTP/1.1 */
    /* The value of Host or :authority; NULL: host and port. */
    const char *authority;
    /* The name that the certificate must have; NULL: the host. */
    const char *server_name;
} lw_http_target;

typedef struct lw_http_call_options {
    lw_http_target target;
    lw_str method;                 /* "POST" */
    lw_str path;                   /* with its query; begins with '/' */
    const lw_http_header *headers; /* in addition to Host, Content-Length and Transfer-Encoding */
    size_t header_count;
    lw_bytes body;         /* ownership passes with the call, even on error */
    bool is_body_streamed; /* more of the body follows by lw_http_call_send; excludes |body| */
    bool is_upgrade;       /* the headers ask for an upgrade: HTTP/1.1, a connection of its own */
    /* By the loop's clock, for everything; 0: none, but LW_HTTP_CLIENT_CONNECT_TIMEOUT_S to get a
     * connection. */
    int64_t deadline_ns;
    /* Bytes of the reply's body above which the call ends with LW_ERR_LIMIT; 0: unlimited. */
    size_t reply_max;
} lw_http_call_options;

/* All but on_close may be NULL. */
typedef struct lw_http_call_sink {
    /* The final head, status 101 included; after 101 on_data and lw_http_call_send carry the bytes
     * of the upgraded connection.  Names of headers are in any case: see lw_http_name_is. */
    void (*on_head)(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg);
    void (*on_data)(lw_http_call *call, const char *bytes, size_t len, void *arg);
    /* What lw_http_call_send has queued has been sent; see lw_http_call_pending. */
    void (*on_drained)(lw_http_call *call, void *arg);
    /* Called once, last; |call| is freed afterwards.  NULL |err|: the reply is complete, whatever
     * its status.  LW_ERR_UNAVAILABLE, LW_ERR_TIMEOUT, LW_ERR_INVALID (not trusted, or not HTTP),
     * LW_ERR_LIMIT, LW_ERR_NOMEM; the message names the target and the reason. */
    void (*on_close)(lw_http_call *call, const lw_error *err, void *arg);
    void *arg;
} lw_http_call_sink;

LW_MUST_CHECK lw_status lw_http_client_new(lw_http_client **out, lw_loop *loop, lw_error *err);

/* Closes all connections; calls are dropped without a callback.  NULL does nothing. */
void lw_http_client_free(lw_http_client *client);

/* Starts a call; |out| may be NULL.  Headers that the client sets itself (see above) and those of
 * one connection (Connection, Upgrade unless is_upgrade) are refused.  A request that was sent on a
 * connection that had been idle and that the server closed without a byte of reply is sent once
 * more on a new connection.  LW_ERR_INVALID, LW_ERR_LIMIT (headers), LW_ERR_TOO_MANY, LW_ERR_NOMEM.
 */
LW_MUST_CHECK lw_status lw_http_client_call(lw_http_call **out, lw_http_client *client,
                                            lw_http_call_options *options,
                                            const lw_http_call_sink *sink, lw_error *err);

/* Sends a piece of the body, or of an upgraded connection; takes ownership, even on error.
 * |is_last|: nothing follows.  LW_ERR_STOPPED (after the last, or before 101), LW_ERR_LIMIT (more
 * than LW_HTTP_CLIENT_QUEUE_MAX are queued), LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_http_call_send(lw_http_call *call, lw_bytes bytes, bool is_last);

/* Returns the bytes that are queued and not yet sent. */
size_t lw_http_call_pending(const lw_http_call *call);

/* Pauses or resumes receiving.  While it is paused, what the server has already sent may still be
 * reported: up to 64 KiB with HTTP/1.1, LW_H2_CLIENT_WINDOW with HTTP/2. */
void lw_http_call_set_paused(lw_http_call *call, bool is_paused);

/* Ends the call at once; no callback follows.  NULL does nothing. */
void lw_http_call_cancel(lw_http_call *call);

/* The simple form: the whole reply, at most reply_max or LW_HTTP_CLIENT_ASK_MAX bytes, in one
 * callback.  |out| may be NULL.  |done| is called once unless the call is
 * cancelled; |err| as in on_close, then |status| is 0 and |body| is empty. */
typedef void (*lw_http_done_fn)(int status, lw_str content_type, lw_str body, const lw_error *err,
                                void *arg);
LW_MUST_CHECK lw_status lw_http_client_ask(lw_http_call **out, lw_http_client *client,
                                           lw_http_call_options *options, lw_http_done_fn done,
                                           void *arg, lw_error *err);

#endif
