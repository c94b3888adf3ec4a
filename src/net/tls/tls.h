/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h -- TLS 1.2 and newer, with OpenSSL. */
#ifndef LW_NET_TLS_TLS_H
#define LW_NET_TLS_TLS_H

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef struct lw_tls_context lw_tls_context;

typedef struct lw_tls_options {
    const char *cert_file;      /* PEM, with its chain */
    const char *key_file;       /* PEM */
    const char *client_ca_file; /* PEM; NULL: client certificates are not requested */
    const char *proxy_ca_file;  /* PEM, CA of an authenticating proxy; NULL: none */
} lw_tls_options;

/* Creates a server context.  Error messages name the file and the reason. */
lw_status lw_tls_context_new(lw_tls_context **out, const lw_tls_options *options, lw_error *err);

typedef struct lw_tls_client_options {
    const char *ca_file;   /* PEM, CAs that verify the server's certificate; NULL: the system's */
    const char *cert_file; /* PEM, the client's certificate with its chain; NULL: none */
    const char *key_file;  /* PEM */
} lw_tls_client_options;

/* Creates a client context: ALPN h2, TLS 1.2 or newer; the server's certificate must match the host
 * name.  Errors as above. */
lw_status lw_tls_client_context_new(lw_tls_context **out, const lw_tls_client_options *options,
                                    lw_error *err);

typedef struct lw_tls_pem_options {
    lw_str ca;   /* PEM, CAs that verify the server's certificate; empty: the system's */
    lw_str cert; /* PEM, the client's certificate with its chain; empty: none */
    lw_str key;  /* PEM */
    bool skips_verification; /* any certificate is accepted: for tests and insecure-skip-tls-verify
                              */
} lw_tls_pem_options;

/* Creates a client context from PEM text: as above, with ALPN h2 and http/1.1.  Errors say which
 * text is malformed. */
lw_status lw_tls_client_context_new_pem(lw_tls_context **out, const lw_tls_pem_options *options,
                                        lw_error *err);

/* Reads a new certificate and key for a server context: connections that are accepted from now on
 * use them, open ones go on.  CAs stay as they are.  On failure nothing changes; the errors of
 * lw_tls_context_new.  Any thread. */
lw_status lw_tls_context_renew(lw_tls_context *context, const char *cert_file, const char *key_file,
                               lw_error *err);

/* Add and release a reference; open connections continue.  lw_tls_context_unref(NULL) does
 * nothing. */
lw_tls_context *lw_tls_context_ref(lw_tls_context *context);
void lw_tls_context_free(lw_tls_context *context);

#endif
