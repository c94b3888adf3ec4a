/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write_value.c -- encodes JSON strings, numbers and bytes, and the types of
 * proto_value.h. */
#include "schema/proto/proto_writer.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "schema/proto/proto_field.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_value.h"
#include "json/text.h"

enum {
    QUICK_DIGITS = 9, /* of numbers that need no check of their range */
};

void lw_proto_refuse(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at)
{
    enum {
        SHOWN = 40 /* bytes of the value in the message */
    };
    lw_json_cursor from = at ? *at : lw_json_cursor_on(w->json);
    lw_str text = at ? lw_json_cursor_skip(&from) : lw_str_make(from.at, 0);
    text.len = text.len > SHOWN ? SHOWN : text.len;
    if (w->st == LW_OK)
        w->st = lw_error_set_at(w->err, LW_ERR_INVALID, (uint64_t)(text.ptr - w->json.ptr),
                                "%.*s: %.*s is not a valid %.*s",
                                LW_STR_ARG(w->field ? w->field->name : LW_STR("document")),
                                LW_STR_ARG(text), LW_STR_ARG(type->go));
}

lw_str lw_proto_decoded(lw_proto_writer *w, lw_str raw)
{
    if (raw.len == 0 || !memchr(raw.ptr, '\\', raw.len))
        return raw;
    lw_buf_reset(&w->text);
    lw_json_append_unescaped(&w->text, raw);
    if (w->text.st < 0)
        w->st = w->text.st;
    return lw_buf_view(&w->text);
}

void lw_proto_write_escaped(lw_proto_writer *w, const lw_wire_field *field, lw_str raw)
{
    size_t begun = lw_proto_message_begin(w->out, field);
    lw_json_append_unescaped(w->out, raw);
    lw_proto_message_end(w->out, begun);
}

static bool put_base64(lw_proto_writer *w, lw_str raw)
{
    size_t begun = lw_proto_begin(w->out);
    bool is_good = lw_base64_decode_lenient(w->out, lw_proto_decoded(w, raw));
    lw_proto_end(w->out, begun);
    return is_good;
}

