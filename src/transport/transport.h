/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h -- HTTP requests with the multi interface of libcurl: one descriptor, one timeout,
 * one dispatch.
 *
 * A transport belongs to one thread at a time.  No function blocks.  Callbacks run in dispatch;
 * they may start and cancel transfers, including their own, but must not call dispatch. */
#ifndef LW_TRANSPORT_TRANSPORT_H
#define LW_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>

enum {
    LW_TRANSPORT_TRANSFERS_MAX = 4096, /* in progress at the same time */
};

typedef struct lw_transport lw_transport;
typedef struct lw_transfer lw_transfer;

/* The server of requests.  Copied by lw_transport_set_endpoint. */
typedef struct lw_transport_endpoint {
    const char *server;          /* "https://host:6443" */
    const char *tls_server_name; /* NULL: the host */
    const char *proxy_url; /* NULL: from the environment (http_proxy, https_proxy, no_proxy) */
    lw_str ca_pem, cert_pem, key_pem; /* empty: the CAs of the system, no client certificate */
    bool is_insecure;
} lw_transport_endpoint;

typedef struct lw_transport_options {
    int connect_timeout_s; /* 0: 30 */
    int keepalive_s;       /* an idle connection is probed after this time; 0: 30 */
    int keepalive_reply_s; /* and closed if there is no reply within this time; 0: 15 */
    /* Connections to the server over HTTP/2, which transfers share; 0: 4.  More are opened so that
     * transfers do not wait for each other: one for each 64 of them, and over HTTP/1.1 one per
     * transfer. */
    size_t max_connections;
    /* Clock for the timeouts of transfers; must outlive the transport; NULL: the system clock. curl
     * uses its own clock for connecting and keepalive. */
    const lw_clock *clock;
} lw_transport_options;

lw_status lw_transport_new(lw_transport **out, const lw_transport_options *options, lw_error *err);

/* Frees the transport and cancels its transfers.  NULL does nothing. */
void lw_transport_free(lw_transport *transport);

/* Sets the server of requests.  Transfers in progress stay on their connections, new ones use new
 * connections.  Setting the same endpoint again does nothing.  If there are too many old endpoints,
 * the transfers of the oldest one end with LW_ERR_UNAVAILABLE.  LW_ERR_INVALID: a URL, certificate
 * or key is invalid; whether a key belongs to its certificate is checked when connecting. */
lw_status lw_transport_set_endpoint(lw_transport *transport, const lw_transport_endpoint *endpoint,
                                    lw_error *err);

int lw_transport_fd(const lw_transport *transport);         /* if readable, call dispatch */
int lw_transport_timeout_ms(const lw_transport *transport); /* -1: none */
void lw_transport_dispatch(lw_transport *transport);

/* The result of a transfer. */
typedef struct lw_transfer_result {
    lw_status st; /* LW_OK: the response is complete, whatever its status.  LW_ERR_UNAVAILABLE: not
                     reachable, refused, reset, truncated.  LW_ERR_TIMEOUT, LW_ERR_INVALID (TLS, not
                     HTTP), LW_ERR_NOMEM */
    lw_error err; /* if not LW_OK; names the server and the problem */
    int status;   /* HTTP status; 0: no response */
    bool is_refused;   /* connection refused */
    bool is_truncated; /* the body is incomplete */
    bool is_lost;      /* no response: the connection, which may be HTTP/2, ended before it */
} lw_transfer_result;

typedef struct lw_transfer_options {
    const char *method;         /* "GET" */
    const char *target;         /* path and query, escaped */
    const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
    lw_str body;                /* copied */
    int64_t timeout_ms;         /* for the whole transfer; 0: none */
    int idle_timeout_s;         /* without receiving or sending a byte; 0: none */
    bool is_uncompressed;       /* for a stream: does not request gzip, see curl_setup.c */
    /* A short request whose response is neither streamed nor paused: without TLS it costs less.
     * Its response is not compressed. */
    bool is_short;
    /* Not NULL: the transfer is a tunnel, see below; on_header, on_head and on_body are not
     * called. */
    void (*on_ready)(lw_transfer *transfer, void *arg);
    /* One header of the response, before on_head; must not cancel the transfer.  May be NULL. */
    void (*on_header)(lw_transfer *transfer, lw_str name, lw_str value, void *arg);
    /* The head of the response is complete; |retry_after| is the header, or empty.  May be NULL. */
    void (*on_head)(lw_transfer *transfer, int status, lw_str content_type, lw_str retry_after,
                    void *arg);
    /* Bytes of the body, decompressed. */
    void (*on_body)(lw_transfer *transfer, const char *bytes, size_t len, void *arg);
    /* The transfer has ended; it is freed afterwards. */
    void (*on_done)(lw_transfer *transfer, const lw_transfer_result *result, void *arg);
    void *arg;
} lw_transfer_options;

