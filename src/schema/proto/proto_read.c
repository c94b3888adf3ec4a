/* SPDX-License-Identifier: Apache-2.0 */
/* proto_read.c -- decodes protobuf to JSON.  The result is what the Go types would write after
 * reading the message.
 *
 * Protobuf fields come in any order, and JSON has its own order.  So a message is read twice: once
 * to record the first and last position of each field (its span), and once in JSON order.  The
 * spans of all open messages share one stack.
 *
 * A duplicate of a non-repeated message field is an error.  Go would merge the two; no writer
 * relies on that. */
#include "schema/proto/proto.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_map.h"
#include "schema/proto/proto_parts.h"
#include "schema/proto/proto_value.h"

enum {
    SPANS_FIRST = 256,
    GUESSES = 4, /* fields to try for the next number before a binary search */
};

/* Where a field occurs in its message. */
typedef struct span {
    uint32_t first, last; /* offsets of its tags */
    uint32_t count;
} span;

typedef struct reader {
    lw_json_writer w;
    span *spans;
    size_t span_count, span_room;
    lw_buf text; /* scratch for base64 */
    unsigned depth;
    lw_status st;
    lw_error *err;
} reader;

static void read_members(reader *r, const lw_type *type, lw_str message);
static void read_value(reader *r, const lw_type *type, const lw_proto_item *item);

/* Stops all output; the document may end in the middle of a member. */
static void fail(reader *r, lw_status st)
{
    r->st = st;
    r->w.st = st;
}

/* Records an error of the wire format. */
static void refuse_bytes(reader *r, const char *error)
{
    if (r->st == LW_OK)
        fail(r, lw_error_set(r->err, LW_ERR_SYNTAX, "%s", error));
}

static void refuse(reader *r, lw_str what, const char *why)
{
    if (r->st == LW_OK)
        fail(r, lw_error_set(r->err, LW_ERR_SYNTAX, "%.*s: %s", LW_STR_ARG(what), why));
}

static bool push_spans(reader *r, size_t count)
{
    if (count > r->span_room - r->span_count) {
        size_t room = 2 * (r->span_room + count) + SPANS_FIRST;
        span *spans = lw_realloc_array(r->spans, room, sizeof(*spans));
        if (!spans) {
            fail(r, lw_error_nomem(r->err));
            return false;
        }
        r->spans = spans;
        r->span_room = room;
    }
    if (count > 0) /* a message without fields may be the first: there is no array yet */
        memset(r->spans + r->span_count, 0, count * sizeof(*r->spans));
    r->span_count += count;
    return true;
}

static bool is_repeated(const lw_type *type)
{
    return type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP;
}

static bool is_packable(const lw_type *element)
{
    return lw_proto_wire_of(element->form) == LW_PROTO_VARINT;
}

bool lw_proto_fits_wire(const lw_type *type, lw_proto_wire wire)
{
    if (type->form != LW_TYPE_LIST)
        return wire == lw_proto_wire_of(type->form);
    return wire == lw_proto_wire_of(type->element->form) ||
           (wire == LW_PROTO_BYTES && is_packable(type->element));
}

const lw_field *lw_proto_find_field(const lw_type *type, unsigned number, size_t *next)
{
    size_t end = *next + GUESSES < type->numbered_count ? *next + GUESSES : type->numbered_count;
    for (size_t i = *next; i < end; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        if (field->number == number) {
            *next = i; /* the field may be repeated */
            return field;
        }
    }
    return lw_type_field_numbered(type, number);
}

/* Records the spans of the fields of |message|, from index |base| on. */
static void note_fields(reader *r, const lw_type *type, size_t base, lw_str message)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    size_t next = 0;
    for (uint32_t at = 0; lw_proto_next(&from, &item);
         at = (uint32_t)(message.len - from.rest.len)) {
        const lw_field *field = lw_proto_find_field(type, item.number, &next);
        if (!field)
            continue;
        span *s = &r->spans[base + (size_t)(field - type->fields)];
        if (!lw_proto_fits_wire(field->type, item.wire)) {
            refuse(r, field->name, "proto: wrong wireType");
            return;
        }
        if (s->count > 0 && !is_repeated(field->type) && lw_proto_is_message(field->type->form)) {
            refuse(r, field->name, "proto: duplicate field");
            return;
        }
        if (s->count++ == 0)
            s->first = at;
        s->last = at;
    }
    if (from.error)
        refuse_bytes(r, from.error);
}

