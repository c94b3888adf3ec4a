/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h -- WebSocket frames of a client (RFC 6455, 5): reads those of the server from any pieces
 * of bytes, writes masked ones.
 *
 * Messages are not collected: their bytes are handed out as they arrive, so a message may have any
 * length and needs no memory.  Does no I/O and allocates nothing. */
#ifndef LW_WEBSOCKET_FRAME_H
#define LW_WEBSOCKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_WEBSOCKET_CONTROL_MAX = 125, /* bytes of a ping, a pong or a close */
    LW_WEBSOCKET_HEAD_MAX = 14,     /* bytes of the head of a frame */
    LW_WEBSOCKET_MASK_SIZE = 4,
};

typedef enum lw_websocket_opcode {
    LW_WEBSOCKET_CONTINUATION = 0,
    LW_WEBSOCKET_TEXT = 1,
    LW_WEBSOCKET_BINARY = 2,
    LW_WEBSOCKET_CLOSE = 8,
    LW_WEBSOCKET_PING = 9,
    LW_WEBSOCKET_PONG = 10,
} lw_websocket_opcode;

/* What lw_websocket_read has found. */
typedef enum lw_websocket_found {
    LW_WEBSOCKET_FOUND_NOTHING, /* more bytes are needed */
    LW_WEBSOCKET_FOUND_DATA,    /* bytes of a message */
    LW_WEBSOCKET_FOUND_PING,
    LW_WEBSOCKET_FOUND_PONG,
    LW_WEBSOCKET_FOUND_CLOSE,
    LW_WEBSOCKET_FOUND_INVALID, /* |fault| says why; nothing more can be read */
} lw_websocket_found;

typedef struct lw_websocket_piece {
    lw_str bytes;    /* of a message or a ping; the reason of a close */
    bool is_first;   /* the first bytes of a message */
    bool is_last;    /* the last bytes of a message */
    unsigned status; /* of a close; 0: it has none */
    const char *fault;
} lw_websocket_piece;

/* Zero it before the first byte. */
typedef struct lw_websocket_reader {
    unsigned char head[LW_WEBSOCKET_HEAD_MAX];
    size_t head_len;
    bool is_in_frame;   /* the head is complete */
    bool is_in_message; /* the last frame of data was not the end of its message */
    bool is_started; /* bytes of the message have been handed out, or its first frame was empty */
    bool is_final;   /* the frame is the last one of its message */
    lw_websocket_opcode opcode;
    uint64_t left;      /* bytes of the frame that are to come */
    size_t control_len; /* bytes of a control frame so far */
    char control[LW_WEBSOCKET_CONTROL_MAX];
    bool is_invalid;
} lw_websocket_reader;

/* Reads |len| bytes up to the first thing that is found, and returns how many it has used; call it
 * again with the rest.  What |piece| points to is valid until the next call. */
size_t lw_websocket_read(lw_websocket_reader *reader, const char *bytes, size_t len,
                         lw_websocket_found *found, lw_websocket_piece *piece);

/* Appends a frame that is a message of its own: |head| followed by |body|, masked with |mask|,
 * which must be unpredictable (RFC 6455, 10.3). */
void lw_websocket_append(lw_buf *out, lw_websocket_opcode opcode,
                         const unsigned char mask[LW_WEBSOCKET_MASK_SIZE], lw_str head,
                         lw_str body);

#endif