/* Reads a number of a few digits, and nothing else, at the cursor. */
static bool read_quick(lw_json_cursor *at, int64_t *value)
{
    const char *p = at->at, *end = at->end - p > QUICK_DIGITS ? p + QUICK_DIGITS : at->end;
    int64_t made = 0;
    for (; p < end && lw_char_is_digit(*p); p++)
        made = made * 10 + (*p - '0');
    if (p == at->at || p == at->end || lw_char_is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E')
        return false;
    at->at = p;
    *value = made;
    return true;
}

static bool write_integer(lw_proto_writer *w, const lw_wire_field *field, const lw_type *type,
                          lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    int64_t value = 0;
    if (json != LW_JSON_NUMBER && json != LW_JSON_NULL)
        return false;
    if (json == LW_JSON_NUMBER && !read_quick(at, &value) &&
        (!lw_json_number_to_int64(lw_json_cursor_skip(at), &value) ||
         (type->form == LW_TYPE_INT32 && (value < INT32_MIN || value > INT32_MAX))))
        return false;
    lw_proto_number(w->out, field, (uint64_t)value);
    return true;
}

static bool write_double(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    double number = json == LW_JSON_NUMBER ? lw_json_number_to_double(lw_json_cursor_skip(at)) : 0;
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    lw_proto_tag(w->out, field);
    lw_proto_put_fixed64(w->out, bits);
    return json == LW_JSON_NUMBER || json == LW_JSON_NULL;
}

static bool write_bytes(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    if (json != LW_JSON_STRING) {
        lw_proto_number(w->out, field, 0);
        return json == LW_JSON_NULL;
    }
    lw_proto_tag(w->out, field);
    return put_base64(w, lw_json_cursor_string(at));
}

/* Appends |field|, a message that contains one string or bytes field; |end| is the end of what may
 * be read after |text|. */
static void write_text_message(lw_proto_writer *w, const lw_wire_field *field, lw_str text,
                               const char *end)
{
    static const lw_wire_field inner = { .tag = { 1 << 3 | LW_PROTO_BYTES }, .tag_len = 1 };
    lw_proto_number(w->out, field, 1 + lw_proto_varint_size(text.len) + text.len);
    lw_proto_bytes(w->out, &inner, text, end);
}

static bool write_quantity(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    lw_str text = LW_STR("0");
    if (json == LW_JSON_STRING)
        text = lw_proto_decoded(w, lw_json_cursor_string(at));
    else if (json == LW_JSON_NUMBER)
        text = lw_json_cursor_skip(at);
    text = lw_str_trim(text);
    write_text_message(w, field, text, text.ptr + text.len);
    return json == LW_JSON_STRING || json == LW_JSON_NUMBER || json == LW_JSON_NULL;
}

static void write_raw(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    if (at)
        write_text_message(w, field, lw_json_cursor_skip(at), at->end);
    else
        lw_proto_number(w->out, field, 0);
}

static bool write_time(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at,
                       bool is_micro)
{
    lw_proto_time *time = &w->time;
    bool is_escaped;
    if (!at) {
        lw_proto_number(w->out, field, 0);
        return true;
    }
    if (lw_json_cursor_type(at) != LW_JSON_STRING)
        return false;
    lw_str text = lw_json_cursor_text(at, &is_escaped);
    /* Most times of an object are the same few. */
    if (text.len == 0 || !lw_str_equal(text, time->text) || time->is_micro != is_micro) {
        lw_buf message = { .data = time->message,
                           .cap = LW_PROTO_TIME_MAX,
                           .limit = LW_PROTO_TIME_MAX };
        lw_str plain = is_escaped ? lw_proto_decoded(w, text) : text;
        time->text.len = 0;
        if (!lw_proto_put_time(&message, plain, is_micro))
            return false;
        time->text = text;
        time->len = message.len;
        time->is_micro = is_micro;
    }
    lw_proto_bytes(w->out, field, lw_str_make(time->message, time->len),
                   time->message + sizeof(time->message));
    return true;
}

static bool put_int_or_string(lw_proto_writer *w, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    int64_t number = 0;
    if (json == LW_JSON_STRING) {
        lw_str text = lw_proto_decoded(w, lw_json_cursor_string(at));
        lw_proto_put_int_or_string(w->out, true, 0, text);
        return true;
    }
    if (json != LW_JSON_NULL &&
        (json != LW_JSON_NUMBER || !lw_json_number_to_int64(lw_json_cursor_skip(at), &number) ||
         number < INT32_MIN || number > INT32_MAX))
        return false;
    lw_proto_put_int_or_string(w->out, false, (int32_t)number, LW_STR(""));
    return true;
}

static bool write_int_or_string(lw_proto_writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    size_t begun = lw_proto_message_begin(w->out, field);
    bool is_good = put_int_or_string(w, at);
    lw_proto_message_end(w->out, begun);
    return is_good;
}

static bool write_scalar(lw_proto_writer *w, const lw_wire_field *field, const lw_type *type,
                         lw_json_cursor *at)
{
    switch (type->form) {
    case LW_TYPE_BOOL: lw_proto_number(w->out, field, 0); return !at;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return write_integer(w, field, type, at);
    case LW_TYPE_DOUBLE: return write_double(w, field, at);
    case LW_TYPE_BYTES: return write_bytes(w, field, at);
    case LW_TYPE_QUANTITY: return write_quantity(w, field, at);
    case LW_TYPE_INT_OR_STRING: return write_int_or_string(w, field, at);
    case LW_TYPE_TIME: return write_time(w, field, at, false);
    case LW_TYPE_MICRO_TIME: return write_time(w, field, at, true);
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: write_raw(w, field, at); return true;
    default: return false;
    }
}

void lw_proto_write_scalar(lw_proto_writer *w, const lw_wire_field *field, const lw_type *type,
                           lw_json_cursor *at)
{
    const char *before = at ? at->at : NULL;
    if (write_scalar(w, field, type, at))
        return;
    if (at)
        at->at = before;
    lw_proto_refuse(w, type, at);
}