/* Finds the next occurrence of |field| at or after |*at|, which moves past it; false: there is
 * none. */
static bool next_of(const span *s, const lw_field *field, lw_str message, uint32_t *at,
                    lw_proto_item *item)
{
    while (*at <= s->last) {
        lw_proto_reader from = { lw_str_skip(message, *at), NULL };
        (void)lw_proto_next(&from, item); /* cannot fail: the bytes were checked before */
        *at = (uint32_t)(message.len - from.rest.len);
        if (item->number == field->number)
            return true;
    }
    return false;
}

static void read_packed(reader *r, const lw_type *element, lw_str bytes)
{
    lw_proto_reader from = { bytes, NULL };
    lw_proto_item item = { .wire = LW_PROTO_VARINT };
    while (from.rest.len > 0 && r->st == LW_OK) {
        if (lw_proto_next_varint(&from, &item.value))
            read_value(r, element, &item);
        else
            refuse_bytes(r, from.error);
    }
}

static void read_list(reader *r, const lw_field *field, const span *s, lw_str message)
{
    const lw_type *element = field->type->element;
    lw_proto_item item;
    lw_json_write_array_begin(&r->w);
    for (uint32_t at = s->first; r->st == LW_OK && next_of(s, field, message, &at, &item);) {
        if (item.wire == LW_PROTO_BYTES && is_packable(element))
            read_packed(r, element, item.bytes);
        else
            read_value(r, element, &item);
    }
    lw_json_write_array_end(&r->w);
}

bool lw_proto_read_entry(const lw_type *element, lw_str entry, lw_str *key, lw_proto_item *value)
{
    lw_proto_reader from = { entry, NULL };
    lw_proto_item item;
    *key = LW_STR("");
    value->number = 0;
    while (lw_proto_next(&from, &item)) {
        if (item.number > 2)
            continue;
        if (item.number == 1 ? item.wire != LW_PROTO_BYTES
                             : !lw_proto_fits_wire(element, item.wire))
            return false;
        if (item.number == 1)
            *key = item.bytes;
        else
            *value = item;
    }
    return !from.error;
}

static lw_status gather_entries(lw_proto_map *map, const lw_field *field, const span *s,
                                lw_str message)
{
    lw_proto_item item, value;
    for (uint32_t at = s->first; next_of(s, field, message, &at, &item);) {
        lw_str key;
        if (!lw_proto_read_entry(field->type->element, item.bytes, &key, &value))
            return LW_ERR_SYNTAX;
        if (lw_proto_map_add(map, key, item.bytes) < 0)
            return LW_ERR_NOMEM;
    }
    lw_proto_map_sort(map);
    return LW_OK;
}

static void read_map(reader *r, const lw_field *field, const span *s, lw_str message)
{
    const lw_type *element = field->type->element;
    lw_proto_map map;
    lw_proto_map_init(&map);
    lw_status st = gather_entries(&map, field, s, message);
    if (st == LW_ERR_NOMEM)
        fail(r, lw_error_nomem(r->err));
    else if (st < 0)
        refuse(r, field->name, "proto: malformed map entry");
    lw_json_write_object_begin(&r->w);
    for (size_t i = 0; i < map.count && r->st == LW_OK; i++) {
        lw_proto_item value;
        lw_str key;
        (void)lw_proto_read_entry(element, map.entries[i].value, &key, &value);
        lw_json_write_key(&r->w, key);
        read_value(r, element, value.number > 0 ? &value : NULL);
    }
    lw_json_write_object_end(&r->w);
    lw_proto_map_done(&map);
}

static void read_double(reader *r, const lw_type *type, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    if (!lw_proto_write_double(&r->w, value))
        refuse(r, type->go, "JSON has no encoding for NaN and infinity");
}

static void read_bytes(reader *r, lw_str bytes)
{
    lw_buf_reset(&r->text);
    lw_base64_encode(&r->text, bytes);
    if (r->text.st < 0)
        fail(r, lw_error_nomem(r->err));
    lw_json_write_string(&r->w, lw_buf_view(&r->text));
}

static void read_struct(reader *r, const lw_type *type, lw_str message)
{
    lw_json_write_object_begin(&r->w);
    read_members(r, type, message);
    lw_json_write_object_end(&r->w);
}

