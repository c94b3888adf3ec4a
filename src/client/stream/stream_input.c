/* SPDX-License-Identifier: Apache-2.0 */
/* stream_input.c -- what a stream sends: input in messages of limited size, its end, sizes of the
 * terminal.  Nothing is written to the connection here: that is done by dispatch. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/str.h"
#include "client/stream/stream_internal.h"

enum {
    CHANNEL_STDIN = 0,
    CHANNEL_RESIZE = 4,
    CHANNEL_CLOSE = 255, /* of v5: ends the channel whose number follows */
    SIZE_TEXT = 64,
    DIMENSION_MAX = UINT16_MAX, /* as in the API */
};

size_t lw_stream__queued(const lw_stream *stream)
{
    return stream->out.len - stream->out_at;
}

/* Moves what is not sent to the beginning; each byte is moved once on average. */
static void compact(lw_stream *stream)
{
    size_t left = lw_stream__queued(stream);
    if (stream->out_at == 0 || stream->out_at < left)
        return;
    if (left > 0)
        memmove(stream->out.data, stream->out.data + stream->out_at, left);
    stream->out.len = left;
    stream->out_at = 0;
}

/* Pongs and sizes of the terminal leave room for the end of the input, which must not get lost. */
static size_t queue_limit(lw_websocket_opcode opcode, lw_str head)
{
    bool is_end = opcode == LW_WEBSOCKET_CLOSE ||
                  (head.len > 0 && (unsigned char)head.ptr[0] == CHANNEL_CLOSE);
    return LW_STREAM_INPUT_MAX + (is_end ? LW_STREAM_CONTROL_ROOM : LW_STREAM_CONTROL_ROOM / 2);
}

bool lw_stream__queue(lw_stream *stream, lw_websocket_opcode opcode, lw_str head, lw_str bytes)
{
    unsigned char mask[LW_WEBSOCKET_MASK_SIZE];
    compact(stream);
    if (lw_stream__queued(stream) + head.len + bytes.len + LW_WEBSOCKET_HEAD_MAX >
            queue_limit(opcode, head) ||
        lw_entropy_fill(mask, sizeof(mask)) < 0)
        return false;
    lw_websocket_append(&stream->out, opcode, mask, head, bytes);
    return stream->out.st == LW_OK;
}

static bool queue_to(lw_stream *stream, int channel, lw_str bytes)
{
    char number = (char)channel;
    return lw_stream__queue(stream, LW_WEBSOCKET_BINARY, lw_str_make(&number, 1), bytes);
}

size_t lw_stream_write(lw_stream *stream, const char *bytes, size_t len)
{
    size_t taken = 0;
    while (taken < len && !stream->is_ending_input) {
        size_t queued = lw_stream__queued(stream) + LW_WEBSOCKET_HEAD_MAX;
        size_t room = queued < LW_STREAM_INPUT_MAX ? LW_STREAM_INPUT_MAX - queued : 0;
        size_t here = len - taken < room ? len - taken : room;
        here = here < LW_STREAM_READ_SIZE ? here : LW_STREAM_READ_SIZE;
        if (here == 0 || !queue_to(stream, CHANNEL_STDIN, lw_str_make(bytes + taken, here)))
            break;
        taken += here;
    }
    if (taken < len && !stream->is_ending_input)
        stream->wants_room = true;
    lw_stream__poll(stream);
    return taken;
}

bool lw_stream_can_end_input(const lw_stream *stream)
{
    return stream->is_v5 && !stream->is_forward;
}

static void queue_end(lw_stream *stream)
{
    static const char ends_stdin[] = { CHANNEL_STDIN };
    if (lw_stream_can_end_input(stream))
        (void)queue_to(stream, CHANNEL_CLOSE, lw_str_make(ends_stdin, sizeof(ends_stdin)));
}

void lw_stream_end_input(lw_stream *stream)
{
    if (stream->is_ending_input)
        return;
    stream->is_ending_input = true;
    if (stream->is_open)
        queue_end(stream);
    lw_stream__poll(stream);
}

static void queue_size(lw_stream *stream, unsigned columns, unsigned rows)
{
    char text[SIZE_TEXT];
    if (columns == 0 || rows == 0)
        return;
    (void)snprintf(text, sizeof(text), "{\"Width\":%u,\"Height\":%u}",
                   columns < DIMENSION_MAX ? columns : (unsigned)DIMENSION_MAX,
                   rows < DIMENSION_MAX ? rows : (unsigned)DIMENSION_MAX);
    (void)queue_to(stream, CHANNEL_RESIZE, lw_str_of(text));
}

void lw_stream_resize(lw_stream *stream, unsigned columns, unsigned rows)
{
    stream->options.columns = columns;
    stream->options.rows = rows;
    if (stream->is_open)
        queue_size(stream, columns, rows);
    lw_stream__poll(stream);
}

void lw_stream__begin_input(lw_stream *stream)
{
    if (!stream->is_forward && stream->options.is_tty)
        queue_size(stream, stream->options.columns, stream->options.rows);
    if (stream->is_ending_input)
        queue_end(stream);
}