/* Starts a request; callbacks come from a later dispatch.  Strings are copied.  LW_ERR_INVALID (no
 * endpoint, or an invalid method, path or header), LW_ERR_LIMIT (too many transfers in progress),
 * LW_ERR_NOMEM. */
lw_status lw_transport_start(lw_transport *transport, const lw_transfer_options *options,
                             lw_transfer **out, lw_error *err);

/* Cancels the transfer; no callback is called any more.  If it has been without a response for a
 * second, new transfers use new connections.  NULL does nothing. */
void lw_transfer_cancel(lw_transfer *transfer);

/* Pauses and resumes reading, for a slow consumer; the idle timeout is suspended meanwhile. on_done
 * may be called during a pause if there is nothing more to read. */
void lw_transfer_set_paused(lw_transfer *transfer, bool is_paused);

/* A tunnel has a connection of its own, over HTTP/1.1, and ends with it.  The transport connects
 * and sends the head of the request; everything after it is up to the caller, also reading the
 * head of the response.  on_ready is called when the tunnel can be read or written as was wanted;
 * first, when the request was sent, with reading wanted.  on_done is called if connecting or
 * sending the request fails, and after a timeout. */

/* Reads at most |size| bytes; |*got| is 0 if there are none at present, |*is_end| is set at the end
 * of the connection.  Only from on_ready.  LW_ERR_UNAVAILABLE: the connection has failed. */
lw_status lw_transfer_read(lw_transfer *transfer, char *dst, size_t size, size_t *got, bool *is_end,
                           lw_error *err);

/* Takes what is possible of |len| bytes; |*sent| may be 0.  Only from on_ready, which must call it,
 * with no bytes if there are none, because a rest of those that it took may have to be sent.
 * LW_ERR_UNAVAILABLE: the connection has failed. */
lw_status lw_transfer_write(lw_transfer *transfer, const char *bytes, size_t len, size_t *sent,
                            lw_error *err);

/* Sets what on_ready is called for.  When reading is wanted again, it is called once in any case,
 * because bytes may have been read from the socket already. */
void lw_transfer_want(lw_transfer *transfer, bool reads, bool writes);

/* Calls on_ready once more, from the next dispatch. */
void lw_transfer_want_again(lw_transfer *transfer);

/* Changes the timeouts: |timeout_ms| counts from the start of the transfer, |idle_timeout_s| from
 * the last byte; 0: none.  LW_ERR_NOMEM. */
lw_status lw_transfer_set_timeouts(lw_transfer *transfer, int64_t timeout_ms, int idle_timeout_s);

/* A descriptor that is polled by dispatch together with the transfers, e.g. a socket whose bytes go
 * through a tunnel.  The caller owns both. */
typedef struct lw_transport_watch {
    int fd;
    void (*on_event)(void *arg); /* readable, writable as wanted, or broken */
    void *arg;
    lw_transport *transport;         /* NULL: is not watched */
    struct lw_transport_watch *next; /* in the transport */
} lw_transport_watch;

/* Start watching; |fd| must not be watched already.  LW_ERR_IO. */
lw_status lw_transport_watch_add(lw_transport *transport, lw_transport_watch *watch, lw_error *err);
void lw_transport_watch_want(lw_transport_watch *watch, bool reads, bool writes);
/* Ends watching, before the descriptor is closed. */
void lw_transport_watch_remove(lw_transport_watch *watch);

/* Bytes received (heads, and bodies after decompression), transfers started so far, and open
 * connections. */
typedef struct lw_transport_stats {
    uint64_t bytes_in, transfers, connections;
} lw_transport_stats;

void lw_transport_read_stats(const lw_transport *transport, lw_transport_stats *stats);

#endif
