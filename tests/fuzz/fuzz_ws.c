/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ws.c -- the WebSocket frames of a client, split anywhere: the replies are well-formed
 * frames, do not depend on the splits, and nothing follows a close.  The input is a byte that
 * selects how to split, then the bytes of the client. */
#include <stdlib.h>

#include "fuzz/fuzz.h"

#include "net/h1/ws.h"

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

/* Feeds |bytes| in steps; true if the connection is closed at the end. */
static bool feed(const char *bytes, size_t len, size_t step, lw_buf *out)
{
    lw_ws *ws = NULL;
    bool is_closed = false;
    must(lw_ws_new(&ws) == LW_OK);
    for (size_t at = 0; at < len && !is_closed; at += step) {
        size_t before = out->len;
        size_t part = len - at < step ? len - at : step;
        must(lw_ws_feed(ws, bytes + at, part, out, &is_closed) == LW_OK);
        must(out->len - before <= part + LW_WS_ANSWER_MAX);
    }
    size_t before = out->len;
    lw_ws_close(ws, 1001, out);
    must(out->len - before == (is_closed ? 0 : 4));
    lw_ws_free(ws);
    return is_closed;
}

/* Checks that there are only pongs, then one close. */
static void check_frames(lw_str frames)
{
    bool is_closed = false;
    while (frames.len > 0) {
        must(!is_closed && frames.len >= 2);
        unsigned first = (unsigned char)frames.ptr[0];
        size_t len = (unsigned char)frames.ptr[1];
        must((first == 0x8A || first == 0x88) && len <= 125 && len + 2 <= frames.len);
        is_closed = first == 0x88;
        frames.ptr += len + 2;
        frames.len -= len + 2;
    }
    must(is_closed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *bytes = (const char *)data + 1;
    lw_buf whole;
    lw_buf cut;
    lw_buf_init(&whole, 2 * size + LW_WS_ANSWER_MAX);
    lw_buf_init(&cut, 2 * size + LW_WS_ANSWER_MAX);
    bool is_closed = feed(bytes, size - 1, size, &whole);
    must(feed(bytes, size - 1, (size_t)data[0] % 17 + 1, &cut) == is_closed);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    check_frames(lw_buf_view(&whole));
    lw_buf_done(&whole);
    lw_buf_done(&cut);
    return 0;
}