/* True if |type| is a list that protobuf encodes as a message of its own. */
static bool is_wrapped_list(const lw_type *type)
{
    return type->field_count == 1 && type->fields[0].type->form == LW_TYPE_LIST;
}

/* Writes the value of one field: a non-empty list, a struct or a bool; null if there is none. */
static void read_either(reader *r, const lw_type *type, lw_str message)
{
    size_t base = r->span_count;
    if (!push_spans(r, type->field_count))
        return;
    note_fields(r, type, base, message);
    const lw_field *chosen = NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_field *field = &type->fields[i];
        bool is_there = r->spans[base + i].count > 0;
        if (field->type->form == LW_TYPE_BOOL ? !chosen : is_there)
            chosen = chosen && chosen->type->form == LW_TYPE_LIST ? chosen : field;
    }
    span s = chosen ? r->spans[base + (size_t)(chosen - type->fields)] : (span){ 0, 0, 0 };
    lw_proto_item item = { .value = 0 };
    uint32_t at = s.last;
    if (!chosen && is_wrapped_list(type)) {
        lw_json_write_array_begin(&r->w);
        lw_json_write_array_end(&r->w);
    } else if (!chosen) {
        lw_json_write_null(&r->w);
    } else if (chosen->type->form == LW_TYPE_LIST) {
        read_list(r, chosen, &s, message);
    } else {
        if (s.count > 0)
            (void)next_of(&s, chosen, message, &at, &item);
        read_value(r, chosen->type, &item);
    }
    r->span_count = base;
}

static void read_message(reader *r, const lw_type *type, lw_str message)
{
    bool is_good = true;
    switch (type->form) {
    case LW_TYPE_STRUCT: read_struct(r, type, message); break;
    case LW_TYPE_EITHER: read_either(r, type, message); break;
    case LW_TYPE_QUANTITY: is_good = lw_proto_write_quantity(&r->w, message); break;
    case LW_TYPE_INT_OR_STRING: is_good = lw_proto_write_int_or_string(&r->w, message); break;
    case LW_TYPE_TIME: is_good = lw_proto_write_time(&r->w, message, false); break;
    case LW_TYPE_MICRO_TIME: is_good = lw_proto_write_time(&r->w, message, true); break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: is_good = lw_proto_write_raw(&r->w, message); break;
    default: is_good = false; break;
    }
    if (!is_good)
        refuse(r, type->go, "the message has no valid value of this type");
}

/* Writes one value; |item| is NULL for zero. */
static void read_value(reader *r, const lw_type *type, const lw_proto_item *item)
{
    static const lw_proto_item zero = { .number = 0 };
    if (r->st < 0)
        return;
    if (++r->depth > LW_PROTO_DEPTH_MAX) {
        fail(r, lw_error_set(r->err, LW_ERR_LIMIT, "messages are nested more than %d levels deep",
                             LW_PROTO_DEPTH_MAX));
        return;
    }
    bool is_absent = !item;
    item = item ? item : &zero;
    switch (type->form) {
    case LW_TYPE_BOOL: lw_json_write_bool(&r->w, item->value != 0); break;
    case LW_TYPE_INT32: lw_json_write_int(&r->w, (int32_t)item->value); break;
    case LW_TYPE_INT64: lw_json_write_int(&r->w, (int64_t)item->value); break;
    case LW_TYPE_DOUBLE: read_double(r, type, item->value); break;
    case LW_TYPE_STRING: lw_json_write_string(&r->w, item->bytes); break;
    case LW_TYPE_BYTES:
        if (is_absent)
            lw_json_write_null(&r->w);
        else
            read_bytes(r, item->bytes);
        break;
    default: read_message(r, type, item->bytes); break;
    }
    r->depth--;
}

bool lw_proto_is_omitted(const lw_field *field, const lw_proto_item *item)
{
    if (field->flags & (LW_FIELD_ALWAYS | LW_FIELD_POINTER))
        return false;
    switch (field->type->form) {
    case LW_TYPE_BOOL:
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return item->value == 0;
    case LW_TYPE_DOUBLE: return item->value << 1 == 0; /* also -0 */
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES: return item->bytes.len == 0;
    case LW_TYPE_TIME:
        return (field->flags & LW_FIELD_OMIT_ZERO) && lw_proto_time_is_zero(item->bytes);
    default: return false;
    }
}

