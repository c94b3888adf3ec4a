/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto.c -- encodes a document with the table of fields.
 *
 * The length of a message precedes it and is inserted when the message is complete.  So each byte
 * moves once per enclosing message, and the nesting is shallow. */
#include "schema/openapi/openapi_proto.h"

#include <string.h>

#include "base/str.h"
#include "schema/openapi/openapi_proto_table.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    VARINT_MAX = 10, /* bytes */
    /* NamedAny, NamedSchema and their like; Any. */
    ENTRY_NAME = 1,
    ENTRY_VALUE = 2,
    ANY_YAML = 2,
    /* ParametersItem. */
    ITEM_PARAMETER = 1,
    ITEM_REFERENCE = 2,
    /* Parameter: its type. */
    PARAMETER_BODY = 1,
    PARAMETER_OTHER = 2,
    OTHER_QUERY = 3,
    OTHER_PATH = 4,
};

static size_t make_varint(uint64_t value, unsigned char bytes[VARINT_MAX])
{
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    return count;
}

static void append_varint(lw_buf *out, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];
    size_t count = make_varint(value, bytes);
    lw_buf_append(out, bytes, count);
}

static void append_tag(lw_buf *out, unsigned number, unsigned wire)
{
    append_varint(out, (uint64_t)number << 3 | wire);
}

/* Begins a message or string; returns the position of its first byte. */
static size_t begin(lw_buf *out, unsigned number)
{
    append_tag(out, number, WIRE_BYTES);
    return out->len;
}

static void end(lw_buf *out, size_t start)
{
    unsigned char bytes[VARINT_MAX];
    if (out->st < 0)
        return;
    size_t len = out->len - start, count = make_varint(len, bytes);
    lw_buf_append(out, bytes, count); /* makes room */
    if (out->st < 0)
        return;
    memmove(out->data + start + count, out->data + start, len);
    memcpy(out->data + start, bytes, count);
}

static void append_message(lw_buf *out, const lw_proto_message *message, lw_json_cursor *c);

static void append_text(lw_buf *out, unsigned number, lw_str raw)
{
    size_t start = begin(out, number);
    lw_json_append_unescaped(out, raw);
    end(out, start);
}

static void append_any(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    size_t start = begin(out, number), text = begin(out, ANY_YAML);
    lw_buf_append_str(out, lw_json_cursor_skip(c));
    end(out, text);
    end(out, start);
}

static void append_bool(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    append_tag(out, number, WIRE_VARINT);
    append_varint(out, lw_str_equal(lw_json_cursor_skip(c), LW_STR("true")));
}

static void append_int64(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    int64_t value = 0;
    (void)lw_json_number_to_int64(lw_json_cursor_skip(c), &value);
    append_tag(out, number, WIRE_VARINT);
    append_varint(out, (uint64_t)value);
}

static void append_double(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    double value = lw_json_number_to_double(lw_json_cursor_skip(c));
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    append_tag(out, number, WIRE_FIXED64);
    lw_buf_append(out, bytes, sizeof(bytes));
}

static void append_wrapped(lw_buf *out, unsigned number, const lw_proto_message *message,
                           lw_json_cursor *c)
{
    size_t start = begin(out, number);
    append_message(out, message, c);
    end(out, start);
}

/* Appends the members of the object at |c| as entries. */
static void append_members(lw_buf *out, unsigned number, const lw_proto_field *field,
                           lw_json_cursor *c)
{
    lw_str key;
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_member(c, &key)) {
        size_t entry = begin(out, number);
        append_text(out, ENTRY_NAME, key);
        size_t value = begin(out, ENTRY_VALUE);
        if (field->wrap > 0)
            append_wrapped(out, field->wrap, field->message, c);
        else
            append_message(out, field->message, c);
        end(out, value);
        end(out, entry);
    }
}

/* Returns the string member |name| of the object at |c|. */
static lw_str text_of(lw_json_cursor c, lw_str name)
{
    lw_str key;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &key)) {
        if (lw_str_equal(key, name) && lw_json_cursor_type(&c) == LW_JSON_STRING)
            return lw_json_cursor_string(&c);
        (void)lw_json_cursor_skip(&c);
    }
    return LW_STR("");
}

static void append_parameter(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    lw_str place = text_of(*c, LW_STR("in"));
    size_t parameter = begin(out, number);
    if (lw_str_equal(place, LW_STR("body"))) {
        append_wrapped(out, PARAMETER_BODY, &lw_proto_body_parameter, c);
    } else {
        bool is_path = lw_str_equal(place, LW_STR("path"));
        size_t other = begin(out, PARAMETER_OTHER);
        append_wrapped(out, is_path ? OTHER_PATH : OTHER_QUERY,
                       is_path ? &lw_proto_path_parameter : &lw_proto_query_parameter, c);
        end(out, other);
    }
    end(out, parameter);
}

/* Appends a ParametersItem: a parameter, or where it is. */
static void append_parameter_item(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    size_t item = begin(out, number);
    if (text_of(*c, LW_STR("$ref")).len > 0)
        append_wrapped(out, ITEM_REFERENCE, &lw_proto_reference, c);
    else
        append_parameter(out, ITEM_PARAMETER, c);
    end(out, item);
}

