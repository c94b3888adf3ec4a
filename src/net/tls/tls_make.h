/* SPDX-License-Identifier: Apache-2.0 */
/* tls_make.h -- creates keys and certificates for a server that was given none. */
#ifndef LW_NET_TLS_TLS_MAKE_H
#define LW_NET_TLS_TLS_MAKE_H

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

/* A CA that signs: its certificate and its key.  Threads: any one at a time. */
typedef struct lw_tls_ca lw_tls_ca;

/* Reads a CA (PEM).  LW_ERR_INVALID: one of both cannot be read, or they do not match. */
LW_MUST_CHECK lw_status lw_tls_ca_read(lw_tls_ca **out, lw_str cert, lw_str key, lw_error *err);
void lw_tls_ca_free(lw_tls_ca *ca); /* NULL does nothing */

/* Appends a new key and its certificate as PEM, signed by |ca|; NULL: self-signed.  |made| (may be
 * NULL) becomes the same as a CA.  LW_ERR_INTERNAL, LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_tls_issue(const lw_tls_subject *subject, const lw_tls_ca *ca,
                                     lw_buf *cert, lw_buf *key, lw_tls_ca **made, lw_error *err);

/* The same with a CA (PEM) that is read first; if both are empty, self-signed.  LW_ERR_INVALID: as
 * above. */
lw_status lw_tls_make(const lw_tls_subject *subject, lw_str ca_cert, lw_str ca_key, lw_buf *cert,
                      lw_buf *key, lw_error *err);

#endif
