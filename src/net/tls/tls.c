/* SPDX-License-Identifier: Apache-2.0 */
/* tls.c -- shared by all TLS connections of a server: its certificate, its client CA, its ALPN
 * protocols; and what servers have in common with clients (tls_client.c).
 *
 * Client certificates are optional; an invalid one is refused in the handshake.  Sessions are not
 * resumed: each connection authenticates itself. */
#include "net/tls/tls.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "crypto/pem_key.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_secrets.h"

enum {
    KEY_FILE_MAX = 1 << 20,
};

lw_status lw_tls__error(lw_error *err, lw_status st, const char *what)
{
    unsigned long code = ERR_get_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return lw_error_set(err, st, "%s: %s", what, reason ? reason : "OpenSSL gives no reason");
}

int lw_tls__no_password(char *out, int size, int is_writing, void *arg)
{
    (void)out, (void)size, (void)is_writing, (void)arg;
    return -1;
}

/* Selects HTTP/2 if the client offers it (RFC 7301); without a common protocol, HTTP/1.1 is
 * used. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *offered, unsigned offered_len, void *arg)
{
    static const unsigned char known[] = "\x02h2\x08http/1.1";
    unsigned char *chosen;
    (void)ssl, (void)arg;
    if (SSL_select_next_proto(&chosen, out_len, known, sizeof(known) - 1, offered, offered_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static lw_status use_key_file(SSL_CTX *ssl, const char *file, lw_error *err)
{
    lw_buf pem;
    EVP_PKEY *key = NULL;
    lw_buf_init(&pem, KEY_FILE_MAX);
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_file_read(file, &pem, &why);
    if (st == LW_ERR_NOMEM) {
        st = lw_error_nomem(err);
    } else if (st < 0) {
        st = lw_error_set(err, LW_ERR_INVALID, "%s", why.message);
    } else {
        key = lw_pem_key_read(lw_buf_view(&pem));
        if (!key || SSL_CTX_use_PrivateKey(ssl, key) != 1 || SSL_CTX_check_private_key(ssl) != 1)
            st = lw_tls__error(err, LW_ERR_INVALID, file);
    }
    EVP_PKEY_free(key);
    if (pem.data)
        explicit_bzero(pem.data, pem.cap);
    lw_buf_done(&pem);
    return st;
}

lw_status lw_tls__use_certificate(lw_tls_context *context, const char *cert_file,
                                  const char *key_file, lw_error *err)
{
    SSL_CTX_set_default_passwd_cb(context->ssl, lw_tls__no_password);
    if (SSL_CTX_use_certificate_chain_file(context->ssl, cert_file) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, cert_file);
    return use_key_file(context->ssl, key_file, err);
}

static bool has_name(const STACK_OF(X509_NAME) * names, const X509_NAME *name)
{
    for (int i = 0; i < sk_X509_NAME_num(names); i++) {
        if (X509_NAME_cmp(sk_X509_NAME_value(names, i), name) == 0)
            return true;
    }
    return false;
}

/* Returns the names of the CAs in |store|; NULL: out of memory. */
static STACK_OF(X509_NAME) * list_names(X509_STORE *store)
{
    STACK_OF(X509_NAME) *names = sk_X509_NAME_new_null();
    const STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(store);
    for (int i = 0; names && i < sk_X509_OBJECT_num(objects); i++) {
        const X509 *ca = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
        const X509_NAME *name = ca ? X509_get_subject_name(ca) : NULL;
        if (!name || has_name(names, name))
            continue;
        X509_NAME *copy = X509_NAME_dup(name);
        if (!copy || sk_X509_NAME_push(names, copy) <= 0) {
            X509_NAME_free(copy);
            sk_X509_NAME_pop_free(names, X509_NAME_free);
            return NULL;
        }
    }
    return names;
}

static lw_status use_client_ca(SSL_CTX *ssl, const char *file, lw_error *err)
{
    if (SSL_CTX_load_verify_file(ssl, file) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, file);
    STACK_OF(X509_NAME) *names = list_names(SSL_CTX_get_cert_store(ssl));
    if (!names) {
        ERR_clear_error();
        return lw_error_nomem(err);
    }
    SSL_CTX_set_client_CA_list(ssl, names);
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    return LW_OK;
}

