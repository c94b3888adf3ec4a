/* SPDX-License-Identifier: Apache-2.0 */
/* ws.c -- WebSocket messages; wslay parses the frames in memory.
 *
 * Received messages are not kept, so a connection's memory does not depend on what the client
 * sends: a control frame has at most 125 bytes, and for text only the UTF-8 state is kept.
 *
 *     open ──lw_ws_close──▶ close sent ──client's close──▶ closed
 *     open ──client's close, or a protocol violation──▶ closed */
#include "net/h1/ws.h"

#include <string.h>
#include <wslay/wslay.h>

#include "base/alloc.h"
#include "base/text/utf8.h"

enum {
    FIN = 0x80,
    CONTROL_MAX = 125, /* maximum payload of a control frame (section 5.5) */
    NO_CODE = 0,       /* a close without a status code */
    LEN_IN_2_BYTES = 126,
    LEN_IN_8_BYTES = 127,
};

struct lw_ws {
    wslay_frame_context_ptr frames;
    lw_str in;     /* input of lw_ws_feed that wslay has not consumed yet */
    uint64_t done; /* received bytes of the current frame */

    /* The current message, across its fragments. */
    uint8_t opcode; /* text or binary; CONTINUATION: none */
    uint64_t message_len;
    lw_utf8_check text; /* complete between messages */

    char control[CONTROL_MAX]; /* payload of the current control frame */
    bool is_close_sent;
    bool is_closed;
};

static ssize_t take_input(uint8_t *buf, size_t len, int flags, void *arg)
{
    (void)flags;
    lw_ws *ws = arg;
    size_t taken = ws->in.len < len ? ws->in.len : len;
    if (taken == 0)
        return -1; /* no more for now */
    memcpy(buf, ws->in.ptr, taken);
    ws->in.ptr += taken;
    ws->in.len -= taken;
    return (ssize_t)taken;
}

lw_status lw_ws_new(lw_ws **out)
{
    static const struct wslay_frame_callbacks callbacks = { .recv_callback = take_input };
    lw_ws *ws = lw_alloc_zero(1, sizeof(*ws));
    if (!ws || wslay_frame_context_init(&ws->frames, &callbacks, ws) != 0) {
        lw_free(ws);
        return LW_ERR_NOMEM;
    }
    *out = ws;
    return LW_OK;
}

void lw_ws_free(lw_ws *ws)
{
    if (!ws)
        return;
    wslay_frame_context_free(ws->frames);
    lw_free(ws);
}

static void append_control(lw_buf *out, unsigned opcode, lw_str payload)
{
    const char header[] = { (char)(FIN | opcode), (char)payload.len };
    lw_buf_append(out, header, sizeof(header));
    lw_buf_append_str(out, payload);
}

void lw_ws_close(lw_ws *ws, unsigned code, lw_buf *out)
{
    const char payload[] = { (char)(code >> 8 & 0xFF), (char)(code & 0xFF) };
    if (!ws->is_close_sent)
        append_control(out, WSLAY_CONNECTION_CLOSE, lw_str_make(payload, code == NO_CODE ? 0 : 2));
    ws->is_close_sent = true;
}

/* Sends a close frame with |code| and accepts nothing more. */
static void fail(lw_ws *ws, unsigned code, lw_buf *out)
{
    lw_ws_close(ws, code, out);
    ws->is_closed = true;
}

