/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_websocket.c -- what a server sends to a WebSocket client: the first byte selects how the
 * rest is split, the second whether it begins with the reply to the upgrade request or with frames.
 * All splits give the same, and no more bytes come out than went in. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "websocket/frame.h"
#include "websocket/handshake.h"

enum {
    TRANSCRIPT_MAX = 1024 * 1024,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Returns what follows the reply. */
static lw_str read_reply(lw_buf *out, lw_str input, size_t step)
{
    lw_websocket_reply reply;
    lw_websocket_step got = LW_WEBSOCKET_STEP_MORE;
    lw_websocket_reply_init(&reply, "dGhlIHNhbXBsZSBub25jZQ==");
    while (got == LW_WEBSOCKET_STEP_MORE && input.len > 0) {
        size_t used = 0, len = input.len < step ? input.len : step;
        got = lw_websocket_reply_feed(&reply, input.ptr, len, &used);
        must(used <= len && (got != LW_WEBSOCKET_STEP_MORE || used == len));
        input = lw_str_skip(input, used);
    }
    if (got == LW_WEBSOCKET_STEP_MORE)
        got = lw_websocket_reply_end(&reply);
    must(got != LW_WEBSOCKET_STEP_MORE && (got == LW_WEBSOCKET_STEP_INVALID) == !!reply.fault);
    lw_buf_printf(out, "%d %d %s", (int)got, reply.status, reply.protocol);
    /* A body of a given length may come with bytes that follow it. */
    if (got == LW_WEBSOCKET_STEP_REFUSED && reply.is_chunked)
        lw_buf_append_str(out, lw_buf_view(&reply.body));
    lw_websocket_reply_done(&reply);
    return got == LW_WEBSOCKET_STEP_OPEN ? input : LW_STR("");
}

static void read_frames(lw_buf *out, lw_str input, size_t step)
{
    lw_websocket_reader reader = { .head_len = 0 };
    lw_websocket_found found = LW_WEBSOCKET_FOUND_NOTHING;
    size_t given = input.len, got = 0;
    while (input.len > 0 && found != LW_WEBSOCKET_FOUND_INVALID) {
        lw_websocket_piece piece;
        size_t len = input.len < step ? input.len : step;
        size_t used = lw_websocket_read(&reader, input.ptr, len, &found, &piece);
        must(used <= len && (used > 0 || found != LW_WEBSOCKET_FOUND_NOTHING));
        input = lw_str_skip(input, used);
        got += piece.bytes.len;
        if (found == LW_WEBSOCKET_FOUND_DATA)
            lw_buf_printf(out, "%s", piece.is_first ? "<" : "");
        else if (found != LW_WEBSOCKET_FOUND_NOTHING)
            lw_buf_printf(out, "[%d %u", (int)found, piece.status);
        lw_buf_append_str(out, piece.bytes);
        if (found == LW_WEBSOCKET_FOUND_DATA && piece.is_last)
            lw_buf_append_char(out, '>');
    }
    must(got <= given);
}

static void read_all(lw_buf *out, lw_str input, bool has_reply, size_t step)
{
    lw_buf_init(out, TRANSCRIPT_MAX);
    if (has_reply)
        input = read_reply(out, input, step);
    read_frames(out, input, step);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    lw_str input = lw_str_make((const char *)data + 2, size - 2);
    lw_buf whole, cut;
    read_all(&whole, input, data[1] == 'R', SIZE_MAX);
    read_all(&cut, input, data[1] == 'R', data[0] ? data[0] : 1);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&whole);
    lw_buf_done(&cut);
    return 0;
}
