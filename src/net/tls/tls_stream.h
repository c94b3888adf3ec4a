/* SPDX-License-Identifier: Apache-2.0 */
/* tls_stream.h -- TLS on a non-blocking socket, server or client side. */
#ifndef LW_NET_TLS_TLS_STREAM_H
#define LW_NET_TLS_TLS_STREAM_H

#include <sys/uio.h>

#include "net/tls/peer.h"
#include "net/tls/tls.h"

enum {
    /* Maximum number of names read from a certificate: a common name and organizations. */
    LW_TLS_NAMES_MAX = 33,
    LW_TLS_STREAM_READ_MIN = 32 * 1024,
};

typedef struct lw_tls_stream lw_tls_stream;
struct lw_tls_engine;

typedef enum lw_tls_result {
    LW_TLS_OK,
    LW_TLS_WANTS_READ,  /* try again when the socket is readable */
    LW_TLS_WANTS_WRITE, /* ... or writable */
    LW_TLS_CLOSED,      /* the peer has closed */
    LW_TLS_FAILED,      /* error; the peer was notified if possible */
    LW_TLS_PLAIN,       /* the client sent plain HTTP */
} lw_tls_result;

/* Creates a server-side stream; takes a reference on |context|; the caller keeps the socket.
 * LW_ERR_NOMEM. */
lw_status lw_tls_stream_new(lw_tls_stream **out, lw_tls_context *context, int fd);

/* Creates a client-side stream to the server |host|, a name or an IP address. */
lw_status lw_tls_stream_new_client(lw_tls_stream **out, lw_tls_context *context, int fd,
                                   const char *host);

/* Before the handshake, on the client side: offers only HTTP/1.1, for a connection that is to be
 * upgraded.  False: out of memory. */
bool lw_tls_stream_offer_h1(lw_tls_stream *stream);
void lw_tls_stream_free(lw_tls_stream *stream);

lw_tls_result lw_tls_stream_handshake(lw_tls_stream *stream);

/* After the handshake: returns whether ALPN selected HTTP/2; and the client's identity.  |peer|
 * points into the stream.  LW_ERR_NOMEM. */
bool lw_tls_stream_is_h2(const lw_tls_stream *stream);
lw_status lw_tls_stream_peer(lw_tls_stream *stream, lw_peer *peer);

/* After the handshake, on the server side: gives back most of the memory of the stream.  The
 * records are then encrypted with |*engine|, which belongs to the caller's loop and is created if
 * it is NULL; it must live longer than the stream.  If this cannot be done (TLS 1.2, out of
 * memory), the stream stays as it is. */
void lw_tls_stream_lighten(lw_tls_stream *stream, struct lw_tls_engine **engine);

/* Reads |*got| bytes (> 0 on LW_TLS_OK).  After lw_tls_stream_lighten, |cap| is at least
 * LW_TLS_STREAM_READ_MIN. */
lw_tls_result lw_tls_stream_read(lw_tls_stream *stream, char *out, size_t cap, size_t *got);

/* Writes |*sent| bytes (> 0 on LW_TLS_OK).  After LW_TLS_WANTS_..., the same bytes must be passed
 * again; more may follow them. */
lw_tls_result lw_tls_stream_write(lw_tls_stream *stream, const char *bytes, size_t len,
                                  size_t *sent);

/* The same for |count| pieces, if lw_tls_stream_takes_pieces: they need not be copied. */
bool lw_tls_stream_takes_pieces(const lw_tls_stream *stream);
lw_tls_result lw_tls_stream_write_pieces(lw_tls_stream *stream, const struct iovec *pieces,
                                         size_t count, size_t *sent);

/* Returns the reason after LW_TLS_FAILED.  LW_ERR_INVALID: verification or
 * negotiation failed, a retry does not help; LW_ERR_UNAVAILABLE: the connection was lost. */
lw_status lw_tls_stream_error(const lw_tls_stream *stream, lw_error *err);

/* True if bytes are buffered that were read from the socket: no event will report them. */
bool lw_tls_stream_has_more(const lw_tls_stream *stream);

/* A client reads all that the socket has, up to a record, and not only the record that it needs
 * next: fewer system calls.  Off: what is buffered is used up, so that a fast server cannot keep
 * the caller reading.  Has no effect on the server side, where most connections are idle. */
void lw_tls_stream_set_read_ahead(lw_tls_stream *stream, bool is_on);

/* Tells the peer that nothing more follows, if the socket accepts it. */
void lw_tls_stream_shutdown(lw_tls_stream *stream);

#endif
