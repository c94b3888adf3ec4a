/* SPDX-License-Identifier: Apache-2.0 */
/* tls_context.h -- internals of an lw_tls_context, for src/net/tls. */
#ifndef LW_NET_TLS_TLS_CONTEXT_H
#define LW_NET_TLS_TLS_CONTEXT_H

#include "base/ref.h"
#include "base/sync.h"
#include "net/tls/tls.h"

struct ssl_st;

struct lw_tls_context {
    lw_ref refs;               /* one of its owner, and one per stream */
    struct ssl_ctx_st *ssl;    /* SSL_CTX */
    struct bio_method_st *bio; /* BIO_METHOD: how streams access their sockets */
    bool is_client;
    lw_mutex mu;           /* guards |newer| */
    lw_tls_context *newer; /* a reference: used for new streams instead; NULL: none */
    /* With an authenticating proxy: which CA has signed what; otherwise NULL. */
    struct x509_store_st *client_cas, *proxy_cas; /* X509_STORE */
};

/* Accepts certificates that the CAs of |proxy_ca_file| have signed, besides those of
 * |client_ca_file| (may be NULL), and remembers which is which.  LW_ERR_INVALID. */
lw_status lw_tls__use_proxy_ca(lw_tls_context *context, const char *client_ca_file,
                               const char *proxy_ca_file, lw_error *err);
void lw_tls__free_cas(lw_tls_context *context);

/* |fresh|, which has no CAs, gets those of |context|. */
void lw_tls__share_cas(lw_tls_context *fresh, const lw_tls_context *context);

/* Returns true if |cas| have signed the certificate of the client of |ssl|; NULL: false. */
bool lw_tls__is_signed_by(struct ssl_st *ssl, struct x509_store_st *cas);

/* Creates a context of either side with the common settings: versions, buffers, no resumption.
 * LW_ERR_NOMEM. */
lw_status lw_tls__context_new(lw_tls_context **out, bool is_client, lw_error *err);

/* Sets its certificate and key. */
lw_status lw_tls__use_certificate(lw_tls_context *context, const char *cert_file,
                                  const char *key_file, lw_error *err);

/* The same from PEM text, and the CAs that verify the peer's certificate; see tls_pem.c. */
lw_status lw_tls__use_certificate_pem(lw_tls_context *context, lw_str cert, lw_str key,
                                      lw_error *err);
lw_status lw_tls__use_ca_pem(lw_tls_context *context, lw_str ca, lw_error *err);

/* Sets the host that |ssl| (SSL) connects to, a name or IP address: it is sent in the handshake,
 * and the certificate must match it.  False: out of memory. */
bool lw_tls__expect(struct ssl_st *ssl, const char *host);

/* Returns how TLS reads from and writes to a socket; the BIO's data is an int *.  NULL: out of
 * memory. */
struct bio_method_st *lw_tls__socket_method(void);

/* For encrypted keys (pem_password_cb): no password is requested. */
int lw_tls__no_password(char *out, int size, int is_writing, void *arg);

void lw_tls__context_unref(lw_tls_context *context);

/* Returns what new streams use, with a reference: |context|, or what has renewed it. */
lw_tls_context *lw_tls__context_current_ref(lw_tls_context *context);

/* Sets |err| to the oldest error of OpenSSL as "|what|: reason" and clears the others. */
lw_status lw_tls__error(lw_error *err, lw_status st, const char *what);

#endif
