/* SPDX-License-Identifier: Apache-2.0 */
/* tls_stream.c -- one TLS connection on a non-blocking socket: an SSL of OpenSSL, or, after the
 * handshake of a server, a channel (tls_channel.h). */
#include "net/tls/tls_stream.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/alloc.h"
#include "base/error.h"
#include "net/tls/tls_channel.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_secrets.h"

struct lw_tls_stream {
    lw_tls_context *context;
    SSL *ssl;                          /* NULL: |channel| is used instead */
    lw_tls_handshake_secrets *secrets; /* server side: as long as there is |ssl| */
    lw_tls_channel *channel;
    int fd;
    bool is_h2;          /* of a channel */
    bool is_drained;     /* client side: the last read from the socket took all there was */
    unsigned long error; /* OpenSSL's code of the last failure; 0: none */
    lw_str *names; /* of the peer: its common name, then its organizations, then their bytes */
};

/* Not OpenSSL's own socket BIO, because its write() would raise SIGPIPE. */
static int socket_write(BIO *bio, const char *bytes, size_t len, size_t *sent)
{
    lw_tls_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    stream->is_drained = false; /* a reply may follow */
    ssize_t got = send(stream->fd, bytes, len, MSG_NOSIGNAL);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        BIO_set_retry_write(bio);
    if (got < 0)
        return 0;
    *sent = (size_t)got;
    return 1;
}

/* A client reads ahead, as much as there is: the read that would find the socket empty is not made.
 * The loop reports what arrives later, because its events are level-triggered. */
