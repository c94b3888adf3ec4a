/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c -- commas, colons and line breaks of JSON.
 *
 * Only the current container is remembered: when it ends, the one around it is not empty. */
#include "json/writer.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

void lw_json_writer_init(lw_json_writer *w, lw_buf *out, lw_json_form form)
{
    *w = (lw_json_writer){ .out = out, .form = form, .is_empty = true };
}

lw_status lw_json_writer_status(const lw_json_writer *w)
{
    return w->st < 0 ? w->st : w->out->st;
}

static void break_line(lw_json_writer *w)
{
    static const char spaces[] = "                                ";
    if (w->form != LW_JSON_INDENTED)
        return;
    lw_buf_append_char(w->out, '\n');
    size_t wanted = (size_t)w->depth * 2;
    while (wanted > 0) {
        size_t part = wanted < sizeof(spaces) - 1 ? wanted : sizeof(spaces) - 1;
        lw_buf_append(w->out, spaces, part);
        wanted -= part;
    }
}

/* Writes the separator between the previous item of the container and the next one. */
static void separate(lw_json_writer *w)
{
    if (w->depth == 0)
        return;
    if (!w->is_empty)
        lw_buf_append_char(w->out, ',');
    break_line(w);
    w->is_empty = false;
}

/* Writes what precedes a value. Returns false if the writer has failed. */
static bool begin_value(lw_json_writer *w)
{
    if (w->st < 0)
        return false;
    if (!w->after_key)
        separate(w);
    w->after_key = false;
    return true;
}

static void begin_container(lw_json_writer *w, char open)
{
    if (w->st == LW_OK && w->depth >= LW_JSON_WRITER_DEPTH)
        w->st = LW_ERR_LIMIT;
    if (!begin_value(w))
        return;
    lw_buf_append_char(w->out, open);
    w->depth++;
    w->is_empty = true;
}

static void end_container(lw_json_writer *w, char close)
{
    if (w->st < 0)
        return;
    assert(w->depth > 0 && !w->after_key);
    w->depth--;
    if (!w->is_empty)
        break_line(w);
    lw_buf_append_char(w->out, close);
    w->is_empty = false;
}

void lw_json_write_object_begin(lw_json_writer *w)
{
    begin_container(w, '{');
}

void lw_json_write_object_end(lw_json_writer *w)
{
    end_container(w, '}');
}

void lw_json_write_array_begin(lw_json_writer *w)
{
    begin_container(w, '[');
}

void lw_json_write_array_end(lw_json_writer *w)
{
    end_container(w, ']');
}

static bool begin_key(lw_json_writer *w)
{
    if (w->st < 0)
        return false;
    assert(w->depth > 0 && !w->after_key);
    separate(w);
    return true;
}

static void end_key(lw_json_writer *w)
{
    lw_buf_append_char(w->out, ':');
    if (w->form == LW_JSON_INDENTED)
        lw_buf_append_char(w->out, ' ');
    w->after_key = true;
}

void lw_json_write_key(lw_json_writer *w, lw_str key)
{
    if (w->form == LW_JSON_COMPACT && w->st == LW_OK) {
        assert(w->depth > 0 && !w->after_key);
        lw_json_append_token(w->out, !w->is_empty, key, true);
        w->is_empty = false;
        w->after_key = true;
        return;
    }
    if (!begin_key(w))
        return;
    lw_json_append_quoted(w->out, key);
    end_key(w);
}

/* Writes comma, key and colon of the compact form at once. */
static void put_plain_key(lw_json_writer *w, lw_str prefix, lw_str rest)
{
    lw_buf *out = w->out;
    w->after_key = true;
    if (lw_buf_reserve(out, prefix.len + rest.len + 4) < 0)
        return;
    char *to = out->data + out->len;
    if (!w->is_empty)
        *to++ = ',';
    *to++ = '"';
    memcpy(to, prefix.ptr, prefix.len);
    to += prefix.len;
    if (rest.len > 0)
        memcpy(to, rest.ptr, rest.len);
    to += rest.len;
    *to++ = '"';
    *to++ = ':';
    out->len = (size_t)(to - out->data);
    w->is_empty = false;
}

void lw_json_write_plain_key(lw_json_writer *w, const char *prefix, lw_str rest)
{
    lw_str start = lw_str_of(prefix);
    assert(w->st < 0 || (w->depth > 0 && !w->after_key));
    if (w->form == LW_JSON_COMPACT) {
        if (w->st == LW_OK)
            put_plain_key(w, start, rest);
        return;
    }
    if (!begin_key(w))
        return;
    lw_buf_append_char(w->out, '"');
    lw_buf_append_str(w->out, start);
    lw_buf_append_str(w->out, rest);
    lw_buf_append_char(w->out, '"');
    end_key(w);
}

