/* SPDX-License-Identifier: Apache-2.0 */
/* tls_client.c -- shared by all TLS connections of a client: the trusted CAs and its certificate.
 *
 * A server is trusted if its certificate is signed by one of the CAs and matches the host name (RFC
 * 9525), unless verification is skipped. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "base/str.h"
#include "net/tls/tls_context.h"

static lw_status use_ca(SSL_CTX *ssl, const char *file, lw_error *err)
{
    if (file && SSL_CTX_load_verify_file(ssl, file) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, file);
    if (!file && SSL_CTX_set_default_verify_paths(ssl) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, "the system's certificate authorities");
    return LW_OK;
}

static lw_status one_without_the_other(lw_error *err)
{
    return lw_error_set(
        err, LW_ERR_INVALID,
        "a client certificate requires its private key and vice versa: set both or neither");
}

/* Creates a context that offers |protocols| (ALPN) and verifies the server. */
static lw_status client_new(lw_tls_context **out, lw_str protocols, lw_error *err)
{
    lw_tls_context *context = NULL;
    lw_status st = lw_tls__context_new(&context, true, err);
    if (st < 0)
        return st;
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    /* As Kubernetes does it: each certificate of the bundle is trusted, also one that is not
     * self-signed.  Tests of operators give the certificate of their webhook as its CA. */
    (void)X509_STORE_set_flags(SSL_CTX_get_cert_store(context->ssl), X509_V_FLAG_PARTIAL_CHAIN);
    /* This OpenSSL function returns 0 for success. */
    if (SSL_CTX_set_alpn_protos(context->ssl, (const unsigned char *)protocols.ptr,
                                (unsigned)protocols.len) != 0) {
        ERR_clear_error();
        lw_tls_context_free(context);
        return lw_error_nomem(err);
    }
    *out = context;
    return LW_OK;
}

/* Ends a constructor: |st| is its result so far. */
static lw_status finish(lw_tls_context **out, lw_tls_context *context, lw_status st)
{
    ERR_clear_error();
    if (st < 0)
        lw_tls_context_free(context);
    else
        *out = context;
    return st;
}

lw_status lw_tls_client_context_new(lw_tls_context **out, const lw_tls_client_options *options,
                                    lw_error *err)
{
    lw_tls_context *context = NULL;
    if (!options->cert_file != !options->key_file)
        return one_without_the_other(err);
    lw_status st = client_new(&context, LW_STR("\x02h2"), err);
    if (st == LW_OK)
        st = use_ca(context->ssl, options->ca_file, err);
    if (st == LW_OK && options->cert_file)
        st = lw_tls__use_certificate(context, options->cert_file, options->key_file, err);
    return finish(out, context, st);
}

lw_status lw_tls_client_context_new_pem(lw_tls_context **out, const lw_tls_pem_options *options,
                                        lw_error *err)
{
    lw_tls_context *context = NULL;
    if (lw_str_is_empty(options->cert) != lw_str_is_empty(options->key))
        return one_without_the_other(err);
    lw_status st = client_new(&context, LW_STR("\x02h2\x08http/1.1"), err);
    if (st == LW_OK && !lw_str_is_empty(options->ca))
        st = lw_tls__use_ca_pem(context, options->ca, err);
    else if (st == LW_OK && !options->skips_verification) /* the system's take long to load */
        st = use_ca(context->ssl, NULL, err);
    if (st == LW_OK && !lw_str_is_empty(options->cert))
        st = lw_tls__use_certificate_pem(context, options->cert, options->key, err);
    if (st == LW_OK && options->skips_verification)
        SSL_CTX_set_verify(context->ssl, SSL_VERIFY_NONE, NULL);
    return finish(out, context, st);
}

bool lw_tls__expect(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
    /* An IP address is matched as an address, and must not be sent as a server name (RFC 6066,
     * 3). */
    if (X509_VERIFY_PARAM_set1_ip_asc(param, host) == 1)
        return true;
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    /* OpenSSL's macro casts the const away, which clang warns about. */
    union {
        const char *given;
        void *taken;
    } name = { host };
    return X509_VERIFY_PARAM_set1_host(param, host, 0) == 1 &&
           SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.taken) == 1;
}
