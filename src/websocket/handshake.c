/* SPDX-License-Identifier: Apache-2.0 */
/* handshake.c -- reads the reply to an upgrade request: its head up to the empty line, then the
 * body of a refusal: of a given length, in chunks (RFC 9112, 7.1), or up to the end. */
#include "websocket/handshake.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

enum {
    STATUS_SWITCHING = 101,
    STATUS_NO_CONTENT = 204,
    STATUS_NOT_MODIFIED = 304,
    STATUS_LINE_MIN = 12, /* "HTTP/1.1 101" */
};

void lw_websocket_reply_init(lw_websocket_reply *reply, const char *key)
{
    *reply = (lw_websocket_reply){ .status = 0 };
    lw_buf_init(&reply->head, LW_WEBSOCKET_REPLY_HEAD_MAX);
    lw_buf_init(&reply->body, LW_WEBSOCKET_REPLY_BODY_MAX);
    lw_websocket_accept_of(lw_str_of(key), reply->accept);
}

void lw_websocket_reply_done(lw_websocket_reply *reply)
{
    lw_buf_done(&reply->head);
    lw_buf_done(&reply->body);
}

static lw_websocket_step invalid(lw_websocket_reply *reply, const char *fault)
{
    reply->fault = fault;
    return LW_WEBSOCKET_STEP_INVALID;
}

static bool is_word(lw_str text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

/* True if the list |value| has |word|. */
static bool has_word(lw_str value, const char *word)
{
    lw_str one, rest = value;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        if (is_word(lw_str_trim(one), word))
            return true;
    }
    return false;
}

static void keep(char out[LW_WEBSOCKET_VALUE_SIZE], lw_str value)
{
    out[0] = '\0';
    if (value.len >= LW_WEBSOCKET_VALUE_SIZE)
        return;
    if (value.len > 0)
        memcpy(out, value.ptr, value.len);
    out[value.len] = '\0';
}

static void take_header(lw_websocket_reply *reply, lw_str name, lw_str value)
{
    if (is_word(name, "Upgrade"))
        reply->is_upgraded = has_word(value, "websocket");
    else if (is_word(name, "Connection"))
        reply->has_connection = reply->has_connection || has_word(value, "upgrade");
    else if (is_word(name, "Sec-WebSocket-Accept"))
        reply->is_accepted = lw_str_equal(value, lw_str_of(reply->accept));
    else if (is_word(name, "Sec-WebSocket-Protocol"))
        keep(reply->protocol, value);
    else if (is_word(name, "Retry-After"))
        keep(reply->retry_after, value);
    else if (is_word(name, "Transfer-Encoding"))
        reply->is_chunked = has_word(value, "chunked");
    else if (is_word(name, "Content-Length"))
        reply->has_length = lw_str_to_uint64(value, &reply->length);
}

static bool take_status_line(lw_websocket_reply *reply, lw_str line)
{
    uint64_t status;
    if (line.len < STATUS_LINE_MIN || !lw_str_starts_with(line, LW_STR("HTTP/1.")) ||
        line.ptr[8] != ' ' || (line.len > STATUS_LINE_MIN && line.ptr[STATUS_LINE_MIN] != ' ') ||
        !lw_str_to_uint64(lw_str_make(line.ptr + 9, 3), &status) || status < 100)
        return false;
    reply->status = (int)status;
    return true;
}

/* The head is complete. */
static lw_websocket_step read_head(lw_websocket_reply *reply)
{
    lw_str line, rest = lw_buf_view(&reply->head), name, value;
    (void)lw_str_cut(rest, '\n', &line, &rest);
    if (!take_status_line(reply, lw_str_trim(line)))
        return invalid(reply, "it did not send a valid HTTP/1.1 response");
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        if (lw_str_cut(line, ':', &name, &value))
            take_header(reply, name, lw_str_trim(value));
    }
    if (reply->status != STATUS_SWITCHING) {
        if (reply->status < 200)
            return invalid(reply, "it sent an interim response to an upgrade request");
        return LW_WEBSOCKET_STEP_MORE;
    }
    if (!reply->is_upgraded || !reply->has_connection || !reply->is_accepted)
        return invalid(reply, "its response to the upgrade request is not one of WebSocket");
    return LW_WEBSOCKET_STEP_OPEN;
}

