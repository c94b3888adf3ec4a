/* SPDX-License-Identifier: Apache-2.0 */
/* tls_peer.c -- which of two CAs has signed a client's certificate: that of clients, or that of an
 * authenticating proxy.  The handshake accepts both. */
#include "net/tls/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/* Returns a store with the CAs of |file|, and adds them to those that the handshake accepts. */
static X509_STORE *load_store(SSL_CTX *ssl, const char *file)
{
    X509_STORE *store = X509_STORE_new();
    if (store && X509_STORE_load_file(store, file) == 1 && SSL_CTX_load_verify_file(ssl, file) == 1)
        return store;
    X509_STORE_free(store);
    return NULL;
}

lw_status lw_tls__use_proxy_ca(lw_tls_context *context, const char *client_ca_file,
                               const char *proxy_ca_file, lw_error *err)
{
    context->proxy_cas = load_store(context->ssl, proxy_ca_file);
    if (!context->proxy_cas)
        return lw_tls__error(err, LW_ERR_INVALID, proxy_ca_file);
    /* The server names the CAs in its request for a certificate. */
    STACK_OF(X509_NAME) *names = SSL_CTX_get_client_CA_list(context->ssl);
    if (names && SSL_add_file_cert_subjects_to_stack(names, proxy_ca_file) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, proxy_ca_file);
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    if (!client_ca_file)
        return LW_OK;
    context->client_cas = load_store(context->ssl, client_ca_file);
    return context->client_cas ? LW_OK : lw_tls__error(err, LW_ERR_INVALID, client_ca_file);
}

void lw_tls__share_cas(lw_tls_context *fresh, const lw_tls_context *context)
{
    if (context->proxy_cas && X509_STORE_up_ref(context->proxy_cas) == 1)
        fresh->proxy_cas = context->proxy_cas;
    if (context->client_cas && X509_STORE_up_ref(context->client_cas) == 1)
        fresh->client_cas = context->client_cas;
}

void lw_tls__free_cas(lw_tls_context *context)
{
    X509_STORE_free(context->proxy_cas);
    X509_STORE_free(context->client_cas);
}

bool lw_tls__is_signed_by(struct ssl_st *ssl, struct x509_store_st *cas)
{
    X509_STORE_CTX *check = cas ? X509_STORE_CTX_new() : NULL;
    bool is_signed = check &&
                     X509_STORE_CTX_init(check, cas, SSL_get0_peer_certificate(ssl),
                                         SSL_get_peer_cert_chain(ssl)) == 1 &&
                     X509_STORE_CTX_set_default(check, "ssl_client") == 1 &&
                     X509_verify_cert(check) == 1;
    X509_STORE_CTX_free(check);
    ERR_clear_error();
    return is_signed;
}
