/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.h -- a checked copy of an lw_transport_endpoint in the form that curl needs. */
#ifndef LW_TRANSPORT_UPSTREAM_H
#define LW_TRANSPORT_UPSTREAM_H

#include "transport/transport.h"

typedef struct lw_upstream {
    char *server;      /* for messages: "https://host:6443" */
    char *base_url;    /* targets are appended; its host is the name for TLS */
    char *host_header; /* "Host: ..." if the host of the URL is not the server; otherwise NULL */
    char *connect_to;  /* "name:port:host:port" likewise */
    char *proxy_url;   /* NULL: from the environment */
    lw_str ca_pem, cert_pem, key_pem; /* owned */
    bool is_tls, is_insecure;
} lw_upstream;

/* Copies |from|.  LW_ERR_INVALID (the message names the problem), LW_ERR_NOMEM; then there is
 * nothing to free. */
lw_status lw_upstream_init(lw_upstream *upstream, const lw_transport_endpoint *from, lw_error *err);

/* Copies |from|.  LW_ERR_NOMEM; then there is nothing to free. */
lw_status lw_upstream_copy(lw_upstream *upstream, const lw_upstream *from);

/* Frees the members; a zeroed struct is allowed. */
void lw_upstream_done(lw_upstream *upstream);

/* Returns true if both can share connections. */
bool lw_upstream_is_same(const lw_upstream *a, const lw_upstream *b);

#endif
