/* SPDX-License-Identifier: Apache-2.0 */
/* h1_parse.c -- finds where requests or replies begin and end; h1_head.c parses their headers.
 *
 *     HEAD ─▶ BODY ────────────────────────────────────────▶ HEAD
 *       ├───▶ TO_END (a reply that ends with the connection)
 *       └───▶ CHUNK_SIZE ─▶ CHUNK_DATA ─▶ CHUNK_END ─┐
 *                 ▲ └─(0)─▶ TRAILERS ────────────────┼─────▶ HEAD
 *                 └──────────────────────────────────┘
 *
 * Each byte is examined once, in order, so the results do not depend on how the input is split.
 * Headers that arrive in one piece are not copied. */
#include "net/h1/h1_parse.h"

#include <string.h>

#include "base/str.h"
#include "net/h1/h1_head.h"

enum {
    STAGE_HEAD,
    STAGE_BODY,
    STAGE_TO_END,
    STAGE_CHUNK_SIZE,
    STAGE_CHUNK_DATA,
    STAGE_CHUNK_END,
    STAGE_TRAILERS,
    STAGE_REFUSED,
    STAGE_NO_MEMORY,
};

enum {
    CHUNK_DIGITS_MAX = 16,         /* fits into 64 bits, including leading zeros */
    CHUNK_FRAMING_MAX = 16 * 1024, /* maximum size of chunk extensions and trailers of a message */
};

void lw_h1_parser_init(lw_h1_parser *parser)
{
    *parser = (lw_h1_parser){ .stage = STAGE_HEAD };
    lw_buf_init(&parser->head, LW_HTTP_HEAD_MAX);
}

void lw_h1_parser_init_reply(lw_h1_parser *parser)
{
    lw_h1_parser_init(parser);
    parser->is_reply = true;
}

void lw_h1_parser_done(lw_h1_parser *parser)
{
    lw_buf_done(&parser->head);
}

bool lw_h1_parser_is_idle(const lw_h1_parser *parser)
{
    return parser->stage == STAGE_HEAD && parser->head_len == 0;
}

static lw_h1_event refuse(lw_h1_parser *parser, int status, const char *reason)
{
    parser->stage = STAGE_REFUSED;
    parser->refusal_status = status;
    parser->refusal = reason;
    lw_buf_done(&parser->head);
    return LW_H1_REFUSED;
}

static lw_h1_event no_memory(lw_h1_parser *parser)
{
    parser->stage = STAGE_NO_MEMORY;
    lw_buf_done(&parser->head);
    return LW_H1_NO_MEMORY;
}

