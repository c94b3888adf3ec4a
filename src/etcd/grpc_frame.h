/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_frame.h -- messages in a stream of gRPC: five bytes of prefix, then the message.
 *
 * Sans-I/O: bytes in, in pieces of any size; messages out.  What a prefix announces is believed
 * only as far as it comes: no memory is taken ahead of the bytes. */
#ifndef LW_ETCD_GRPC_FRAME_H
#define LW_ETCD_GRPC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_GRPC_PREFIX = 5, /* a flag, and the length of what follows */
};

/* Writes the prefix of a message of |len| bytes, not compressed. */
void lw_grpc_prefix(char prefix[LW_GRPC_PREFIX], uint32_t len);

typedef struct lw_grpc_frames {
    char prefix[LW_GRPC_PREFIX];
    size_t prefix_len; /* how much of it is there */
    uint32_t len;      /* of the message, once the prefix is whole */
    lw_buf body;       /* of a message that comes in pieces */
    bool is_told;      /* |body| was handed out and is to be emptied */
} lw_grpc_frames;

/* Takes messages of at most |limit| bytes. */
void lw_grpc_frames_init(lw_grpc_frames *frames, size_t limit);
void lw_grpc_frames_done(lw_grpc_frames *frames);

/* Takes bytes off the front of |*input| up to the end of a message, and hands that out; the view
 * dies with the next call and with the input.  1: a message; 0: the input is used up; LW_ERR_LIMIT:
 * it is announced larger than allowed, |err| says how large; LW_ERR_INTERNAL: it is compressed,
 * which nobody asked for; LW_ERR_NOMEM.  After an error nothing more can be read. */
int lw_grpc_frames_next(lw_grpc_frames *frames, lw_str *input, lw_str *message, lw_error *err);

/* True between two messages: the stream may end here. */
bool lw_grpc_frames_is_between(const lw_grpc_frames *frames);

#endif