static bool head_ends(const lw_buf *head)
{
    return (head->len >= 4 && memcmp(head->data + head->len - 4, "\r\n\r\n", 4) == 0) ||
           (head->len >= 2 && memcmp(head->data + head->len - 2, "\n\n", 2) == 0);
}

/* Returns what follows the first line end of |text|; nothing if there is none. */
static lw_str skip_line(lw_str text, bool *has_end)
{
    lw_str line, rest;
    *has_end = lw_str_cut(text, '\n', &line, &rest);
    return *has_end ? rest : LW_STR("");
}

/* Takes the digits of the size of a chunk; more than eight are too many. */
static lw_str take_size(lw_websocket_reply *reply, lw_str text)
{
    while (text.len > 0 && lw_char_hex_value(text.ptr[0]) >= 0 && reply->chunk_digits < 8) {
        reply->chunk_left = reply->chunk_left << 4 | (uint64_t)lw_char_hex_value(text.ptr[0]);
        reply->chunk_digits++;
        text = lw_str_skip(text, 1);
    }
    if (text.len > 0)
        reply->chunk = LW_WEBSOCKET_CHUNK_LINE;
    return text;
}

static void append_body(lw_websocket_reply *reply, lw_str bytes)
{
    size_t room = LW_WEBSOCKET_REPLY_BODY_MAX - reply->body.len;
    lw_buf_append(&reply->body, bytes.ptr, bytes.len < room ? bytes.len : room);
}

/* Takes bytes of a body in chunks; true: it has ended, or is malformed. */
static bool take_chunks(lw_websocket_reply *reply, lw_str text)
{
    bool has_end;
    while (text.len > 0) {
        switch (reply->chunk) {
        case LW_WEBSOCKET_CHUNK_SIZE: text = take_size(reply, text); break;
        case LW_WEBSOCKET_CHUNK_LINE:
            text = skip_line(text, &has_end);
            if (has_end && reply->chunk_left == 0)
                return true; /* trailers do not matter */
            if (has_end)
                reply->chunk = LW_WEBSOCKET_CHUNK_DATA;
            break;
        case LW_WEBSOCKET_CHUNK_DATA: {
            size_t here = text.len < reply->chunk_left ? text.len : (size_t)reply->chunk_left;
            append_body(reply, lw_str_make(text.ptr, here));
            text = lw_str_skip(text, here);
            reply->chunk_left -= here;
            if (reply->chunk_left == 0)
                reply->chunk = LW_WEBSOCKET_CHUNK_END;
            break;
        }
        case LW_WEBSOCKET_CHUNK_END:
            text = skip_line(text, &has_end);
            if (has_end) {
                reply->chunk = LW_WEBSOCKET_CHUNK_SIZE;
                reply->chunk_digits = 0;
            }
            break;
        }
    }
    return false;
}

static bool take_body(lw_websocket_reply *reply, lw_str bytes)
{
    bool is_empty = reply->status == STATUS_NO_CONTENT || reply->status == STATUS_NOT_MODIFIED;
    if (reply->is_chunked)
        return take_chunks(reply, bytes) || reply->body.len == LW_WEBSOCKET_REPLY_BODY_MAX;
    append_body(reply, bytes);
    return is_empty || reply->body.len == LW_WEBSOCKET_REPLY_BODY_MAX ||
           (reply->has_length && reply->body.len >= reply->length);
}

lw_websocket_step lw_websocket_reply_feed(lw_websocket_reply *reply, const char *bytes, size_t len,
                                          size_t *used)
{
    *used = 0;
    while (reply->status == 0) {
        if (*used == len)
            return LW_WEBSOCKET_STEP_MORE;
        lw_buf_append_char(&reply->head, bytes[(*used)++]);
        if (reply->head.st < 0)
            return invalid(reply, "the head of its response is too large");
        if (!head_ends(&reply->head))
            continue;
        lw_websocket_step step = read_head(reply);
        if (step != LW_WEBSOCKET_STEP_MORE)
            return step;
    }
    bool is_whole = take_body(reply, lw_str_make(bytes + *used, len - *used));
    if (reply->body.st < 0)
        return invalid(reply, "there is no memory for its response");
    *used = len;
    return is_whole ? LW_WEBSOCKET_STEP_REFUSED : LW_WEBSOCKET_STEP_MORE;
}

lw_websocket_step lw_websocket_reply_end(lw_websocket_reply *reply)
{
    if (reply->status == 0)
        return invalid(reply, "it closed the connection without a response");
    return LW_WEBSOCKET_STEP_REFUSED;
}
