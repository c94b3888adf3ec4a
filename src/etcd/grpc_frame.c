/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_frame.c -- splits a gRPC stream into messages. */
#include "etcd/grpc_frame.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

enum {
    KEPT_MAX = 1 << 20, /* bytes of buffer that are kept from one message to the next */
};

void lw_grpc_prefix(char prefix[LW_GRPC_PREFIX], uint32_t len)
{
    prefix[0] = 0;
    for (int i = 0; i < 4; i++)
        prefix[1 + i] = (char)(unsigned char)(len >> (24 - 8 * i));
}

void lw_grpc_frames_init(lw_grpc_frames *frames, size_t limit)
{
    *frames = (lw_grpc_frames){ .prefix_len = 0 };
    lw_buf_init(&frames->body, limit);
}

void lw_grpc_frames_done(lw_grpc_frames *frames)
{
    lw_buf_done(&frames->body);
}

bool lw_grpc_frames_is_between(const lw_grpc_frames *frames)
{
    return frames->prefix_len == 0;
}

/* Reads the missing bytes of the prefix.  1: complete; 0: more input is needed. */
static int read_prefix(lw_grpc_frames *frames, lw_str *input, lw_error *err)
{
    size_t missing = LW_GRPC_PREFIX - frames->prefix_len;
    size_t len = input->len < missing ? input->len : missing;
    if (missing == 0)
        return 1;
    if (len > 0)
        memcpy(frames->prefix + frames->prefix_len, input->ptr, len);
    frames->prefix_len += len;
    *input = lw_str_skip(*input, len);
    if (len < missing)
        return 0;
    frames->len = 0;
    for (int i = 0; i < 4; i++)
        frames->len = frames->len << 8 | (unsigned char)frames->prefix[1 + i];
    if (frames->prefix[0] != 0)
        return lw_error_set(err, LW_ERR_INTERNAL,
                            "sent a message with unsupported gRPC flags (0x%02x)",
                            (unsigned)(unsigned char)frames->prefix[0]);
    if (frames->len > frames->body.limit)
        return lw_error_set(err, LW_ERR_LIMIT, "sent a message of %u bytes; the limit is %zu",
                            (unsigned)frames->len, frames->body.limit);
    return 1;
}

int lw_grpc_frames_next(lw_grpc_frames *frames, lw_str *input, lw_str *message, lw_error *err)
{
    if (frames->is_returned && frames->body.cap > KEPT_MAX)
        lw_buf_done(&frames->body);
    else if (frames->is_returned)
        lw_buf_reset(&frames->body);
    frames->is_returned = false;
    int got = read_prefix(frames, input, err);
    if (got <= 0)
        return got;
    size_t missing = frames->len - frames->body.len;
    if (frames->body.len == 0 && input->len >= missing) {
        *message = lw_str_make(input->ptr, missing);
        *input = lw_str_skip(*input, missing);
        frames->prefix_len = 0;
        return 1;
    }
    size_t len = input->len < missing ? input->len : missing;
    lw_buf_append(&frames->body, input->ptr, len);
    *input = lw_str_skip(*input, len);
    if (frames->body.st < 0)
        return lw_error_nomem(err);
    if (len < missing)
        return 0;
    *message = lw_buf_view(&frames->body);
    frames->prefix_len = 0;
    frames->is_returned = true;
    return 1;
}