/* Control characters are not allowed in headers, except the tab. */
static bool is_control(char c)
{
    unsigned char byte = (unsigned char)c;
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

/* Tracks line ends: true if |c| ended a line.  Sets |*fault| if |c| is invalid. */
static bool ends_line(lw_h1_parser *parser, char c, const char **fault)
{
    if (parser->saw_cr) {
        parser->saw_cr = false;
        if (c != '\n')
            *fault = "a carriage return without its line feed";
        return c == '\n';
    }
    if (c == '\r')
        parser->saw_cr = true;
    else if (c == '\n')
        *fault = "a line feed without its carriage return";
    else if (is_control(c))
        *fault = "a control character";
    else
        parser->line_len++;
    return false;
}

/* Returns the headers so far, which end after |*scanned| bytes of the input, as one piece. */
static bool gather(lw_h1_parser *parser, lw_str *input, size_t *scanned, lw_str *whole)
{
    if (parser->head.len == 0) {
        *whole = lw_str_make(input->ptr, *scanned);
        return true;
    }
    lw_buf_append(&parser->head, input->ptr, *scanned);
    *input = lw_str_skip(*input, *scanned);
    *scanned = 0;
    *whole = lw_buf_view(&parser->head);
    return parser->head.st == LW_OK;
}

/* Parses the first line, which is |len| bytes long with its CRLF. */
static lw_h1_verdict read_first_line(const lw_h1_parser *parser, const char *bytes, size_t len,
                                     lw_h1_head *head)
{
    lw_str line = lw_str_make(bytes, len - 2);
    return parser->is_reply ? lw_h1_read_status_line(line, head)
                            : lw_h1_read_request_line(line, head);
}

static int stage_after(const lw_h1_parser *parser, const lw_h1_head *head)
{
    if (parser->answers_head && head->status >= 200)
        return STAGE_BODY; /* of no bytes */
    return head->is_chunked ? STAGE_CHUNK_SIZE : head->runs_to_end ? STAGE_TO_END : STAGE_BODY;
}

static lw_h1_event finish_head(lw_h1_parser *parser, lw_str whole, lw_h1_head *head)
{
    size_t first = parser->first_line_len;
    head->bytes = whole;
    lw_h1_verdict verdict = read_first_line(parser, whole.ptr, first, head);
    if (verdict.status == 0) {
        lw_str fields = lw_str_make(whole.ptr + first, whole.len - first - 2);
        verdict = lw_h1_read_fields(fields, head);
    }
    if (verdict.status != 0)
        return refuse(parser, verdict.status, verdict.reason);
    parser->stage = stage_after(parser, head);
    parser->body_left = parser->answers_head ? 0 : head->content_length;
    parser->head_len = parser->first_line_len = parser->framing_len = 0;
    parser->digits = 0;
    parser->saw_blank = parser->is_extension = false;
    return LW_H1_HEAD;
}

/* A header line has ended.  LW_H1_MORE: continue. */
static lw_h1_event head_line(lw_h1_parser *parser, lw_str *input, size_t *scanned, lw_h1_head *head)
{
    lw_str whole;
    bool is_empty = parser->line_len == 0;
    parser->line_len = 0;
    if (is_empty && parser->first_line_len == 0) {
        if (parser->saw_blank || parser->is_reply)
            return refuse(parser, 400,
                          parser->is_reply ? "malformed status line" : "malformed request line");
        parser->saw_blank = true;
        parser->head_len = 0;
        lw_buf_reset(&parser->head);
        *input = lw_str_skip(*input, *scanned);
        *scanned = 0;
        return LW_H1_MORE;
    }
    if (!is_empty && parser->first_line_len > 0)
        return LW_H1_MORE;
    if (!gather(parser, input, scanned, &whole))
        return no_memory(parser);
    if (is_empty)
        return finish_head(parser, whole, head);
    parser->first_line_len = whole.len;
    lw_h1_verdict verdict = read_first_line(parser, whole.ptr, whole.len, head);
    return verdict.status != 0 ? refuse(parser, verdict.status, verdict.reason) : LW_H1_MORE;
}

/* Returns the number of bytes before one that ends a line, is refused, or is a tab; less near the
 * end of |bytes|.  Eight at a time, because heads consist of little else: a byte below 0x20, and
 * the difference of one to 0x7f, borrow when they are subtracted from.  The lowest one is exact. */
static size_t plain_run(const char *bytes, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t eight;
    for (size_t run = 0; len - run >= sizeof(eight); run += sizeof(eight)) {
        memcpy(&eight, bytes + run, sizeof(eight));
        uint64_t from_delete = eight ^ (ones * 0x7f);
        uint64_t special =
            (((eight - ones * 0x20) & ~eight) | ((from_delete - ones) & ~from_delete)) & tops;
        if (special)
            return run + (size_t)__builtin_ctzll(special) / 8;
    }
    return len - len % sizeof(eight);
}

/* Passes over bytes that are neither ends of lines nor refused. */
static size_t skip_plain(lw_h1_parser *parser, lw_str rest)
{
    size_t room = LW_HTTP_HEAD_MAX - parser->head_len;
    size_t run = parser->saw_cr ? 0 : plain_run(rest.ptr, rest.len < room ? rest.len : room);
    parser->head_len += run;
    parser->line_len += run;
    return run;
}

static lw_h1_event next_of_head(lw_h1_parser *parser, lw_str *input, lw_h1_head *head)
{
    size_t scanned = 0;
    while (scanned < input->len) {
        scanned += skip_plain(parser, lw_str_skip(*input, scanned));
        if (scanned == input->len)
            break;
        const char *fault = NULL;
        char c = input->ptr[scanned++];
        if (++parser->head_len > LW_HTTP_HEAD_MAX) {
            return parser->first_line_len == 0
                       ? refuse(parser, 414,
                                parser->is_reply ? "the status line is too long"
                                                 : "the request line is too long")
                       : refuse(parser, 431, "the header fields are too long");
        }
        bool has_line = ends_line(parser, c, &fault);
        if (fault)
            return refuse(parser, 400, fault);
        lw_h1_event event = has_line ? head_line(parser, input, &scanned, head) : LW_H1_MORE;
        if (event == LW_H1_HEAD)
            *input = lw_str_skip(*input, scanned);
        if (event != LW_H1_MORE)
            return event;
    }
    lw_buf_append(&parser->head, input->ptr, scanned);
    *input = lw_str_skip(*input, scanned);
    return parser->head.st == LW_OK ? LW_H1_MORE : no_memory(parser);
}

static lw_h1_event end_message(lw_h1_parser *parser)
{
    parser->stage = STAGE_HEAD;
    parser->line_len = 0;
    return LW_H1_END;
}

/* Returns a piece of the body or of the current chunk. */
static lw_h1_event take_body(lw_h1_parser *parser, lw_str *input, lw_str *body)
{
    size_t len = input->len < parser->body_left ? input->len : (size_t)parser->body_left;
    *body = lw_str_make(input->ptr, len);
    *input = lw_str_skip(*input, len);
    parser->body_left -= len;
    return LW_H1_BODY;
}

/* chunk-size [ chunk-ext ] CRLF, one byte at a time.  Extensions are skipped; spaces before them
 * are refused, because no legitimate client sends them. */
static lw_h1_event chunk_size_byte(lw_h1_parser *parser, char c)
{
    const char *fault = NULL;
    if (ends_line(parser, c, &fault)) {
        if (parser->digits == 0)
            return refuse(parser, 400, "malformed chunk");
        parser->stage = parser->body_left > 0 ? STAGE_CHUNK_DATA : STAGE_TRAILERS;
        parser->line_len = 0;
        parser->digits = 0;
        parser->is_extension = false;
        return LW_H1_MORE;
    }
    if (fault)
        return refuse(parser, 400, fault);
    if (parser->saw_cr)
        return LW_H1_MORE;
    if (parser->is_extension) {
        if (++parser->framing_len > CHUNK_FRAMING_MAX)
            return refuse(parser, 431, "too many chunk extensions");
        return LW_H1_MORE;
    }
    int digit = lw_char_hex_value(c);
    if (digit >= 0 && parser->digits < CHUNK_DIGITS_MAX) {
        parser->digits++;
        parser->body_left = parser->body_left << 4 | (uint64_t)digit;
        return LW_H1_MORE;
    }
    parser->is_extension = c == ';' && parser->digits > 0;
    return parser->is_extension ? LW_H1_MORE : refuse(parser, 400, "malformed chunk");
}

/* The CRLF after a chunk's data. */
static lw_h1_event chunk_end_byte(lw_h1_parser *parser, char c)
{
    if (c != (parser->saw_cr ? '\n' : '\r'))
        return refuse(parser, 400, "malformed chunk");
    if (parser->saw_cr)
        parser->stage = STAGE_CHUNK_SIZE;
    parser->saw_cr = !parser->saw_cr;
    return LW_H1_MORE;
}

/* Trailers are checked like header fields, and dropped. */
static lw_h1_event trailer_byte(lw_h1_parser *parser, char c)
{
    const char *fault = NULL;
    bool is_first = parser->line_len == 0;
    if (++parser->framing_len > CHUNK_FRAMING_MAX)
        return refuse(parser, 431, "the trailers are too long");
    if (ends_line(parser, c, &fault)) {
        if (is_first)
            return end_message(parser);
        if (!parser->is_extension)
            return refuse(parser, 400, "malformed trailer");
        parser->line_len = 0;
        parser->is_extension = false;
        return LW_H1_MORE;
    }
    if (fault)
        return refuse(parser, 400, fault);
    if (parser->saw_cr || parser->is_extension)
        return LW_H1_MORE;
    if (c == ':' && !is_first)
        parser->is_extension = true;
    else if (!lw_h1_is_token_char(c))
        return refuse(parser, 400, "malformed trailer");
    return LW_H1_MORE;
}

static lw_h1_event next_of_framing(lw_h1_parser *parser, lw_str *input)
{
    int stage = parser->stage;
    while (input->len > 0 && parser->stage == stage) {
        char c = input->ptr[0];
        *input = lw_str_skip(*input, 1);
        lw_h1_event event = stage == STAGE_CHUNK_SIZE  ? chunk_size_byte(parser, c)
                            : stage == STAGE_CHUNK_END ? chunk_end_byte(parser, c)
                                                       : trailer_byte(parser, c);
        if (event != LW_H1_MORE)
            return event;
    }
    return LW_H1_MORE;
}

lw_h1_event lw_h1_parser_next(lw_h1_parser *parser, lw_str *input, lw_h1_head *head, lw_str *body)
{
    lw_h1_event event = LW_H1_MORE;
    if (parser->stage != STAGE_HEAD)
        lw_buf_done(&parser->head);
    if (parser->stage == STAGE_BODY && parser->body_left == 0)
        return end_message(parser);
    while (event == LW_H1_MORE && input->len > 0) {
        switch (parser->stage) {
        case STAGE_HEAD: event = next_of_head(parser, input, head); break;
        case STAGE_BODY: return take_body(parser, input, body);
        case STAGE_TO_END:
            *body = *input;
            *input = lw_str_skip(*input, input->len);
            return LW_H1_BODY;
        case STAGE_CHUNK_DATA:
            event = take_body(parser, input, body);
            if (parser->body_left == 0)
                parser->stage = STAGE_CHUNK_END;
            break;
        case STAGE_REFUSED: return LW_H1_REFUSED;
        case STAGE_NO_MEMORY: return LW_H1_NO_MEMORY;
        default: event = next_of_framing(parser, input);
        }
    }
    return event;
}

lw_h1_event lw_h1_parser_finish(lw_h1_parser *parser)
{
    if (parser->stage == STAGE_TO_END)
        return end_message(parser);
    return refuse(parser, 400, "the connection was closed before the end of the reply");
}
