/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.h -- a validated copy of an lw_transport_endpoint in the form that curl needs; and what
 * validates it: the URL of a server, certificates and keys. */
#ifndef LW_TRANSPORT_UPSTREAM_H
#define LW_TRANSPORT_UPSTREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

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

/* Returns LW_ERR_INVALID unless |pem| contains a certificate; |what| is its name in the message. */
lw_status lw_pem_check_certificate(lw_str pem, const char *what, lw_error *err);

/* As lw_pem_check_certificate for a private key, which must not be encrypted with a passphrase. */
lw_status lw_pem_check_key(lw_str pem, const char *what, lw_error *err);

/* The parts of the URL of a server: views of the text that was parsed. */
typedef struct lw_origin {
    bool is_tls;
    lw_str host;      /* without the brackets of an IPv6 address */
    lw_str authority; /* as written: "host:6443", "[::1]:6443", "host" */
    uint16_t port;    /* 443 or 80 if the URL has none */
    lw_str path;      /* prefix of all targets, without a slash at the end; mostly empty */
} lw_origin;

/* Parses "https://host:6443", optionally with a path.  LW_ERR_INVALID: it is something else. */
lw_status lw_origin_parse(lw_origin *out, lw_str url, lw_error *err);

/* Returns true if |text| may be part of a URL, a header or a request line: no spaces, no control
 * characters, only ASCII. */
bool lw_is_url_text(lw_str text);

#endif
