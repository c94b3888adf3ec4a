/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write_value.c -- encodes JSON strings, numbers and bytes, and the types of
 * proto_value.h. */
#include "schema/proto/proto_writer.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "schema/proto/proto_put.h"
#include "schema/proto/proto_value.h"
#include "json/text.h"

void lw_proto_refuse(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at)
{
    enum {
        SHOWN = 40 /* bytes of the value in the message */
    };
    lw_json_cursor from = *at;
    lw_str text = lw_json_cursor_skip(&from);
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

void lw_proto_write_string(lw_proto_writer *w, unsigned number, lw_json_cursor *at)
{
    bool is_escaped;
    lw_str raw = lw_json_cursor_text(at, &is_escaped);
    if (!is_escaped) {
        lw_proto_bytes(w->out, number, raw);
        return;
    }
    size_t begun = lw_proto_message_begin(w->out, number);
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

static bool put_number(lw_proto_writer *w, const lw_type *type, lw_str text)
{
    int64_t value = 0;
    if (type->form == LW_TYPE_DOUBLE) {
        double number = text.len > 0 ? lw_json_number_to_double(text) : 0;
        uint64_t bits;
        memcpy(&bits, &number, sizeof(bits));
        lw_proto_put_fixed64(w->out, bits);
        return true;
    }
    bool is_short = type->form == LW_TYPE_INT32;
    if (text.len > 0 && (!lw_json_number_to_int64(text, &value) ||
                         (is_short && (value < INT32_MIN || value > INT32_MAX))))
        return false;
    lw_proto_put_varint(w->out, (uint64_t)value);
    return true;
}

bool lw_proto_put_plain(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    switch (type->form) {
    case LW_TYPE_BOOL:
        lw_proto_put_varint(w->out, json == LW_JSON_BOOL && *at->at == 't');
        if (at)
            (void)lw_json_cursor_skip(at);
        return json == LW_JSON_BOOL || json == LW_JSON_NULL;
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES:
        if (json == LW_JSON_STRING)
            return put_base64(w, lw_json_cursor_string(at)); /* strings are handled by the caller */
        lw_proto_put_varint(w->out, 0);
        return json == LW_JSON_NULL;
    default:
        if (json != LW_JSON_NUMBER && json != LW_JSON_NULL)
            return false;
        return put_number(w, type, json == LW_JSON_NULL ? LW_STR("") : lw_json_cursor_skip(at));
    }
}

static bool put_int_or_string(lw_proto_writer *w, lw_json_type json, lw_str text)
{
    int64_t number = 0;
    if (json == LW_JSON_STRING) {
        lw_proto_put_int_or_string(w->out, true, 0, lw_proto_decoded(w, text));
        return true;
    }
    if (json != LW_JSON_NULL &&
        (json != LW_JSON_NUMBER || !lw_json_number_to_int64(text, &number) || number < INT32_MIN ||
         number > INT32_MAX))
        return false;
    lw_proto_put_int_or_string(w->out, false, (int32_t)number, LW_STR(""));
    return true;
}

bool lw_proto_put_special(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    lw_str text = json == LW_JSON_STRING ? lw_json_cursor_string(at)
                  : json != LW_JSON_NULL ? lw_json_cursor_skip(at)
                                         : lw_str_make(NULL, 0);
    switch (type->form) {
    case LW_TYPE_QUANTITY:
        if (json == LW_JSON_NULL)
            text = LW_STR("0");
        lw_proto_put_bytes(w->out, 1, lw_str_trim(lw_proto_decoded(w, text)));
        return json != LW_JSON_OBJECT && json != LW_JSON_ARRAY && json != LW_JSON_BOOL;
    case LW_TYPE_INT_OR_STRING: return put_int_or_string(w, json, text);
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME:
        return json == LW_JSON_NULL ||
               (json == LW_JSON_STRING && lw_proto_put_time(w->out, lw_proto_decoded(w, text),
                                                            type->form == LW_TYPE_MICRO_TIME));
    default: return false;
    }
}

void lw_proto_put_raw(lw_proto_writer *w, lw_json_cursor *at)
{
    if (at && lw_json_cursor_type(at) != LW_JSON_NULL)
        lw_proto_put_bytes(w->out, 1, lw_json_cursor_skip(at));
}
