/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write.c -- encodes JSON as protobuf, as the marshallers of Kubernetes do: fields in the
 * order of their numbers, map entries in the order of their keys, and non-pointer fields always.
 *
 * One pass: a field is written when its member is read, preceded by the absent fields with smaller
 * numbers, whose bytes are in the table of types.  If the members come in another order, or a
 * struct has inline structs (messages of their own whose members may be anywhere), the written
 * fields are sorted at the end of the struct (proto_order.h). */
#include "schema/proto/proto.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "schema/proto/proto_field.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_map.h"
#include "schema/proto/proto_member.h"
#include "schema/proto/proto_writer.h"
#include "json/cursor.h"

typedef lw_proto_writer writer;

/* What happens for each member; with a call for each it takes a tenth longer. */
#define INLINE static inline __attribute__((always_inline))

/* More than any key. */
#define UNORDERED UINT64_MAX

/* The fields of a map entry, by the wire type of the value. */
static const lw_wire_field entry_key = { .tag = { 1 << 3 | LW_PROTO_BYTES }, .tag_len = 1 };
static const lw_wire_field entry_values[] = {
    [LW_PROTO_VARINT] = { .tag = { 2 << 3 | LW_PROTO_VARINT }, .tag_len = 1 },
    [LW_PROTO_FIXED64] = { .tag = { 2 << 3 | LW_PROTO_FIXED64 }, .tag_len = 1 },
    [LW_PROTO_BYTES] = { .tag = { 2 << 3 | LW_PROTO_BYTES }, .tag_len = 1 },
};

static void write_struct(writer *w, const lw_wire_field *field, const lw_type *type,
                         lw_json_cursor *at);
static void write_either(writer *w, const lw_wire_field *field, const lw_type *type,
                         lw_json_cursor *at);
static void write_list(writer *w, const lw_wire_field *field, const lw_type *type,
                       lw_json_cursor *at);
static void write_map(writer *w, const lw_wire_field *field, const lw_type *type,
                      lw_json_cursor *at);

/* Returns the first byte of the value at the cursor, before which there are no blanks. */
static char first_byte(const lw_json_cursor *at)
{
    return at->at < at->end ? *at->at : 'n';
}

/* Skips the null at the cursor. */
static void skip_null(lw_json_cursor *at)
{
    if (at->end - at->at >= (ptrdiff_t)strlen("null"))
        at->at += strlen("null");
    else
        at->at = at->end;
}

/* Writes the string at the cursor as |field|. */
INLINE void write_string(writer *w, const lw_wire_field *field, lw_json_cursor *at)
{
    bool is_escaped;
    lw_str raw = lw_json_cursor_text(at, &is_escaped);
    if (is_escaped)
        lw_proto_write_escaped(w, field, raw);
    else
        lw_proto_bytes(w->out, field, raw, at->end);
}

/* Writes |field|, a |type|, or one of its elements.  |at| is NULL if it is zero. */
static void write_value(writer *w, const lw_wire_field *field, const lw_type *type,
                        lw_json_cursor *at)
{
    switch (type->form) {
    case LW_TYPE_STRING:
        if (at)
            lw_proto_refuse(w, type, at);
        else
            lw_proto_number(w->out, field, 0);
        break;
    case LW_TYPE_STRUCT: write_struct(w, field, type, at); break;
    case LW_TYPE_EITHER: write_either(w, field, type, at); break;
    case LW_TYPE_LIST: write_list(w, field, type, at); break;
    case LW_TYPE_MAP: write_map(w, field, type, at); break;
    default: lw_proto_write_scalar(w, field, type, at); break;
    }
}

/* The same, inlined for the most common values; |form| is that of |type|, and |at| is not NULL. */
INLINE void write_common(writer *w, const lw_wire_field *field, lw_type_form form,
                         const lw_type *type, lw_json_cursor *at)
{
    if (form == LW_TYPE_STRING && first_byte(at) == '"')
        write_string(w, field, at);
    else if (form == LW_TYPE_STRUCT)
        write_struct(w, field, type, at);
    else if (form != LW_TYPE_BOOL || !lw_proto_write_bool(w->out, field, at))
        write_value(w, field, type, at);
}