static void append_named_parameters(lw_buf *out, unsigned number, lw_json_cursor *c)
{
    lw_str key;
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_member(c, &key)) {
        size_t entry = begin(out, number);
        append_text(out, ENTRY_NAME, key);
        append_parameter(out, ENTRY_VALUE, c);
        end(out, entry);
    }
}

static void append_value(lw_buf *out, unsigned number, const lw_proto_field *field,
                         lw_json_cursor *c)
{
    switch (field->form) {
    case LW_PROTO_TEXT:
    case LW_PROTO_TEXTS: append_text(out, number, lw_json_cursor_string(c)); break;
    case LW_PROTO_BOOL: append_bool(out, number, c); break;
    case LW_PROTO_DOUBLE: append_double(out, number, c); break;
    case LW_PROTO_INT64: append_int64(out, number, c); break;
    case LW_PROTO_ANY:
    case LW_PROTO_ANYS: append_any(out, number, c); break;
    case LW_PROTO_MESSAGE:
    case LW_PROTO_MESSAGES: append_wrapped(out, number, field->message, c); break;
    case LW_PROTO_MEMBERS: append_members(out, number, field, c); break;
    case LW_PROTO_ALTERNATIVE:
        if (lw_json_cursor_type(c) == LW_JSON_BOOL)
            append_bool(out, number + 1, c);
        else
            append_wrapped(out, number, field->message, c);
        break;
    case LW_PROTO_PARAMETERS: append_parameter_item(out, number, c); break;
    case LW_PROTO_NAMED_PARAMETERS: append_named_parameters(out, number, c); break;
    }
}

/* Appends the value at |c| inside the messages that JSON does not have. */
static void append_nested(lw_buf *out, const uint8_t *numbers, const lw_proto_field *field,
                          lw_json_cursor *c)
{
    bool is_last = numbers == field->numbers + LW_PROTO_NUMBERS - 1 || numbers[1] == 0;
    if (is_last) {
        append_value(out, numbers[0], field, c);
        return;
    }
    size_t start = begin(out, numbers[0]);
    append_nested(out, numbers + 1, field, c);
    end(out, start);
}

static bool is_repeated(const lw_proto_field *field)
{
    return field->form == LW_PROTO_TEXTS || field->form == LW_PROTO_ANYS ||
           field->form == LW_PROTO_MESSAGES || field->form == LW_PROTO_PARAMETERS;
}

/* True if |type| is the JSON type of a value of |field|, or of its elements. */
static bool fits(const lw_proto_field *field, lw_json_type type)
{
    switch (field->form) {
    case LW_PROTO_TEXT:
    case LW_PROTO_TEXTS: return type == LW_JSON_STRING;
    case LW_PROTO_BOOL: return type == LW_JSON_BOOL;
    case LW_PROTO_DOUBLE:
    case LW_PROTO_INT64: return type == LW_JSON_NUMBER;
    case LW_PROTO_ALTERNATIVE: return type == LW_JSON_OBJECT || type == LW_JSON_BOOL;
    case LW_PROTO_ANY:
    case LW_PROTO_ANYS: return true;
    default: return type == LW_JSON_OBJECT;
    }
}

/* A stored definition may contain values of the wrong type; they are omitted. */
static void append_one(lw_buf *out, const lw_proto_field *field, lw_json_cursor *c)
{
    if (fits(field, lw_json_cursor_type(c)))
        append_nested(out, field->numbers, field, c);
    else
        (void)lw_json_cursor_skip(c);
}

static void append_field(lw_buf *out, const lw_proto_field *field, lw_json_cursor *c)
{
    if (!is_repeated(field)) {
        append_one(out, field, c);
    } else if (lw_json_cursor_type(c) == LW_JSON_ARRAY) {
        lw_json_cursor_enter(c);
        while (lw_json_cursor_next_element(c))
            append_one(out, field, c);
    } else {
        (void)lw_json_cursor_skip(c);
    }
}

static void append_extension(lw_buf *out, unsigned number, lw_str key, lw_json_cursor *c)
{
    size_t entry = begin(out, number);
    append_text(out, ENTRY_NAME, key);
    append_any(out, ENTRY_VALUE, c);
    end(out, entry);
}

static const lw_proto_field *find_field(const lw_proto_message *message, lw_str key)
{
    for (const lw_proto_field *field = message->fields; field->key; field++) {
        if (lw_json_text_equal(key, lw_str_of(field->key)))
            return field;
    }
    return NULL;
}

/* Appends the members of the object at |c|. */
static void append_message(lw_buf *out, const lw_proto_message *message, lw_json_cursor *c)
{
    lw_str key;
    if (lw_json_cursor_type(c) != LW_JSON_OBJECT) {
        (void)lw_json_cursor_skip(c);
        return;
    }
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_member(c, &key)) {
        const lw_proto_field *field = find_field(message, key);
        if (field)
            append_field(out, field, c);
        else if (lw_str_starts_with(key, LW_STR("x-")))
            append_extension(out, message->extensions, key, c);
        else
            (void)lw_json_cursor_skip(c);
    }
}

lw_status lw_openapi_append_proto(lw_str json, lw_buf *out)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    append_message(out, &lw_proto_document, &c);
    return out->st;
}
