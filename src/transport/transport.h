/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h -- HTTP requests by libcurl's multi interface: one descriptor, one timeout, one
 * dispatch.
 *
 * A transport belongs to one thread at a time.  Nothing here waits.  Callbacks run inside dispatch;
 * they may start and cancel transfers, their own too, but not dispatch. */
#ifndef LW_TRANSPORT_TRANSPORT_H
#define LW_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>

enum {
    LW_TRANSPORT_TRANSFERS_MAX = 4096, /* under way at once */
};

typedef struct lw_transport lw_transport;
typedef struct lw_transfer lw_transfer;

/* Where requests of one kind go.  Copied by lw_transport_set_endpoint. */
typedef struct lw_transport_endpoint {
    const char *server;               /* "https://host:6443" */
    const char *tls_server_name;      /* NULL: the host's */
    const char *proxy_url;            /* NULL: http_proxy and its kin decide */
    lw_str ca_pem, cert_pem, key_pem; /* empty: the system's CAs, no certificate */
    bool is_insecure;
} lw_transport_endpoint;

typedef struct lw_transport_options {
    int connect_timeout_s; /* 0: 30 */
    int keepalive_s;       /* a silent connection is probed after this long; 0: 30 */
    int keepalive_reply_s; /* and given up after so much more; 0: 15 */
    /* To the server by HTTP/2, which transfers share; 0: 4.  It is more where that would let
     * transfers wait for each other: one for each 64 of them, and by HTTP/1.1 as many as there
     * are transfers. */
    size_t max_connections;
    /* That transfers' timeouts go by, lives as long as the transport; NULL: the system's.  curl has
     * its own: connecting and keepalive take real time. */
    const lw_clock *clock;
} lw_transport_options;

lw_status lw_transport_new(lw_transport **out, const lw_transport_options *options, lw_error *err);

/* Cancels what is under way.  NULL does nothing. */
void lw_transport_free(lw_transport *transport);

/* Sets or changes where requests go; transfers under way stay on their connections, new ones get
 * new connections.  The same endpoint again changes nothing.  Of more than a few old endpoints the
 * oldest one's transfers end as LW_ERR_UNAVAILABLE.  LW_ERR_INVALID: a URL, certificate or key that
 * cannot be used; whether a key fits its certificate shows when a connection is made. */
lw_status lw_transport_set_endpoint(lw_transport *transport, const lw_transport_endpoint *endpoint,
                                    lw_error *err);

int lw_transport_fd(const lw_transport *transport);         /* readable: dispatch */
int lw_transport_timeout_ms(const lw_transport *transport); /* -1: no need */
void lw_transport_dispatch(lw_transport *transport);

/* How a transfer ended. */
typedef struct lw_transfer_result {
    lw_status st;    /* LW_OK: the reply is complete, whatever its status.  LW_ERR_UNAVAILABLE: not
                        reached, refused, reset, cut short.  LW_ERR_TIMEOUT, LW_ERR_INVALID (TLS, no
                        HTTP), LW_ERR_NOMEM */
    lw_error err;    /* when not LW_OK: names the server and the trouble */
    int status;      /* HTTP; 0: no reply */
    bool is_refused; /* nobody listens there */
    bool is_truncated; /* the body ended before its end */
} lw_transfer_result;

typedef struct lw_transfer_options {
    const char *method;         /* "GET" */
    const char *target;         /* path and query, escaped */
    const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
    lw_str body;                /* copied */
    int timeout_s;              /* for all of it; 0: none */
    int idle_timeout_s;         /* without a byte; 0: none */
    bool is_uncompressed;       /* a stream: asks for no gzip, see curl_setup.c */
    /* The head of the reply is in; |retry_after| is its header, or empty.  May be NULL. */
    void (*on_head)(lw_transfer *transfer, int status, lw_str content_type, lw_str retry_after,
                    void *arg);
    /* Bytes of the body, decompressed. */
    void (*on_body)(lw_transfer *transfer, const char *bytes, size_t len, void *arg);
    /* The end; the transfer is gone after this. */
    void (*on_done)(lw_transfer *transfer, const lw_transfer_result *result, void *arg);
    void *arg;
} lw_transfer_options;

/* Starts a request; callbacks come from a later dispatch.  Strings are copied.  LW_ERR_INVALID (no
 * endpoint, or what cannot be a method, path or header), LW_ERR_LIMIT (as many are under way as
 * may be), LW_ERR_NOMEM. */
lw_status lw_transport_start(lw_transport *transport, const lw_transfer_options *options,
                             lw_transfer **out, lw_error *err);

/* Ends it at once; no callback comes any more.  NULL does nothing. */
void lw_transfer_cancel(lw_transfer *transfer);

/* Stops and starts its reading, so that a consumer can take its time; its idle timeout stands still
 * meanwhile.  on_done may come all the same, when there is nothing more to read. */
void lw_transfer_set_paused(lw_transfer *transfer, bool is_paused);

/* Bytes received (heads, and bodies as they are handed over) and transfers started so far;
 * connections open now. */
typedef struct lw_transport_stats {
    uint64_t bytes_in, transfers, connections;
} lw_transport_stats;

void lw_transport_read_stats(const lw_transport *transport, lw_transport_stats *stats);

#endif