/* The same for a list element or map entry, where null is zero. */
static void write_element(writer *w, const lw_wire_field *field, const lw_type *type,
                          lw_json_cursor *at)
{
    if (first_byte(at) != 'n') {
        write_common(w, field, type->form, type, at);
        return;
    }
    skip_null(at);
    write_value(w, field, type, NULL);
}

static void write_list(writer *w, const lw_wire_field *field, const lw_type *type,
                       lw_json_cursor *at)
{
    if (!at || first_byte(at) != '[') {
        lw_proto_refuse(w, type, at);
        return;
    }
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_element(at))
        write_element(w, field, type->element, at);
}

/* Writes an entry of two strings at once if its length takes one byte.  False: nothing was written,
 * and the cursor has not moved. */
static bool write_short_entry(writer *w, const lw_wire_field *field, lw_str key, const char *end,
                              lw_json_cursor *value)
{
    lw_json_cursor after = *value;
    bool is_escaped;
    lw_str raw = lw_json_cursor_text(&after, &is_escaped);
    size_t len = 4 + key.len + raw.len; /* with two tags and two lengths */
    if (is_escaped || len > LW_PROTO_SHORT_MAX ||
        !lw_proto_fits(w->out, LW_WIRE_TAG_MAX + 1 + len + LW_PROTO_STRIDE))
        return false;
    char *at = lw_proto_write_tag_of(w->out->data + w->out->len, field);
    *at++ = (char)len;
    *at++ = (char)entry_key.tag[0];
    *at++ = (char)key.len;
    at = lw_proto_copy(at, key, end);
    *at++ = (char)entry_values[LW_PROTO_BYTES].tag[0];
    *at++ = (char)raw.len;
    w->out->len = (size_t)(lw_proto_copy(at, raw, after.end) - w->out->data);
    *value = after;
    return true;
}

/* |end|: the end of what may be read after |key|. */
static void write_entry(writer *w, const lw_wire_field *field, const lw_type *element, lw_str key,
                        const char *end, lw_json_cursor *value)
{
    if (element->form == LW_TYPE_STRING && first_byte(value) == '"' &&
        write_short_entry(w, field, key, end, value))
        return;
    size_t begun = lw_proto_message_begin(w->out, field);
    lw_proto_bytes(w->out, &entry_key, key, end);
    if (element->form == LW_TYPE_BYTES && first_byte(value) == 'n')
        skip_null(value);
    else
        write_element(w, &entry_values[lw_proto_wire_of(element->form)], element, value);
    lw_proto_message_end(w->out, begun);
}

/* Writes the entries in input order if their keys are sorted and have no escapes.  False: nothing
 * was written, and the cursor has not moved. */
static bool write_ordered_map(writer *w, const lw_wire_field *field, const lw_type *element,
                              lw_json_cursor *at)
{
    lw_json_cursor before = *at;
    size_t begun = w->out->len;
    lw_str key, last = lw_str_make(NULL, 0);
    bool is_escaped;
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_key(at, &key, &is_escaped)) {
        if (is_escaped || (last.ptr && lw_str_compare(last, key) >= 0)) {
            *at = before;
            if (w->out->st == LW_OK)
                lw_buf_truncate(w->out, begun);
            return false;
        }
        last = key;
        write_entry(w, field, element, key, at->end, at);
    }
    return true;
}