static int socket_read(BIO *bio, char *out, size_t cap, size_t *taken)
{
    lw_tls_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (stream->is_drained) {
        stream->is_drained = false;
        BIO_set_retry_read(bio);
        return 0;
    }
    ssize_t got = recv(stream->fd, out, cap, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        BIO_set_retry_read(bio);
    if (got == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (got <= 0)
        return 0;
    *taken = (size_t)got;
    stream->is_drained = stream->context->is_client && *taken < cap;
    return 1;
}

static long socket_control(BIO *bio, int command, long number, void *pointer)
{
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *lw_tls__socket_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (!method)
        return NULL;
    BIO_meth_set_write_ex(method, socket_write);
    BIO_meth_set_read_ex(method, socket_read);
    BIO_meth_set_ctrl(method, socket_control);
    return method;
}

/* Server side: the secrets of the handshake are kept.  False: out of memory. */
static bool keep_secrets(lw_tls_stream *stream)
{
    if (stream->context->is_client)
        return true;
    stream->secrets = lw_alloc_zero(1, sizeof(*stream->secrets));
    return stream->secrets && SSL_set_app_data(stream->ssl, stream->secrets) == 1;
}

static void drop_secrets(lw_tls_stream *stream)
{
    if (stream->secrets)
        OPENSSL_cleanse(stream->secrets, sizeof(*stream->secrets));
    lw_free(stream->secrets);
    stream->secrets = NULL;
}

lw_status lw_tls_stream_new(lw_tls_stream **out, lw_tls_context *context, int fd)
{
    lw_tls_stream *stream = lw_alloc_zero(1, sizeof(*stream));
    if (!stream)
        return LW_ERR_NOMEM;
    context = lw_tls__context_current_ref(context);
    stream->context = context;
    stream->fd = fd;
    stream->ssl = SSL_new(context->ssl);
    BIO *bio = stream->ssl ? BIO_new(context->bio) : NULL;
    if (!bio || !keep_secrets(stream)) {
        BIO_free(bio);
        lw_tls_stream_free(stream);
        ERR_clear_error();
        return LW_ERR_NOMEM;
    }
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    SSL_set_bio(stream->ssl, bio, bio);
    if (context->is_client)
        SSL_set_connect_state(stream->ssl);
    else
        SSL_set_accept_state(stream->ssl);
    *out = stream;
    return LW_OK;
}

lw_status lw_tls_stream_new_client(lw_tls_stream **out, lw_tls_context *context, int fd,
                                   const char *host)
{
    lw_tls_stream *stream = NULL;
    lw_status st = lw_tls_stream_new(&stream, context, fd);
    if (st < 0)
        return st;
    if (!lw_tls__expect(stream->ssl, host)) {
        lw_tls_stream_free(stream);
        ERR_clear_error();
        return LW_ERR_NOMEM;
    }
    *out = stream;
    return LW_OK;
}

bool lw_tls_stream_offer_h1(lw_tls_stream *stream)
{
    static const unsigned char protocols[] = "\x08http/1.1";
    /* This OpenSSL function returns 0 for success. */
    bool is_set = SSL_set_alpn_protos(stream->ssl, protocols, sizeof(protocols) - 1) == 0;
    ERR_clear_error();
    return is_set;
}

void lw_tls_stream_free(lw_tls_stream *stream)
{
    if (!stream)
        return;
    SSL_free(stream->ssl);
    drop_secrets(stream);
    lw_tls_channel_free(stream->channel);
    lw_tls__context_unref(stream->context);
    lw_free(stream->names);
    lw_free(stream);
}

/* True if nothing of OpenSSL's state matters any more: TLS 1.3, no message under way, and no bytes
 * after the handshake. */
static bool is_settled(const lw_tls_stream *stream)
{
    return SSL_version(stream->ssl) == TLS1_3_VERSION && SSL_is_init_finished(stream->ssl) &&
           !SSL_has_pending(stream->ssl) && !SSL_want_write(stream->ssl);
}

void lw_tls_stream_lighten(lw_tls_stream *stream, lw_tls_engine **engine)
{
    if (stream->channel || !stream->secrets || !is_settled(stream) ||
        !lw_tls__secrets_are_complete(stream->secrets, stream->ssl))
        return;
    if (!*engine)
        *engine = lw_tls_engine_new();
    if (*engine)
        stream->channel = lw_tls_channel_new(*engine, &stream->secrets->secrets, stream->fd);
    if (!stream->channel)
        return;
    stream->is_h2 = lw_tls_stream_is_h2(stream);
    SSL_free(stream->ssl);
    stream->ssl = NULL;
    drop_secrets(stream);
}

/* What others have left would be taken for the reason of the next failure.  Looking is a quarter of
 * the cost of clearing, and there is hardly ever something. */
static void forget_errors(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

static lw_tls_result result_of(lw_tls_stream *stream, int returned)
{
    if (returned == 1) {
        stream->error = 0;
        return LW_TLS_OK;
    }
    int error = SSL_get_error(stream->ssl, returned);
    bool is_plain = error == SSL_ERROR_SSL && ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_SSL &&
                    ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
    stream->error = error == SSL_ERROR_SSL ? ERR_peek_error() : 0;
    forget_errors();
    switch (error) {
    case SSL_ERROR_NONE: return LW_TLS_OK;
    case SSL_ERROR_WANT_READ: return LW_TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return LW_TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return LW_TLS_CLOSED;
    default: return is_plain ? LW_TLS_PLAIN : LW_TLS_FAILED;
    }
}

lw_status lw_tls_stream_error(const lw_tls_stream *stream, lw_error *err)
{
    if (!stream->ssl)
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "the connection failed");
    long verified = SSL_get_verify_result(stream->ssl);
    if (verified != X509_V_OK && SSL_get_verify_mode(stream->ssl) != SSL_VERIFY_NONE)
        return lw_error_set(err, LW_ERR_INVALID, "cannot verify the certificate: %s",
                            X509_verify_cert_error_string(verified));
    if (stream->error == 0)
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "the connection failed");
    const char *reason = ERR_reason_error_string(stream->error);
    return lw_error_set(err, LW_ERR_INVALID, "TLS failed: %s",
                        reason ? reason : "OpenSSL gives no reason");
}

lw_tls_result lw_tls_stream_handshake(lw_tls_stream *stream)
{
    forget_errors();
    return result_of(stream, SSL_do_handshake(stream->ssl));
}

bool lw_tls_stream_is_h2(const lw_tls_stream *stream)
{
    const unsigned char *name;
    unsigned len;
    if (!stream->ssl)
        return stream->is_h2;
    SSL_get0_alpn_selected(stream->ssl, &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}

lw_tls_result lw_tls_stream_read(lw_tls_stream *stream, char *out, size_t cap, size_t *got)
{
    if (stream->channel)
        return lw_tls_channel_read(stream->channel, out, cap, got);
    /* There is nothing in the socket and nothing in TLS: socket_read would say so, but the way
     * there is a third of the cost of a small reply. */
    if (stream->is_drained && !SSL_has_pending(stream->ssl)) {
        stream->is_drained = false;
        return LW_TLS_WANTS_READ;
    }
    forget_errors();
    return result_of(stream, SSL_read_ex(stream->ssl, out, cap, got));
}

lw_tls_result lw_tls_stream_write(lw_tls_stream *stream, const char *bytes, size_t len,
                                  size_t *sent)
{
    if (stream->channel) {
        struct iovec piece = { .iov_len = len };
        memcpy(&piece.iov_base, &bytes, sizeof(bytes)); /* it is only read */
        return lw_tls_channel_write(stream->channel, &piece, 1, sent);
    }
    forget_errors();
    return result_of(stream, SSL_write_ex(stream->ssl, bytes, len, sent));
}

bool lw_tls_stream_takes_pieces(const lw_tls_stream *stream)
{
    return stream->channel != NULL;
}

lw_tls_result lw_tls_stream_write_pieces(lw_tls_stream *stream, const struct iovec *pieces,
                                         size_t count, size_t *sent)
{
    return lw_tls_channel_write(stream->channel, pieces, count, sent);
}

bool lw_tls_stream_has_more(const lw_tls_stream *stream)
{
    if (stream->channel)
        return lw_tls_channel_has_more(stream->channel);
    return stream->context->is_client ? SSL_has_pending(stream->ssl) : SSL_pending(stream->ssl) > 0;
}

void lw_tls_stream_set_read_ahead(lw_tls_stream *stream, bool is_on)
{
    if (stream->context->is_client)
        SSL_set_read_ahead(stream->ssl, is_on);
}

void lw_tls_stream_shutdown(lw_tls_stream *stream)
{
    if (stream->channel) {
        lw_tls_channel_shutdown(stream->channel);
        return;
    }
    ERR_clear_error();
    if (!SSL_in_init(stream->ssl))
        (void)SSL_shutdown(stream->ssl);
    ERR_clear_error();
}

/* Reads the name at |at| of a certificate's subject as UTF-8, to be freed with OPENSSL_free;
 * returns 0 if there is none. */
static size_t read_name(X509_NAME *subject, int at, unsigned char **out)
{
    X509_NAME_ENTRY *entry = X509_NAME_get_entry(subject, at);
    int len = ASN1_STRING_to_UTF8(out, X509_NAME_ENTRY_get_data(entry));
    if (len < 0) {
        ERR_clear_error();
        return 0;
    }
    /* A name that contains a NUL is ambiguous. */
    if (memchr(*out, '\0', (size_t)len)) {
        OPENSSL_free(*out);
        return 0;
    }
    return (size_t)len;
}

/* Finds the positions of the names: the last common name, and the organizations. */
static size_t find_names(X509_NAME *subject, int places[LW_TLS_NAMES_MAX])
{
    size_t count = 1;
    places[0] = -1;
    for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;)
        places[0] = at;
    for (int at = -1; count < LW_TLS_NAMES_MAX &&
                      (at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0;)
        places[count++] = at;
    return count;
}

lw_status lw_tls_stream_peer(lw_tls_stream *stream, lw_peer *peer)
{
    X509 *certificate = SSL_get0_peer_certificate(stream->ssl);
    int places[LW_TLS_NAMES_MAX];
    unsigned char *texts[LW_TLS_NAMES_MAX];
    size_t lens[LW_TLS_NAMES_MAX], total = 0;
    peer->is_tls = true;
    if (!certificate || SSL_get_verify_result(stream->ssl) != X509_V_OK)
        return LW_OK;
    X509_NAME *subject = X509_get_subject_name(certificate);
    size_t count = find_names(subject, places);
    for (size_t i = 0; i < count; i++) {
        lens[i] = places[i] < 0 ? 0 : read_name(subject, places[i], &texts[i]);
        total += lens[i];
    }
    stream->names = lw_alloc(count * sizeof(lw_str) + total);
    char *at = stream->names ? (char *)(stream->names + count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (at) {
            stream->names[i] = lw_str_make(at, lens[i]);
            if (lens[i] > 0)
                memcpy(at, texts[i], lens[i]);
            at += lens[i];
        }
        if (lens[i] > 0)
            OPENSSL_free(texts[i]);
    }
    if (!stream->names)
        return LW_ERR_NOMEM;
    const lw_tls_context *context = stream->context;
    peer->is_proxy = lw_tls__is_signed_by(stream->ssl, context->proxy_cas);
    peer->is_verified =
        !context->proxy_cas || lw_tls__is_signed_by(stream->ssl, context->client_cas);
    peer->common_name = stream->names[0];
    peer->organizations = stream->names + 1;
    peer->organization_count = count - 1;
    return LW_OK;
}