/* True if a client may close with |code| (section 7.4; 1004 to 1006 and 1015 are never sent). */
static bool is_close_code(unsigned code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static void take_close(lw_ws *ws, lw_str payload, lw_buf *out)
{
    if (payload.len == 0) {
        fail(ws, NO_CODE, out);
        return;
    }
    unsigned code = payload.len < 2 ? NO_CODE
                                    : (unsigned)(unsigned char)payload.ptr[0] << 8 |
                                          (unsigned char)payload.ptr[1];
    if (!is_close_code(code)) {
        fail(ws, WSLAY_CODE_PROTOCOL_ERROR, out);
        return;
    }
    lw_utf8_check reason = { 0 };
    bool is_text = lw_utf8_check_feed(&reason, lw_str_make(payload.ptr + 2, payload.len - 2)) &&
                   lw_utf8_check_is_whole(&reason);
    fail(ws, is_text ? code : WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA, out);
}

static void take_control(lw_ws *ws, const struct wslay_frame_iocb *frame, bool is_end, lw_buf *out)
{
    if (frame->data_length > 0)
        memcpy(ws->control + ws->done - frame->data_length, frame->data, frame->data_length);
    lw_str payload = lw_str_make(ws->control, (size_t)ws->done);
    if (!is_end)
        return;
    if (frame->opcode == WSLAY_CONNECTION_CLOSE)
        take_close(ws, payload, out);
    else if (frame->opcode == WSLAY_PING && !ws->is_close_sent)
        append_control(out, WSLAY_PONG, payload);
}

/* Handles the first bytes of a data frame; returns the code to close with, or 0. */
static unsigned begin_data(lw_ws *ws, const struct wslay_frame_iocb *frame)
{
    bool is_continued = ws->opcode != WSLAY_CONTINUATION_FRAME;
    if ((frame->opcode == WSLAY_CONTINUATION_FRAME) != is_continued)
        return WSLAY_CODE_PROTOCOL_ERROR;
    if (!is_continued) {
        ws->opcode = frame->opcode;
        ws->message_len = 0;
    }
    if (frame->payload_length > LW_WS_MESSAGE_MAX - ws->message_len)
        return WSLAY_CODE_MESSAGE_TOO_BIG;
    ws->message_len += frame->payload_length;
    return 0;
}

static void take_data(lw_ws *ws, const struct wslay_frame_iocb *frame, bool is_begin, bool is_end,
                      lw_buf *out)
{
    unsigned code = is_begin ? begin_data(ws, frame) : 0;
    bool is_message_end = is_end && frame->fin;
    if (code == 0 && ws->opcode == WSLAY_TEXT_FRAME &&
        (!lw_utf8_check_feed(&ws->text,
                             lw_str_make((const char *)frame->data, frame->data_length)) ||
         (is_message_end && !lw_utf8_check_is_whole(&ws->text))))
        code = WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA;
    if (code != 0)
        fail(ws, code, out);
    else if (is_message_end)
        ws->opcode = WSLAY_CONTINUATION_FRAME;
}

/* True if a client may send a frame with this header. */
static bool is_allowed(const struct wslay_frame_iocb *frame)
{
    return frame->mask && frame->rsv == WSLAY_RSV_NONE &&
           (frame->opcode <= WSLAY_BINARY_FRAME ||
            (frame->opcode >= WSLAY_CONNECTION_CLOSE && frame->opcode <= WSLAY_PONG));
}

/* Handles a frame, or the part of it that has arrived. */
static void take_frame(lw_ws *ws, const struct wslay_frame_iocb *frame, lw_buf *out)
{
    bool is_begin = ws->done == 0;
    ws->done += frame->data_length;
    bool is_end = ws->done == frame->payload_length;
    if (!is_allowed(frame))
        fail(ws, WSLAY_CODE_PROTOCOL_ERROR, out);
    else if (wslay_is_ctrl_frame(frame->opcode))
        take_control(ws, frame, is_end, out);
    else
        take_data(ws, frame, is_begin, is_end, out);
    if (is_end)
        ws->done = 0;
}

lw_status lw_ws_feed(lw_ws *ws, const char *bytes, size_t len, lw_buf *out, bool *is_closed)
{
    ws->in = lw_str_make(bytes, len);
    while (!ws->is_closed && out->st == LW_OK) {
        struct wslay_frame_iocb frame = { 0 };
        ssize_t got = wslay_frame_recv(ws->frames, &frame);
        if (got >= 0)
            take_frame(ws, &frame, out);
        else if (got == WSLAY_ERR_WANT_READ)
            break;
        else
            fail(ws, WSLAY_CODE_PROTOCOL_ERROR, out);
    }
    *is_closed = ws->is_closed;
    return out->st;
}

size_t lw_ws_header(uint64_t len, bool is_text, char out[LW_WS_HEADER_MAX])
{
    size_t bytes = len < LEN_IN_2_BYTES ? 0 : len <= UINT16_MAX ? 2 : 8;
    out[0] = (char)(FIN | (is_text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME));
    out[1] = (char)(bytes == 0 ? len : bytes == 2 ? LEN_IN_2_BYTES : LEN_IN_8_BYTES);
    for (size_t i = 0; i < bytes; i++)
        out[2 + i] = (char)(len >> (8 * (bytes - 1 - i)) & 0xFFU);
    return 2 + bytes;
}