void lw_json_write_string(lw_json_writer *w, lw_str value)
{
    if (w->form == LW_JSON_COMPACT && w->st == LW_OK && w->after_key) {
        lw_json_append_token(w->out, false, value, false);
        w->after_key = false;
    } else if (begin_value(w)) {
        lw_json_append_quoted(w->out, value);
    }
}

void lw_json_write_number(lw_json_writer *w, lw_str text)
{
    if (begin_value(w))
        lw_buf_append_str(w->out, text);
}

void lw_json_write_int(lw_json_writer *w, int64_t value)
{
    if (!begin_value(w))
        return;
    if (value < 0)
        lw_buf_append_char(w->out, '-');
    lw_buf_append_uint(w->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void lw_json_write_bool(lw_json_writer *w, bool value)
{
    lw_json_write_number(w, value ? LW_STR("true") : LW_STR("false"));
}

void lw_json_write_null(lw_json_writer *w)
{
    lw_json_write_number(w, LW_STR("null"));
}

/* The open containers of a traversal: one bit each, 1 for an object. */
typedef struct nesting {
    unsigned depth;
    unsigned char is_object[LW_JSON_WRITER_DEPTH / CHAR_BIT];
} nesting;

static void nesting_push(nesting *n, bool is_object)
{
    unsigned bit = 1u << n->depth % CHAR_BIT;
    unsigned char *byte = &n->is_object[n->depth / CHAR_BIT];
    *byte = (unsigned char)(is_object ? *byte | bit : *byte & ~bit);
    n->depth++;
}

static bool nesting_top_is_object(const nesting *n)
{
    unsigned at = n->depth - 1;
    return n->is_object[at / CHAR_BIT] >> at % CHAR_BIT & 1;
}

/* Writes the scalar at the cursor, or the beginning of the container, and enters it. */
static void lay_out_value(lw_json_writer *w, lw_json_cursor *c, nesting *n)
{
    lw_json_type type = lw_json_cursor_type(c);
    if (type != LW_JSON_OBJECT && type != LW_JSON_ARRAY) {
        lw_json_write_number(w, lw_json_cursor_skip(c));
        return;
    }
    begin_container(w, type == LW_JSON_OBJECT ? '{' : '[');
    if (w->st < 0)
        return; /* also if it is nested too deeply for |n| */
    lw_json_cursor_enter(c);
    nesting_push(n, type == LW_JSON_OBJECT);
}

/* Moves to the next value and ends the containers that are complete. Returns false at the end. */
static bool lay_out_next(lw_json_writer *w, lw_json_cursor *c, nesting *n)
{
    while (n->depth > 0 && w->st == LW_OK) {
        lw_str key;
        bool is_object = nesting_top_is_object(n);
        if (is_object && lw_json_cursor_next_member(c, &key)) {
            (void)begin_key(w);
            lw_buf_append_char(w->out, '"');
            lw_buf_append_str(w->out, key);
            lw_buf_append_char(w->out, '"');
            end_key(w);
            return true;
        }
        if (!is_object && lw_json_cursor_next_element(c))
            return true;
        end_container(w, is_object ? '}' : ']');
        n->depth--;
    }
    return false;
}

void lw_json_write_raw(lw_json_writer *w, lw_str json)
{
    if (w->form == LW_JSON_COMPACT) {
        lw_json_write_number(w, json);
        return;
    }
    lw_json_cursor c = lw_json_cursor_on(json);
    nesting n = { 0 };
    do {
        lay_out_value(w, &c, &n);
    } while (lay_out_next(w, &c, &n));
}

bool lw_json_write_begin(lw_json_writer *w)
{
    assert(w->form == LW_JSON_COMPACT);
    return begin_value(w);
}

void lw_json_write_raw_members(lw_json_writer *w, lw_str members)
{
    lw_json_write_raw_pieces(w, &members, 1);
}

void lw_json_write_raw_pieces(lw_json_writer *w, const lw_str *pieces, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += pieces[i].len;
    assert(w->form == LW_JSON_COMPACT && len > 0);
    if (!begin_key(w) || lw_buf_reserve(w->out, len) < 0)
        return;
    char *to = w->out->data + w->out->len;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].len > 0)
            memcpy(to, pieces[i].ptr, pieces[i].len);
        to += pieces[i].len;
    }
    w->out->len += len;
}

void lw_json_write_member_string(lw_json_writer *w, const char *key, lw_str value)
{
    lw_json_write_plain_key(w, key, LW_STR(""));
    lw_json_write_string(w, value);
}

void lw_json_write_member_int(lw_json_writer *w, const char *key, int64_t value)
{
    lw_json_write_plain_key(w, key, LW_STR(""));
    lw_json_write_int(w, value);
}
