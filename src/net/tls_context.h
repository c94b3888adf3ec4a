/* SPDX-License-Identifier: Apache-2.0 */
/* tls_context.h -- the inside of an lw_tls_context, for tls*.c. */
#ifndef LW_NET_TLS_CONTEXT_H
#define LW_NET_TLS_CONTEXT_H

#include "base/ref.h"
#include "net/tls.h"

struct lw_tls_context {
    lw_ref refs;               /* its owner's, and one a stream */
    struct ssl_ctx_st *ssl;    /* SSL_CTX */
    struct bio_method_st *bio; /* BIO_METHOD: how streams reach their sockets */
    bool is_client;
};

/* A context of either side, with what both agree on: versions, buffers, no resumption.
 * LW_ERR_NOMEM. */
lw_status lw_tls__context_new(lw_tls_context **out, bool is_client, lw_error *err);

/* Its certificate and key. */
lw_status lw_tls__use_certificate(lw_tls_context *context, const char *cert_file,
                                  const char *key_file, lw_error *err);

/* Whom |ssl| (SSL) calls, by name or IP address: told in the handshake, and the certificate must be
 * for it.  False without memory. */
bool lw_tls__expect(struct ssl_st *ssl, const char *host);

/* How TLS reads from and writes to a socket; the BIO's data is an int *.  NULL without memory. */
struct bio_method_st *lw_tls__socket_method(void);

/* For keys behind a password (pem_password_cb): nobody is asked for it. */
int lw_tls__no_password(char *out, int size, int is_writing, void *arg);

void lw_tls__context_unref(lw_tls_context *context);

/* Records the oldest error of OpenSSL as "|what|: reason" and forgets the others. */
lw_status lw_tls__error(lw_error *err, lw_status st, const char *what);

#endif
