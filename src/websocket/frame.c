/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c -- reads and writes WebSocket frames.
 *
 *   head ──complete, valid──▶ data: handed out as it comes ──▶ head
 *     │                  └──▶ control: collected, then handed out ──▶ head
 *     └──violates the protocol──▶ invalid */
#include "websocket/frame.h"

#include <string.h>

#include "base/str.h"

enum {
    FIN = 0x80,
    RESERVED = 0x70,
    OPCODE = 0x0F,
    MASKED = 0x80,
    LENGTH = 0x7F,
    LENGTH_16 = 126, /* the length follows in 2 bytes */
    LENGTH_64 = 127, /* or in 8 */
    HEAD_MIN = 2,
    STATUS_SIZE = 2, /* of a close */
};

static bool is_control(lw_websocket_opcode opcode)
{
    return opcode >= LW_WEBSOCKET_CLOSE;
}

/* The size of a head whose first two bytes are known. */
static size_t head_size(const unsigned char *head)
{
    unsigned length = head[1] & LENGTH;
    return HEAD_MIN + (length == LENGTH_64 ? 8U : length == LENGTH_16 ? 2U : 0U);
}

static uint64_t head_length(const unsigned char *head)
{
    size_t size = head_size(head);
    uint64_t length = 0;
    if (size == HEAD_MIN)
        return head[1] & LENGTH;
    for (size_t i = HEAD_MIN; i < size; i++)
        length = length << 8 | head[i];
    return length;
}

/* A close has no content, or at least a status. */
static bool is_valid_control(const unsigned char *head, uint64_t length)
{
    bool is_close = (head[0] & OPCODE) == LW_WEBSOCKET_CLOSE;
    return (head[0] & FIN) && length <= LW_WEBSOCKET_CONTROL_MAX && !(is_close && length == 1);
}

/* Returns what a complete head violates; NULL: nothing. */
static const char *find_fault(const lw_websocket_reader *reader)
{
    const unsigned char *head = reader->head;
    unsigned opcode = head[0] & OPCODE;
    uint64_t length = head_length(head);
    if (head[0] & RESERVED)
        return "a frame has reserved bits, although no extension was negotiated";
    if (head[1] & MASKED)
        return "a frame of the server is masked";
    if ((head_size(head) == 4 && length < LENGTH_16) ||
        (head_size(head) == 10 && length <= UINT16_MAX) || length > INT64_MAX)
        return "the length of a frame is encoded in an invalid way";
    switch (opcode) {
    case LW_WEBSOCKET_CONTINUATION:
        return reader->is_in_message ? NULL : "a frame continues a message that was not begun";
    case LW_WEBSOCKET_TEXT:
    case LW_WEBSOCKET_BINARY:
        return reader->is_in_message ? "a message begins before the end of another one" : NULL;
    case LW_WEBSOCKET_CLOSE:
    case LW_WEBSOCKET_PING:
    case LW_WEBSOCKET_PONG:
        return is_valid_control(head, length)
                   ? NULL
                   : "a control frame is fragmented, or has an invalid length";
    default: return "a frame has an unknown opcode";
    }
}

/* Takes bytes of the head; true: it is complete. */
static bool take_head(lw_websocket_reader *reader, const char *bytes, size_t len, size_t *used)
{
    while (reader->head_len < HEAD_MIN || reader->head_len < head_size(reader->head)) {
        if (*used == len)
            return false;
        reader->head[reader->head_len++] = (unsigned char)bytes[(*used)++];
    }
    return true;
}

static void begin_frame(lw_websocket_reader *reader)
{
    lw_websocket_opcode opcode = (lw_websocket_opcode)(reader->head[0] & OPCODE);
    reader->is_in_frame = true;
    reader->opcode = opcode;
    reader->left = head_length(reader->head);
    reader->control_len = 0;
    if (is_control(opcode))
        return;
    reader->is_final = (reader->head[0] & FIN) != 0;
    if (opcode != LW_WEBSOCKET_CONTINUATION)
        reader->is_started = false;
    reader->is_in_message = !reader->is_final;
}

static void end_frame(lw_websocket_reader *reader)
{
    reader->is_in_frame = false;
    reader->head_len = 0;
}

