/* SPDX-License-Identifier: Apache-2.0 */
/* tls_make.h -- creates keys and certificates for a server that was given none. */
#ifndef LW_NET_TLS_MAKE_H
#define LW_NET_TLS_MAKE_H

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

/* The content of a certificate.  Keys are ECDSA P-256. */
typedef struct lw_tls_subject {
    const char *common_name;
    const char *organization; /* may be NULL */
    const char *const *hosts; /* DNS names and IP addresses, NULL-terminated; NULL: none */
    bool is_ca;
    bool is_client; /* for client authentication, otherwise for a server */
    int64_t days;
} lw_tls_subject;

/* Appends a new key and its certificate as PEM.  |ca_cert| and |ca_key| (PEM) sign it; if both are
 * empty, it is self-signed.  LW_ERR_INVALID (the CA cannot be read), LW_ERR_INTERNAL,
 * LW_ERR_NOMEM. */
lw_status lw_tls_make(const lw_tls_subject *subject, lw_str ca_cert, lw_str ca_key, lw_buf *cert,
                      lw_buf *key, lw_error *err);

#endif
