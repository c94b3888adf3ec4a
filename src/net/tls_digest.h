/* SPDX-License-Identifier: Apache-2.0 */
/* tls_digest.h -- digests by OpenSSL, for what else a server needs them. */
#ifndef LW_NET_TLS_DIGEST_H
#define LW_NET_TLS_DIGEST_H

#include <stddef.h>

#include <listwatch/error.h>

enum {
    LW_TLS_SHA1_SIZE = 20,
};

/* SHA-1 of |len| bytes: for the WebSocket handshake, which is no secret.  LW_ERR_NOMEM, and
 * LW_ERR_INTERNAL where OpenSSL is set up not to have it. */
lw_status lw_tls_sha1(const void *bytes, size_t len, unsigned char out[LW_TLS_SHA1_SIZE]);

#endif
