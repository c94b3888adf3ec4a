/* SPDX-License-Identifier: Apache-2.0 */
/* tls_stream.h -- TLS on one socket that does not block, a server's side or a client's. */
#ifndef LW_NET_TLS_STREAM_H
#define LW_NET_TLS_STREAM_H

#include "net/http.h"
#include "net/tls.h"

enum {
    LW_TLS_NAMES_MAX = 33, /* names taken from a certificate: a common name and organizations */
};

typedef struct lw_tls_stream lw_tls_stream;

typedef enum lw_tls_result {
    LW_TLS_OK,
    LW_TLS_WANTS_READ,  /* try again when the socket is readable */
    LW_TLS_WANTS_WRITE, /* ... or writable */
    LW_TLS_CLOSED,      /* the peer has closed */
    LW_TLS_FAILED,      /* broken; the peer was told, as far as that is possible */
    LW_TLS_PLAIN,       /* the client speaks HTTP without TLS */
} lw_tls_result;

/* Takes a reference on |context|; the socket stays the caller's.  LW_ERR_NOMEM. */
lw_status lw_tls_stream_new(lw_tls_stream **out, lw_tls_context *context, int fd);

/* The same for a client's context, to the server called |host|: a name or an IP address. */
lw_status lw_tls_stream_new_client(lw_tls_stream **out, lw_tls_context *context, int fd,
                                   const char *host);
void lw_tls_stream_free(lw_tls_stream *stream);

lw_tls_result lw_tls_stream_handshake(lw_tls_stream *stream);

/* After the handshake: whether ALPN chose HTTP/2, and who the client is.  |peer| points into the
 * stream.  LW_ERR_NOMEM. */
bool lw_tls_stream_is_h2(const lw_tls_stream *stream);
lw_status lw_tls_stream_peer(lw_tls_stream *stream, lw_http_peer *peer);

/* |*got| bytes were read (> 0 on LW_TLS_OK). */
lw_tls_result lw_tls_stream_read(lw_tls_stream *stream, char *out, size_t cap, size_t *got);

/* |*sent| bytes were written (> 0 on LW_TLS_OK).  After LW_TLS_WANTS_..., the same bytes must come
 * again; more may follow them. */
lw_tls_result lw_tls_stream_write(lw_tls_stream *stream, const char *bytes, size_t len,
                                  size_t *sent);

/* After LW_TLS_FAILED: why.  LW_ERR_INVALID: the two do not trust or understand each other, and
 * trying again does not help; LW_ERR_UNAVAILABLE: the connection broke. */
lw_status lw_tls_stream_error(const lw_tls_stream *stream, lw_error *err);

/* Bytes that are read from the socket already: no event will tell of them. */
bool lw_tls_stream_has_more(const lw_tls_stream *stream);

/* Tells the peer that nothing more follows, if the socket takes it. */
void lw_tls_stream_shutdown(lw_tls_stream *stream);

#endif