static void write_map(writer *w, const lw_wire_field *field, const lw_type *type,
                      lw_json_cursor *at)
{
    lw_proto_map map;
    const lw_type *element = type->element;
    bool is_nested = element->form == LW_TYPE_STRUCT || element->form == LW_TYPE_EITHER;
    if (!at || first_byte(at) != '{') {
        lw_proto_refuse(w, type, at);
        return;
    }
    /* Not for nested maps: each level could restart the levels below it. */
    if (!is_nested && write_ordered_map(w, field, element, at))
        return;
    lw_status st = lw_proto_map_of_json(&map, *at);
    if (st < 0)
        w->st = lw_error_nomem(w->err);
    for (size_t i = 0; i < map.count && w->st == LW_OK; i++) {
        lw_str key = map.entries[i].key;
        lw_json_cursor value = { map.entries[i].value.ptr, w->json.ptr + w->json.len };
        write_entry(w, field, element, key, key.ptr + key.len, &value);
    }
    lw_proto_map_done(&map);
    (void)lw_json_cursor_skip(at);
}

/* A struct that is being written. */
typedef struct open_struct {
    const lw_type *type;
    const lw_wire_field *wires;  /* its fields */
    const unsigned char *signs;  /* of its fields */
    const char *zeros;           /* its absent fields */
    size_t zeros_len, zeros_end; /* their length, and what has been written of it */
    size_t guess;                /* the field that is probably next */
    size_t first, begun;         /* its first part and byte */
    uint64_t last;               /* the key of the last member; UNORDERED: not in order */
} open_struct;

static open_struct open_type(const writer *w, const lw_type *type)
{
    const lw_wire_message *message = &lw_wire_messages[type->wire];
    return (open_struct){ .type = type,
                          .wires = lw_wire_fields + message->fields,
                          .signs = lw_wire_signs + message->fields,
                          .zeros = lw_wire_zeros + message->zeros,
                          .zeros_len = message->zeros_len,
                          .first = w->parts.count,
                          .begun = w->out->len };
}

/* Writes the absent fields up to |wire|, and then |wire| from the value at the cursor. */
INLINE void write_next(writer *w, open_struct *s, uint64_t key, const lw_field *field,
                       const lw_wire_field *wire, lw_json_cursor *at)
{
    if (key > s->last) {
        lw_proto_zeros(w->out, s->zeros, s->zeros_end, wire->zeros_begin);
        s->zeros_end = wire->zeros_end;
        s->last = key;
    } else {
        s->last = UNORDERED;
    }
    lw_proto_part part = { .key = key, .field = wire, .from = w->out->len };
    w->field = field;
    write_common(w, wire, (lw_type_form)wire->form, field->type, at);
    part.to = w->out->len;
    if (!lw_proto_parts_add(&w->parts, s->first, part))
        w->st = lw_error_nomem(w->err);
}

/* Checks the value of a member that protobuf does not have, such as a kind. */
static void check_only(writer *w, const lw_proto_member *member, lw_json_cursor *at)
{
    size_t begun = w->out->len;
    w->field = member->field;
    write_common(w, member->wire, (lw_type_form)member->wire->form, member->field->type, at);
    if (w->out->st == LW_OK)
        lw_buf_truncate(w->out, begun);
}

/* Writes a member that is not one of the next fields. */
static void write_other(writer *w, open_struct *s, lw_str raw_key, bool is_escaped,
                        lw_json_cursor *at)
{
    lw_proto_member member =
        lw_proto_member_named(s->type, is_escaped ? lw_proto_decoded(w, raw_key) : raw_key);
    if (member.field && !member.is_inline)
        s->guess = (size_t)(member.wire - s->wires) + 1;
    if (member.is_inline && member.key != 0)
        s->last = UNORDERED; /* the message of the inline struct is made from its parts */
    if (!member.field || member.field->number == 0 || first_byte(at) == 'n')
        (void)lw_json_cursor_skip(at);
    else if (member.key == 0)
        check_only(w, &member, at);
    else
        write_next(w, s, member.key, member.field, member.wire, at);
}

