/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h -- the key of a WebSocket request and what a server must reply to it (RFC 6455, 1.3). */
#ifndef LW_WEBSOCKET_ACCEPT_H
#define LW_WEBSOCKET_ACCEPT_H

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_WEBSOCKET_KEY_SIZE = 25,    /* 16 bytes as base64, with a NUL */
    LW_WEBSOCKET_ACCEPT_SIZE = 29, /* a SHA-1 digest as base64, with a NUL */
    LW_WEBSOCKET_SHA1_SIZE = 20,
};

/* Makes a random key.  LW_ERR_IO: the system has no random bytes. */
LW_MUST_CHECK lw_status lw_websocket_make_key(char key[LW_WEBSOCKET_KEY_SIZE]);

/* Writes the value of Sec-WebSocket-Accept for |key|, of at most 64 bytes. */
void lw_websocket_accept_of(lw_str key, char out[LW_WEBSOCKET_ACCEPT_SIZE]);

/* SHA-1 (FIPS 180-4) of at most 119 bytes.  It protects nothing here: the protocol demands it to
 * tell a WebSocket server from others.  Declared for its test. */
void lw_websocket__sha1(lw_str bytes, unsigned char digest[LW_WEBSOCKET_SHA1_SIZE]);

#endif
