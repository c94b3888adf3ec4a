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
};

/* How TLS reads from and writes to a socket; the BIO's data is an int *.  NULL without memory. */
struct bio_method_st *lw_tls__socket_method(void);

/* For keys behind a password (pem_password_cb): nobody is asked for it. */
int lw_tls__no_password(char *out, int size, int is_writing, void *arg);

void lw_tls__context_unref(lw_tls_context *context);

/* Records the oldest error of OpenSSL as "|what|: reason" and forgets the others. */
lw_status lw_tls__error(lw_error *err, lw_status st, const char *what);

#endif