/* Writes a field as a member, unless JSON omits it. */
static void read_field(reader *r, const lw_field *field, const span *s, lw_str message)
{
    lw_type_form form = field->type->form;
    bool is_nil = s->count == 0 && (is_repeated(field->type) || form == LW_TYPE_BYTES ||
                                    (field->flags & LW_FIELD_POINTER));
    lw_proto_item item = { .number = 0 };
    uint32_t at = s->last;
    if (is_nil) {
        if (field->flags & LW_FIELD_ALWAYS) {
            lw_json_write_key(&r->w, field->name);
            lw_json_write_null(&r->w);
        }
        return;
    }
    if (s->count > 0)
        (void)next_of(s, field, message, &at, &item);
    if (!is_repeated(field->type) && lw_proto_is_omitted(field, &item))
        return;
    lw_json_write_key(&r->w, field->name);
    if (form == LW_TYPE_LIST)
        read_list(r, field, s, message);
    else if (form == LW_TYPE_MAP)
        read_map(r, field, s, message);
    else
        read_value(r, field->type, &item);
}

/* Writes the members of an object: the fields in |message|, and those that JSON always has. */
static void read_members(reader *r, const lw_type *type, lw_str message)
{
    size_t base = r->span_count;
    if (!push_spans(r, type->field_count))
        return;
    note_fields(r, type, base, message);
    for (size_t i = 0; i < type->field_count && r->st == LW_OK; i++) {
        const lw_field *field = &type->fields[i];
        span s = r->spans[base + i]; /* a copy: the stack may be reallocated */
        lw_proto_item item = { .number = 0 };
        uint32_t at = s.last;
        if (field->number == 0)
            continue;
        if (!(field->flags & LW_FIELD_INLINE)) {
            read_field(r, field, &s, message);
            continue;
        }
        if (s.count > 0)
            (void)next_of(&s, field, message, &at, &item);
        read_members(r, field->type, item.bytes);
    }
    r->span_count = base;
}

static void reader_begin(reader *r, size_t len, lw_buf *out, lw_error *err)
{
    *r = (reader){ .err = err };
    lw_json_writer_init(&r->w, out, LW_JSON_COMPACT);
    lw_buf_init(&r->text, 4 * (len / 3 + 1));
}

static lw_status reader_end(reader *r)
{
    lw_status st = lw_json_writer_status(&r->w);
    lw_buf_done(&r->text);
    lw_free(r->spans);
    if (r->st == LW_OK && st < 0)
        r->st =
            lw_error_set(r->err, st,
                         "cannot write the JSON document: out of memory or over the size limit");
    return r->st;
}

lw_status lw_proto_read_value(const lw_type *type, const lw_proto_item *item, lw_buf *out,
                              lw_error *err)
{
    reader r;
    reader_begin(&r, item ? item->bytes.len : 0, out, err);
    read_value(&r, type, item);
    return reader_end(&r);
}

lw_status lw_proto_read_repeated(const lw_field *field, lw_str message, lw_buf *out, lw_error *err)
{
    reader r;
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    span s = { 0, 0, 0 };
    for (uint32_t at = 0; lw_proto_next(&from, &item);
         at = (uint32_t)(message.len - from.rest.len)) {
        if (item.number != field->number || !lw_proto_fits_wire(field->type, item.wire))
            continue;
        if (s.count++ == 0)
            s.first = at;
        s.last = at;
    }
    reader_begin(&r, message.len, out, err);
    if (from.error)
        refuse_bytes(&r, from.error);
    else if (field->type->form == LW_TYPE_LIST)
        read_list(&r, field, &s, message);
    else
        read_map(&r, field, &s, message);
    return reader_end(&r);
}

lw_status lw_proto_read(const lw_type *type, const lw_proto_document *head, lw_str message,
                        lw_buf *out, lw_error *err)
{
    reader r;
    if (message.len >= UINT32_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the message is larger than 4 GiB");
    reader_begin(&r, message.len, out, err);
    lw_json_write_object_begin(&r.w);
    if (head) {
        lw_json_write_member_string(&r.w, "kind", head->kind);
        lw_json_write_member_string(&r.w, "apiVersion", head->api_version);
    }
    read_members(&r, type, message);
    lw_json_write_object_end(&r.w);
    return reader_end(&r);
}