static inline void write_members(writer *w, const lw_type *type, lw_json_cursor *at)
{
    open_struct s = open_type(w, type);
    lw_str raw_key;
    bool is_escaped;
    while (w->st == LW_OK) {
        size_t i = s.guess;
        if (i < type->field_count && lw_json_cursor_is_next(at, type->fields[i].name) &&
            !(type->fields[i].flags & LW_FIELD_INLINE)) {
            lw_json_cursor_pass_key(at, type->fields[i].name);
        } else {
            if (!lw_json_cursor_next_key(at, &raw_key, &is_escaped))
                break;
            i = lw_proto_guess_field(type, s.signs, raw_key, s.guess);
        }
        if (i == SIZE_MAX) {
            write_other(w, &s, raw_key, is_escaped, at);
            continue;
        }
        s.guess = i + 1;
        const lw_field *field = &type->fields[i];
        if (first_byte(at) == 'n')
            skip_null(at);
        else if (field->number == 0)
            (void)lw_json_cursor_skip(at);
        else
            write_next(w, &s, lw_proto_key_of_number(field->number), field, &s.wires[i], at);
    }
    if (s.last != UNORDERED)
        lw_proto_zeros(w->out, s.zeros, s.zeros_end, s.zeros_len);
    else if (w->st == LW_OK)
        lw_proto_parts_sort(&w->parts, type, s.first, w->out, s.begun);
    w->parts.count = s.first;
}

/* Writes a struct as |field|, or only its contents (NULL).  |at| is NULL if all of it is zero. */
static void write_struct(writer *w, const lw_wire_field *field, const lw_type *type,
                         lw_json_cursor *at)
{
    size_t begun = field ? lw_proto_message_begin(w->out, field) : 0;
    if (!at) {
        const lw_wire_message *message = &lw_wire_messages[type->wire];
        lw_proto_zeros(w->out, lw_wire_zeros + message->zeros, 0, message->zeros_len);
    } else if (first_byte(at) != '{') {
        lw_proto_refuse(w, type, at);
    } else {
        lw_json_cursor_enter(at);
        write_members(w, type, at);
    }
    if (field)
        lw_proto_message_end(w->out, begun);
}

/* Writes the field that matches the JSON type of the value.  The bool is also true if the value is
 * a schema. */
static void write_either(writer *w, const lw_wire_field *field_of, const lw_type *type,
                         lw_json_cursor *at)
{
    size_t begun = lw_proto_message_begin(w->out, field_of);
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    const lw_wire_field *wires = lw_wire_fields + lw_wire_messages[type->wire].fields;
    bool is_taken = false;
    for (size_t i = 0; i < type->numbered_count; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        const lw_wire_field *wire = &wires[type->numbered[i]];
        if (field->type->form == LW_TYPE_BOOL) {
            bool is_true = json == LW_JSON_OBJECT || (json == LW_JSON_BOOL && *at->at == 't');
            lw_proto_number(w->out, wire, is_true);
        } else if (field->type->form == LW_TYPE_LIST && json == LW_JSON_ARRAY) {
            write_list(w, wire, field->type, at);
            is_taken = true;
        } else if (field->type->form == LW_TYPE_STRUCT && json == LW_JSON_OBJECT) {
            write_struct(w, wire, field->type, at);
            is_taken = true;
        }
    }
    if (at && !is_taken)
        (void)lw_json_cursor_skip(at);
    lw_proto_message_end(w->out, begun);
}

lw_status lw_proto_write(const lw_type *type, lw_str json, lw_buf *out, lw_error *err)
{
    writer w;
    lw_json_cursor at = lw_json_cursor_on(json);
    lw_json_cursor_skip_blanks(&at);
    assert(type->package); /* the types of custom resources are not in the table */
    if (json.len >= UINT32_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the document is larger than 4 GiB");
    w.out = out;
    w.json = json;
    w.field = NULL;
    w.st = LW_OK;
    w.err = err;
    w.time.text = lw_str_make(NULL, 0);
    lw_buf_init(&w.text, json.len + 1);
    lw_proto_parts_init(&w.parts, out->limit);
    write_struct(&w, NULL, type, &at);
    lw_buf_done(&w.text);
    lw_proto_parts_done(&w.parts);
    if (w.st == LW_OK && out->st < 0)
        w.st =
            lw_error_set(err, out->st,
                         "cannot write the protobuf message: out of memory or over the size limit");
    return w.st;
}