static lw_websocket_found take_data(lw_websocket_reader *reader, const char *bytes, size_t len,
                                    size_t *used, lw_websocket_piece *piece)
{
    size_t here = len - *used;
    if (here > reader->left)
        here = (size_t)reader->left;
    if (here == 0 && reader->left > 0)
        return LW_WEBSOCKET_FOUND_NOTHING;
    reader->left -= here;
    piece->bytes = lw_str_make(bytes + *used, here);
    piece->is_first = !reader->is_started;
    piece->is_last = reader->left == 0 && reader->is_final;
    *used += here;
    reader->is_started = true;
    if (reader->left == 0)
        end_frame(reader);
    return LW_WEBSOCKET_FOUND_DATA;
}

static lw_websocket_found take_control(lw_websocket_reader *reader, const char *bytes, size_t len,
                                       size_t *used, lw_websocket_piece *piece)
{
    size_t here = len - *used;
    if (here > reader->left)
        here = (size_t)reader->left;
    if (here > 0)
        memcpy(reader->control + reader->control_len, bytes + *used, here);
    reader->control_len += here;
    reader->left -= here;
    *used += here;
    if (reader->left > 0)
        return LW_WEBSOCKET_FOUND_NOTHING;
    end_frame(reader);
    piece->bytes = lw_str_make(reader->control, reader->control_len);
    if (reader->opcode == LW_WEBSOCKET_PING)
        return LW_WEBSOCKET_FOUND_PING;
    if (reader->opcode == LW_WEBSOCKET_PONG)
        return LW_WEBSOCKET_FOUND_PONG;
    if (reader->control_len >= STATUS_SIZE) {
        piece->status =
            (unsigned)(unsigned char)reader->control[0] << 8 | (unsigned char)reader->control[1];
        piece->bytes = lw_str_skip(piece->bytes, STATUS_SIZE);
    }
    return LW_WEBSOCKET_FOUND_CLOSE;
}

size_t lw_websocket_read(lw_websocket_reader *reader, const char *bytes, size_t len,
                         lw_websocket_found *found, lw_websocket_piece *piece)
{
    size_t used = 0;
    *piece = (lw_websocket_piece){ .bytes = { NULL, 0 } };
    *found = LW_WEBSOCKET_FOUND_NOTHING;
    if (!reader->is_in_frame && !reader->is_invalid) {
        if (!take_head(reader, bytes, len, &used))
            return used;
        piece->fault = find_fault(reader);
        reader->is_invalid = piece->fault != NULL;
        if (!reader->is_invalid)
            begin_frame(reader);
    }
    if (reader->is_invalid) {
        *found = LW_WEBSOCKET_FOUND_INVALID;
        if (!piece->fault)
            piece->fault = "an earlier frame was invalid";
        return used;
    }
    *found = is_control(reader->opcode) ? take_control(reader, bytes, len, &used, piece)
                                        : take_data(reader, bytes, len, &used, piece);
    return used;
}

static void append_masked(lw_buf *out, const unsigned char *mask, size_t *at, lw_str bytes)
{
    if (lw_buf_reserve(out, bytes.len) < 0)
        return;
    char *to = out->data + out->len;
    for (size_t i = 0; i < bytes.len; i++)
        to[i] = (char)((unsigned char)bytes.ptr[i] ^ mask[(*at + i) % LW_WEBSOCKET_MASK_SIZE]);
    out->len += bytes.len;
    *at += bytes.len;
}

void lw_websocket_append(lw_buf *out, lw_websocket_opcode opcode,
                         const unsigned char mask[LW_WEBSOCKET_MASK_SIZE], lw_str head, lw_str body)
{
    uint64_t length = (uint64_t)head.len + body.len;
    size_t at = 0, size = length > UINT16_MAX ? 8 : length >= LENGTH_16 ? 2 : 0;
    /* All or nothing: half of a frame could not be sent. */
    if (lw_buf_reserve(out, LW_WEBSOCKET_HEAD_MAX + head.len + body.len) < 0)
        return;
    lw_buf_append_char(out, (char)(FIN | (int)opcode));
    lw_buf_append_char(out, (char)(MASKED | (size == 8   ? LENGTH_64
                                             : size == 2 ? LENGTH_16
                                                         : (int)length)));
    for (size_t i = size; i > 0; i--)
        lw_buf_append_char(out, (char)(length >> (8 * (i - 1))));
    lw_buf_append(out, mask, LW_WEBSOCKET_MASK_SIZE);
    append_masked(out, mask, &at, head);
    append_masked(out, mask, &at, body);
}