static void set_policy(SSL_CTX *ssl, bool is_client)
{
    SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
    SSL_CTX_set_options(ssl, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                 SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* Of a server, buffers exist only while data is transferred: most connections are idle watches.
     * A client has few connections, and keeps the 33 KiB of each from one call to the next. */
    if (!is_client)
        SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
}

lw_status lw_tls__context_new(lw_tls_context **out, bool is_client, lw_error *err)
{
    lw_tls_context *context = lw_alloc_zero(1, sizeof(*context));
    if (!context)
        return lw_error_nomem(err);
    lw_ref_init(&context->refs);
    lw_mutex_init(&context->mu);
    context->bio = lw_tls__socket_method();
    context->ssl = SSL_CTX_new(is_client ? TLS_client_method() : TLS_server_method());
    context->is_client = is_client;
    if (!context->bio || !context->ssl) {
        lw_tls_context_free(context);
        ERR_clear_error();
        return lw_error_nomem(err);
    }
    set_policy(context->ssl, is_client);
    *out = context;
    return LW_OK;
}

/* Of TLS 1.3. */
static const char server_ciphers[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

static lw_status server_context_new(lw_tls_context **out, const char *cert_file,
                                    const char *key_file, lw_error *err)
{
    lw_tls_context *context = NULL;
    lw_status st = lw_tls__context_new(&context, false, err);
    if (st < 0)
        return st;
    /* The cheapest first: 128 bits are enough for what lives as long as a connection.  A client
     * that prefers ChaCha20 has no instructions for AES. */
    SSL_CTX_set_options(context->ssl, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_num_tickets(context->ssl, 0);
    SSL_CTX_set_alpn_select_cb(context->ssl, choose_protocol, NULL);
    SSL_CTX_set_keylog_callback(context->ssl, lw_tls__keep_secret);
    if (SSL_CTX_set_ciphersuites(context->ssl, server_ciphers) != 1)
        st = lw_tls__error(err, LW_ERR_NOMEM, "TLS ciphers");
    else
        st = lw_tls__use_certificate(context, cert_file, key_file, err);
    if (st < 0) {
        lw_tls_context_free(context);
        return st;
    }
    *out = context;
    return LW_OK;
}

lw_status lw_tls_context_new(lw_tls_context **out, const lw_tls_options *options, lw_error *err)
{
    lw_tls_context *context = NULL;
    lw_status st = server_context_new(&context, options->cert_file, options->key_file, err);
    if (st == LW_OK && options->client_ca_file)
        st = use_client_ca(context->ssl, options->client_ca_file, err);
    if (st == LW_OK && options->proxy_ca_file)
        st = lw_tls__use_proxy_ca(context, options->client_ca_file, options->proxy_ca_file, err);
    if (st < 0) {
        lw_tls_context_free(context);
        return st;
    }
    *out = context;
    return LW_OK;
}

lw_tls_context *lw_tls_context_ref(lw_tls_context *context)
{
    lw_ref_inc(&context->refs);
    return context;
}

/* Lets |fresh| verify clients as |context| does. */
static lw_status share_cas(lw_tls_context *fresh, const lw_tls_context *context)
{
    STACK_OF(X509_NAME) *names = SSL_CTX_get_client_CA_list(context->ssl);
    STACK_OF(X509_NAME) *copy = names ? SSL_dup_CA_list(names) : NULL;
    if (names && !copy)
        return LW_ERR_NOMEM;
    SSL_CTX_set_client_CA_list(fresh->ssl, copy);
    SSL_CTX_set1_cert_store(fresh->ssl, SSL_CTX_get_cert_store(context->ssl));
    SSL_CTX_set_verify(fresh->ssl, SSL_CTX_get_verify_mode(context->ssl), NULL);
    lw_tls__share_cas(fresh, context);
    return LW_OK;
}

lw_status lw_tls_context_renew(lw_tls_context *context, const char *cert_file, const char *key_file,
                               lw_error *err)
{
    lw_tls_context *fresh = NULL;
    lw_status st = server_context_new(&fresh, cert_file, key_file, err);
    if (st < 0)
        return st;
    if (share_cas(fresh, context) < 0) {
        lw_tls_context_free(fresh);
        ERR_clear_error();
        return lw_error_nomem(err);
    }
    lw_mutex_lock(&context->mu);
    lw_tls_context *old = context->newer;
    context->newer = fresh;
    lw_mutex_unlock(&context->mu);
    lw_tls_context_free(old);
    return LW_OK;
}

lw_tls_context *lw_tls__context_current_ref(lw_tls_context *context)
{
    lw_mutex_lock(&context->mu);
    lw_tls_context *current = lw_tls_context_ref(context->newer ? context->newer : context);
    lw_mutex_unlock(&context->mu);
    return current;
}

void lw_tls__context_unref(lw_tls_context *context)
{
    if (!lw_ref_dec(&context->refs))
        return;
    lw_tls_context_free(context->newer);
    lw_mutex_done(&context->mu);
    lw_tls__free_cas(context);
    SSL_CTX_free(context->ssl);
    BIO_meth_free(context->bio);
    lw_free(context);
}

void lw_tls_context_free(lw_tls_context *context)
{
    if (context)
        lw_tls__context_unref(context);
}
