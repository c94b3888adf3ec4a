/* SPDX-License-Identifier: Apache-2.0 */
/* tls_client.c -- shared by all TLS connections of a client: the trusted CAs and its certificate.
 *
 * A server is trusted if its certificate is signed by one of the CAs and matches the host name (RFC
 * 9525).  HTTP/2 is the only protocol that is offered. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "net/tls_context.h"

static lw_status use_ca(SSL_CTX *ssl, const char *file, lw_error *err)
{
    if (file && SSL_CTX_load_verify_file(ssl, file) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, file);
    if (!file && SSL_CTX_set_default_verify_paths(ssl) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, "the system's certificate authorities");
    return LW_OK;
}

static lw_status set_up(lw_tls_context *context, const lw_tls_client_options *options,
                        lw_error *err)
{
    static const unsigned char protocols[] = "\x02h2";
    if (!options->cert_file != !options->key_file)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "a client certificate requires its private key and vice versa: set both or neither");
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    lw_status st = use_ca(context->ssl, options->ca_file, err);
    if (st == LW_OK && options->cert_file)
        st = lw_tls__use_certificate(context, options->cert_file, options->key_file, err);
    /* This OpenSSL function returns 0 for success. */
    if (st == LW_OK && SSL_CTX_set_alpn_protos(context->ssl, protocols, sizeof(protocols) - 1) != 0)
        st = lw_error_nomem(err);
    return st;
}

lw_status lw_tls_client_context_new(lw_tls_context **out, const lw_tls_client_options *options,
                                    lw_error *err)
{
    lw_tls_context *context = NULL;
    lw_status st = lw_tls__context_new(&context, true, err);
    if (st < 0)
        return st;
    st = set_up(context, options, err);
    ERR_clear_error();
    if (st < 0) {
        lw_tls_context_free(context);
        return st;
    }
    *out = context;
    return LW_OK;
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
