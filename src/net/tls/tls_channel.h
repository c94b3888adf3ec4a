/* SPDX-License-Identifier: Apache-2.0 */
/* tls_channel.h -- a server's TLS 1.3 connection after its handshake, without OpenSSL's SSL.
 *
 * An SSL takes 12 KiB for a connection that is idle, a channel 300 bytes: the keys, and what is
 * left of a record that came or went in parts. */
#ifndef LW_NET_TLS_TLS_CHANNEL_H
#define LW_NET_TLS_TLS_CHANNEL_H

#include <sys/uio.h>

#include <listwatch/error.h>

#include "net/tls/tls_record.h"
#include "net/tls/tls_stream.h"

typedef struct lw_tls_channel lw_tls_channel;

/* What the handshake leaves. */
typedef struct lw_tls_secrets {
    const lw_tls_suite *suite;
    uint64_t sent; /* records that the server has sent with its secret */
    unsigned char client[LW_TLS_SECRET_MAX], server[LW_TLS_SECRET_MAX];
} lw_tls_secrets;

/* The caller keeps the socket and |engine|.  Returns NULL if out of memory. */
lw_tls_channel *lw_tls_channel_new(lw_tls_engine *engine, const lw_tls_secrets *secrets, int fd);
void lw_tls_channel_free(lw_tls_channel *channel);

/* As lw_tls_stream_read; |cap| is at least LW_TLS_RECORD_MAX.  What came before the end or a
 * failure is returned first. */
lw_tls_result lw_tls_channel_read(lw_tls_channel *channel, char *out, size_t cap, size_t *got);

/* True if the next read reports an end or a failure, whatever the socket has. */
bool lw_tls_channel_has_more(const lw_tls_channel *channel);

/* As lw_tls_stream_write, for |count| pieces. */
lw_tls_result lw_tls_channel_write(lw_tls_channel *channel, const struct iovec *pieces,
                                   size_t count, size_t *sent);

/* Sends close_notify, if the socket accepts it. */
void lw_tls_channel_shutdown(lw_tls_channel *channel);

#endif
