/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h -- TLS 1.2 and newer, by OpenSSL, as bytes in and bytes out. */
#ifndef LW_NET_TLS_H
#define LW_NET_TLS_H

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef struct lw_tls_context lw_tls_context;

typedef struct lw_tls_options {
    const char *cert_file;      /* PEM, the chain */
    const char *key_file;       /* PEM */
    const char *client_ca_file; /* PEM; NULL: client certificates are not asked for */
} lw_tls_options;

/* A server's side.  Errors name the file and what is wrong with it. */
lw_status lw_tls_context_new(lw_tls_context **out, const lw_tls_options *options, lw_error *err);

typedef struct lw_tls_client_options {
    const char *ca_file;   /* PEM, who may sign the server's certificate; NULL: the system's */
    const char *cert_file; /* PEM, the client's own, with its chain; NULL: none */
    const char *key_file;  /* PEM */
} lw_tls_client_options;

/* A client's side: speaks h2 by ALPN, TLS 1.2 or newer, and believes no server whose certificate is
 * not for the name it was called by.  Errors as above. */
lw_status lw_tls_client_context_new(lw_tls_context **out, const lw_tls_client_options *options,
                                    lw_error *err);

/* Another reference, and one less; what is open goes on.  NULL does nothing to the latter. */
lw_tls_context *lw_tls_context_ref(lw_tls_context *context);
void lw_tls_context_free(lw_tls_context *context);

#endif
