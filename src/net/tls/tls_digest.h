/* SPDX-License-Identifier: Apache-2.0 */
/* tls_digest.h -- digests with OpenSSL. */
#ifndef LW_NET_TLS_TLS_DIGEST_H
#define LW_NET_TLS_TLS_DIGEST_H

#include <stddef.h>

#include <listwatch/error.h>

enum {
    LW_TLS_SHA1_SIZE = 20,
};

/* Computes the SHA-1 of |len| bytes, for the WebSocket handshake, which is not secret.
 * LW_ERR_NOMEM, and LW_ERR_INTERNAL if OpenSSL is configured without it. */
lw_status lw_tls_sha1(const void *bytes, size_t len, unsigned char out[LW_TLS_SHA1_SIZE]);

#endif
