/* SPDX-License-Identifier: Apache-2.0 */
/* http_server.h -- listens, accepts connections, and serves HTTP/1.1, HTTP/2 and WebSocket on one
 * port.
 *
 * A connection stays on one loop.  A plain connection that begins with the HTTP/2 preface is HTTP/2
 * (prior knowledge); with TLS, ALPN decides. */
#ifndef LW_NET_HTTP_SERVER_H
#define LW_NET_HTTP_SERVER_H

#include <listwatch/log.h>

#include "net/http.h"
#include "net/tls/tls.h"

/* Zero means the LW_HTTP_... default. */
typedef struct lw_http_limits {
    size_t connections;
    size_t per_source;  /* LW_HTTP_PER_SOURCE_MAX */
    size_t descriptors; /* default: the process's limit (RLIMIT_NOFILE) */
    int64_t handshake_timeout_ns, head_timeout_ns, body_timeout_ns, idle_timeout_ns,
        stall_timeout_ns;
} lw_http_limits;

typedef struct lw_http_server_options {
    lw_loop *const *loops; /* connections are distributed over them in turn */
    size_t loop_count;
    lw_http_handler handler;
    lw_http_limits limits;
    const lw_logger *logger; /* may be NULL */
} lw_http_server_options;

typedef struct lw_http_server lw_http_server;

lw_status lw_http_server_new(lw_http_server **out, const lw_http_server_options *options,
                             lw_error *err);

/* Listens on |address| (e.g. "127.0.0.1:6443" or "[::1]:0"); |tls| NULL: plain HTTP.  Before the
 * loops run, or on the first loop.  Sets |port| to the actual port.  LW_ERR_INVALID (not an
 * address), LW_ERR_IO (in use, not permitted). */
lw_status lw_http_server_listen(lw_http_server *server, lw_str address, lw_tls_context *tls,
                                uint16_t *port, lw_error *err);

/* Stops accepting, closes connections after their current request (HTTP/1.1 Connection: close,
 * HTTP/2 GOAWAY), and calls |drained| on the first loop when the last connection has closed.
 * Replies in progress continue: streaming replies must be ended by their producers.  Any thread. */
void lw_http_server_drain(lw_http_server *server, void (*drained)(void *arg), void *arg);

/* Closes the remaining connections.  The loops must not run any more.  NULL does nothing. */
void lw_http_server_free(lw_http_server *server);

/* Statistics of the server; any thread. */
typedef struct lw_http_stats {
    uint64_t connections_open, connections_accepted, connections_refused;
    uint64_t connections_evicted; /* unauthenticated, closed to make room */
    uint64_t streams_open, requests, bytes_in, bytes_out, protocol_errors, timeouts;
} lw_http_stats;

void lw_http_server_stats(const lw_http_server *server, lw_http_stats *stats);

#endif
