/* SPDX-License-Identifier: Apache-2.0 */
/* tls_pem.c -- certificates, keys and CAs of a context from PEM text: a caBundle or a kubeconfig
 * has them as bytes, not as files. */
#include <limits.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "base/error.h"
#include "crypto/pem_key.h"
#include "net/tls/tls_context.h"

/* Returns a reader of |text|; NULL and |*st| set: out of memory, or larger than OpenSSL's int. */
static BIO *open_text(lw_str text, lw_status *st, lw_error *err)
{
    if (text.len > INT_MAX) {
        *st = lw_error_set(err, LW_ERR_LIMIT, "PEM text is %zu bytes; the limit is %d", text.len,
                           INT_MAX);
        return NULL;
    }
    BIO *bio = BIO_new_mem_buf(text.ptr, (int)text.len);
    if (!bio)
        *st = lw_error_nomem(err);
    return bio;
}

/* After the last block, OpenSSL reports that no line starts another one. */
static bool is_end_of_pem(void)
{
    unsigned long code = ERR_peek_last_error();
    bool is_end = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
    if (is_end)
        ERR_clear_error();
    return is_end;
}

lw_status lw_tls__use_ca_pem(lw_tls_context *context, lw_str ca, lw_error *err)
{
    lw_status st = LW_OK;
    size_t count = 0;
    BIO *bio = open_text(ca, &st, err);
    if (!bio)
        return st;
    X509_STORE *store = SSL_CTX_get_cert_store(context->ssl);
    for (X509 *cert; st == LW_OK && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL)); count++) {
        if (X509_STORE_add_cert(store, cert) != 1)
            st = lw_tls__error(err, LW_ERR_INVALID, "certificate authorities");
        X509_free(cert);
    }
    BIO_free(bio);
    if (st == LW_OK && (!is_end_of_pem() || count == 0))
        st = lw_tls__error(err, LW_ERR_INVALID, "certificate authorities (PEM)");
    return st;
}

static lw_status use_chain(SSL_CTX *ssl, BIO *bio, lw_error *err)
{
    X509 *cert = PEM_read_bio_X509(bio, NULL, lw_tls__no_password, NULL);
    bool is_used = cert && SSL_CTX_use_certificate(ssl, cert) == 1;
    X509_free(cert);
    while (is_used && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        is_used = SSL_CTX_add0_chain_cert(ssl, cert) == 1;
        if (!is_used)
            X509_free(cert);
    }
    return is_used && is_end_of_pem()
               ? LW_OK
               : lw_tls__error(err, LW_ERR_INVALID, "client certificate (PEM)");
}

static lw_status use_key(SSL_CTX *ssl, lw_str pem, lw_error *err)
{
    EVP_PKEY *key = lw_pem_key_read(pem);
    bool is_used =
        key && SSL_CTX_use_PrivateKey(ssl, key) == 1 && SSL_CTX_check_private_key(ssl) == 1;
    EVP_PKEY_free(key);
    return is_used ? LW_OK : lw_tls__error(err, LW_ERR_INVALID, "private key of the client (PEM)");
}

lw_status lw_tls__use_certificate_pem(lw_tls_context *context, lw_str cert, lw_str key,
                                      lw_error *err)
{
    lw_status st = LW_OK;
    BIO *bio = open_text(cert, &st, err);
    if (st == LW_OK)
        st = use_chain(context->ssl, bio, err);
    if (st == LW_OK)
        st = use_key(context->ssl, key, err);
    BIO_free(bio);
    return st;
}
