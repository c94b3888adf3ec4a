/* SPDX-License-Identifier: Apache-2.0 */
/* handshake.h -- the reply to a request to upgrade to WebSocket (RFC 6455, 4.1): 101, or a refusal
 * with a body.
 *
 * Does no I/O.  The reply is read from any pieces of bytes; what follows a 101 is left alone. */
#ifndef LW_WEBSOCKET_HANDSHAKE_H
#define LW_WEBSOCKET_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/str.h>

#include "base/buf.h"
#include "websocket/accept.h"

enum {
    LW_WEBSOCKET_REPLY_HEAD_MAX = 64 * 1024, /* bytes of the head of a reply */
    LW_WEBSOCKET_REPLY_BODY_MAX = 1024 * 1024,
    LW_WEBSOCKET_VALUE_SIZE = 128, /* of a header value that is kept, with its NUL */
};

typedef enum lw_websocket_step {
    LW_WEBSOCKET_STEP_MORE,    /* more bytes are needed */
    LW_WEBSOCKET_STEP_OPEN,    /* 101, valid: frames follow */
    LW_WEBSOCKET_STEP_REFUSED, /* another status; the body is complete, or as long as is read */
    LW_WEBSOCKET_STEP_INVALID, /* |fault| says why */
} lw_websocket_step;

/* Where a body in chunks is. */
typedef enum lw_websocket_chunk {
    LW_WEBSOCKET_CHUNK_SIZE,
    LW_WEBSOCKET_CHUNK_LINE, /* in the rest of the line with the size */
    LW_WEBSOCKET_CHUNK_DATA,
    LW_WEBSOCKET_CHUNK_END, /* in the line end after the data */
} lw_websocket_chunk;

typedef struct lw_websocket_reply {
    lw_buf head, body;                     /* the body without chunks */
    char accept[LW_WEBSOCKET_ACCEPT_SIZE]; /* what the server must reply */
    int status;                            /* 0: the head is not complete */
    char protocol[LW_WEBSOCKET_VALUE_SIZE];
    char retry_after[LW_WEBSOCKET_VALUE_SIZE];
    bool is_chunked, has_length, is_upgraded, has_connection, is_accepted;
    uint64_t length; /* of the body */
    lw_websocket_chunk chunk;
    uint64_t chunk_left; /* bytes of the chunk that are to come */
    unsigned chunk_digits;
    const char *fault;
} lw_websocket_reply;

/* Prepares for the reply to a request with |key|. */
void lw_websocket_reply_init(lw_websocket_reply *reply, const char *key);
void lw_websocket_reply_done(lw_websocket_reply *reply);

/* Reads |len| bytes; |*used| is how many belong to the reply.  INVALID also if memory runs out:
 * then the status of |head| or |body| is LW_ERR_NOMEM. */
lw_websocket_step lw_websocket_reply_feed(lw_websocket_reply *reply, const char *bytes, size_t len,
                                          size_t *used);

/* The server has closed the connection: REFUSED if the body ends there, otherwise INVALID. */
lw_websocket_step lw_websocket_reply_end(lw_websocket_reply *reply);

#endif
