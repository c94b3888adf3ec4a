/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.h -- an lw_transport_endpoint of one's own, checked and in the words that curl wants. */
#ifndef LW_TRANSPORT_UPSTREAM_H
#define LW_TRANSPORT_UPSTREAM_H

#include "transport/transport.h"

typedef struct lw_upstream {
    char *server;      /* for messages: "https://host:6443" */
    char *base_url;    /* targets are appended; its host is the name that TLS is to see */
    char *host_header; /* "Host: ..." where the URL's host is not the server's; else NULL */
    char *connect_to;  /* "name:port:host:port" likewise */
    char *proxy_url;   /* NULL: the environment decides */
    lw_str ca_pem, cert_pem, key_pem; /* owned */
    bool is_tls, is_insecure;
} lw_upstream;

/* Copies |from|.  LW_ERR_INVALID (the message says what), LW_ERR_NOMEM; nothing to free then. */
lw_status lw_upstream_init(lw_upstream *upstream, const lw_transport_endpoint *from, lw_error *err);

/* Copies |from|.  LW_ERR_NOMEM; nothing to free then. */
lw_status lw_upstream_copy(lw_upstream *upstream, const lw_upstream *from);

/* Frees what it owns; a zeroed one is fine. */
void lw_upstream_done(lw_upstream *upstream);

/* True when connections for the one serve the other. */
bool lw_upstream_is_same(const lw_upstream *a, const lw_upstream *b);

#endif
