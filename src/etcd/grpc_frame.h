/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_frame.h -- splits a gRPC stream into messages: a prefix of five bytes, then the message.
 *
 * Sans-I/O: bytes in, in pieces of any size; messages out.  Memory is allocated only for bytes that
 * have arrived, not for the length that a prefix announces. */
#ifndef LW_ETCD_GRPC_FRAME_H
#define LW_ETCD_GRPC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_GRPC_PREFIX = 5, /* a flag, and the length of the message */
};

/* Writes the prefix of an uncompressed message of |len| bytes. */
void lw_grpc_prefix(char prefix[LW_GRPC_PREFIX], uint32_t len);

typedef struct lw_grpc_frames {
    char prefix[LW_GRPC_PREFIX];
    size_t prefix_len; /* number of bytes read */
    uint32_t len;      /* length of the message, once the prefix is complete */
    lw_buf body;       /* the message, if it arrives in pieces */
    bool is_returned;  /* |body| was returned and must be emptied */
} lw_grpc_frames;

/* Initializes a splitter for messages of at most |limit| bytes. */
void lw_grpc_frames_init(lw_grpc_frames *frames, size_t limit);
void lw_grpc_frames_done(lw_grpc_frames *frames);

/* Consumes |*input| up to the end of a message and returns the message; the view is valid until the
 * next call and as long as the input.  1: a message; 0: the input is consumed; LW_ERR_LIMIT: the
 * announced length exceeds the limit; LW_ERR_INTERNAL: the message is compressed, which was not
 * requested; LW_ERR_NOMEM.  After an error nothing more can be read. */
int lw_grpc_frames_next(lw_grpc_frames *frames, lw_str *input, lw_str *message, lw_error *err);

/* True between two messages, where the stream may end. */
bool lw_grpc_frames_is_between(const lw_grpc_frames *frames);

#endif
