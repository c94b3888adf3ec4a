/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write.c -- encodes JSON as protobuf, as the marshallers of Kubernetes do: fields in the
 * order of their numbers, map entries in the order of their keys, and non-pointer fields always.
 *
 * One pass: a field is written when its member is read, preceded by the absent fields with smaller
 * numbers.  If the members come in another order, or a struct has inline structs (messages of their
 * own whose members may be anywhere), the written fields are sorted at the end of the struct.  For
 * that, the byte range of each field is recorded; all open structs share one stack of ranges. */
#include "schema/proto/proto.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_map.h"
#include "schema/proto/proto_put.h"
#include "schema/proto/proto_writer.h"
#include "json/cursor.h"

enum {
    PARTS_FIRST = 128,
    GUESSES = 8, /* fields to try for the next member before a binary search */
};

typedef lw_proto_writer writer;

static void write_message(writer *w, const lw_type *type, lw_json_cursor *at);

/* Writes a field that is a single value. */
static void write_value(writer *w, unsigned number, const lw_type *type, lw_json_cursor *at)
{
    if (type->form == LW_TYPE_STRING && at && lw_json_cursor_type(at) == LW_JSON_STRING) {
        lw_proto_write_string(w, number, at);
        return;
    }
    if (lw_proto_is_message(type->form)) {
        size_t begun = lw_proto_message_begin(w->out, number);
        write_message(w, type, at);
        lw_proto_message_end(w->out, begun);
        return;
    }
    lw_json_cursor before = at ? *at : (lw_json_cursor){ NULL, NULL };
    lw_proto_tag(w->out, number, lw_proto_wire_of(type->form));
    if (!lw_proto_put_plain(w, type, at))
        lw_proto_refuse(w, type, &before);
}

/* The same for a list element or map entry, where null is zero. */
static void write_element(writer *w, unsigned number, const lw_type *type, lw_json_cursor *at)
{
    if (lw_json_cursor_type(at) != LW_JSON_NULL) {
        write_value(w, number, type, at);
        return;
    }
    (void)lw_json_cursor_skip(at);
    write_value(w, number, type, NULL);
}

static void write_list(writer *w, const lw_field *field, lw_json_cursor *at)
{
    if (lw_json_cursor_type(at) != LW_JSON_ARRAY) {
        lw_proto_refuse(w, field->type, at);
        return;
    }
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_element(at))
        write_element(w, field->number, field->type->element, at);
}

static void write_entry(writer *w, const lw_field *field, lw_str key, lw_json_cursor *value)
{
    const lw_type *element = field->type->element;
    size_t begun = lw_proto_message_begin(w->out, field->number);
    lw_proto_bytes(w->out, 1, key);
    if (element->form == LW_TYPE_BYTES && lw_json_cursor_type(value) == LW_JSON_NULL)
        (void)lw_json_cursor_skip(value);
    else
        write_element(w, 2, element, value);
    lw_proto_message_end(w->out, begun);
}

/* Writes the entries in input order if their keys are sorted and have no escapes.  False: nothing
 * was written, and the cursor has not moved. */
static bool write_ordered_map(writer *w, const lw_field *field, lw_json_cursor *at)
{
    lw_json_cursor before = *at;
    size_t begun = w->out->len;
    lw_str key, last = lw_str_make(NULL, 0);
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_member(at, &key)) {
        if ((last.ptr && lw_str_compare(last, key) >= 0) ||
            (key.len > 0 && memchr(key.ptr, '\\', key.len))) {
            *at = before;
            if (w->out->st == LW_OK)
                lw_buf_truncate(w->out, begun);
            return false;
        }
        last = key;
        write_entry(w, field, key, at);
    }
    return true;
}

static bool is_nested(const lw_type *type)
{
    return type->form == LW_TYPE_STRUCT || type->form == LW_TYPE_EITHER;
}

static void write_map(writer *w, const lw_field *field, lw_json_cursor *at)
{
    lw_proto_map map;
    if (lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        lw_proto_refuse(w, field->type, at);
        return;
    }
    /* Not for nested maps: each level could restart the levels below it. */
    if (!is_nested(field->type->element) && write_ordered_map(w, field, at))
        return;
    lw_status st = lw_proto_map_of_json(&map, *at);
    if (st < 0)
        w->st = lw_error_nomem(w->err);
    for (size_t i = 0; i < map.count && w->st == LW_OK; i++) {
        lw_json_cursor value = { map.entries[i].value.ptr, w->json.ptr + w->json.len };
        write_entry(w, field, map.entries[i].key, &value);
    }
    lw_proto_map_done(&map);
    (void)lw_json_cursor_skip(at);
}

static size_t write_absent(writer *w, const lw_type *type, size_t next, const lw_field *until);

/* Writes an absent field: nil in Go, or zero. */
static void write_nothing(writer *w, const lw_field *field)
{
    if (field->flags & LW_FIELD_POINTER)
        return;
    switch (field->type->form) {
    case LW_TYPE_LIST:
    case LW_TYPE_MAP:
    case LW_TYPE_BYTES: break;
    case LW_TYPE_STRING:
    case LW_TYPE_BOOL:
    case LW_TYPE_INT32:
    case LW_TYPE_INT64:
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME:
        lw_proto_zero(w->out, field->number, lw_proto_wire_of(field->type->form));
        break;
    case LW_TYPE_STRUCT: {
        size_t begun = lw_proto_message_begin(w->out, field->number);
        (void)write_absent(w, field->type, 0, NULL);
        lw_proto_message_end(w->out, begun);
        break;
    }
    default: write_value(w, field->number, field->type, NULL); break;
    }
}

/* Writes the fields from position |next| up to |until| (NULL: the last), all of which are absent.
 * Returns the next position. */
static size_t write_absent(writer *w, const lw_type *type, size_t next, const lw_field *until)
{
    while (next < type->numbered_count && &type->fields[type->numbered[next]] != until)
        write_nothing(w, &type->fields[type->numbered[next++]]);
    return next;
}

static void write_present(writer *w, const lw_field *field, lw_json_cursor *at)
{
    w->field = field;
    if (field->type->form == LW_TYPE_LIST)
        write_list(w, field, at);
    else if (field->type->form == LW_TYPE_MAP)
        write_map(w, field, at);
    else
        write_value(w, field->number, field->type, at);
}

static void note_part(writer *w, lw_member member, size_t from)
{
    if (w->part_count == w->part_room) {
        size_t room = 2 * w->part_room + PARTS_FIRST;
        lw_proto_part *parts = lw_realloc_array(w->parts, room, sizeof(*parts));
        if (!parts) {
            w->st = lw_error_nomem(w->err);
            return;
        }
        w->parts = parts;
        w->part_room = room;
    }
    w->parts[w->part_count++] = (lw_proto_part){ member, from, w->out->len };
}

/* Returns the last part at or after |first| that is |field| of the struct itself or of the inline
 * struct |via|. */
static const lw_proto_part *find_part(const writer *w, size_t first, const lw_field *via,
                                      const lw_field *field)
{
    for (size_t i = w->part_count; i > first; i--) {
        const lw_proto_part *p = &w->parts[i - 1];
        if (p->member.field == field && p->member.via == via)
            return p;
    }
    return NULL;
}

/* Appends the fields of |type| to |moved| in order: the written ones and the absent ones.  |via| is
 * the inline field that contains the struct; NULL: none. */
static void move_parts(writer *w, const lw_type *type, size_t first, const lw_field *via)
{
    lw_buf *out = w->out;
    for (size_t i = 0; i < type->numbered_count; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        const lw_proto_part *p = find_part(w, first, via, field);
        if (p) {
            lw_buf_append(&w->moved, out->data + p->from, p->to - p->from);
        } else if (field->flags & LW_FIELD_INLINE) {
            size_t begun = lw_proto_message_begin(&w->moved, field->number);
            move_parts(w, field->type, first, field);
            lw_proto_message_end(&w->moved, begun);
        } else {
            w->out = &w->moved;
            write_nothing(w, field);
            w->out = out;
        }
    }
}

/* Sorts the fields written since |begun|. */
static void put_in_order(writer *w, const lw_type *type, size_t first, size_t begun)
{
    if (w->st < 0 || w->out->st < 0)
        return;
    lw_buf_reset(&w->moved);
    move_parts(w, type, first, NULL);
    lw_buf_truncate(w->out, begun);
    lw_buf_append_str(w->out, lw_buf_view(&w->moved));
    if (w->moved.st < 0 && w->out->st == LW_OK)
        w->out->st = w->moved.st;
}

/* Returns the member named |raw_key|.  Most members come in field order, so the search starts at
 * |*guess|. */
static lw_member find_member(writer *w, const lw_type *type, lw_str raw_key, size_t *guess)
{
    size_t end = *guess + GUESSES < type->field_count ? *guess + GUESSES : type->field_count;
    for (size_t i = *guess; i < end; i++) {
        const lw_field *field = &type->fields[i];
        if (field->name.len == raw_key.len && !(field->flags & LW_FIELD_INLINE) &&
            memcmp(field->name.ptr, raw_key.ptr, raw_key.len) == 0) {
            *guess = i + 1;
            return (lw_member){ .field = field };
        }
    }
    const lw_member *found = lw_type_member(type, raw_key);
    if (!found && raw_key.len > 0 && memchr(raw_key.ptr, '\\', raw_key.len))
        found = lw_type_member(type, lw_proto_decoded(w, raw_key));
    if (!found)
        return (lw_member){ .field = NULL };
    if (!found->via)
        *guess = (size_t)(found->field - type->fields) + 1;
    return *found;
}

/* True if |field| precedes the field at position |next| in protobuf. */
static bool is_late(const lw_type *type, const lw_field *field, size_t next)
{
    return next == type->numbered_count ||
           field->number < type->fields[type->numbered[next]].number;
}

static void write_struct(writer *w, const lw_type *type, lw_json_cursor *at)
{
    size_t first = w->part_count, begun = w->out->len, next = 0, guess = 0;
    bool is_ordered = true;
    lw_str raw_key;
    if (at && lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        lw_proto_refuse(w, type, at);
        return;
    }
    if (at)
        lw_json_cursor_enter(at);
    while (at && w->st == LW_OK && lw_json_cursor_next_member(at, &raw_key)) {
        lw_member member = find_member(w, type, raw_key, &guess);
        if (!member.field || member.field->number == 0 || lw_json_cursor_type(at) == LW_JSON_NULL) {
            (void)lw_json_cursor_skip(at);
            continue;
        }
        is_ordered = is_ordered && !member.via && !is_late(type, member.field, next);
        if (is_ordered)
            next = write_absent(w, type, next, member.field) + 1;
        size_t from = w->out->len;
        write_present(w, member.field, at);
        note_part(w, member, from);
    }
    if (is_ordered)
        (void)write_absent(w, type, next, NULL);
    else
        put_in_order(w, type, first, begun);
    w->part_count = first;
}

/* Writes the field that matches the JSON type of the value.  The bool is also true if the value is
 * a schema. */
static void write_either(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    bool is_taken = false;
    for (size_t i = 0; i < type->numbered_count; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        if (field->type->form == LW_TYPE_BOOL) {
            bool is_true = json == LW_JSON_OBJECT || (json == LW_JSON_BOOL && *at->at == 't');
            lw_proto_put_int(w->out, field->number, is_true);
        } else if (field->type->form == LW_TYPE_LIST && json == LW_JSON_ARRAY) {
            write_list(w, field, at);
            is_taken = true;
        } else if (field->type->form == LW_TYPE_STRUCT && json == LW_JSON_OBJECT) {
            write_value(w, field->number, field->type, at);
            is_taken = true;
        }
    }
    if (at && !is_taken)
        (void)lw_json_cursor_skip(at);
}

/* Writes the contents of a message; |at| is NULL if all of it is zero. */
static void write_message(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_cursor before = at ? *at : (lw_json_cursor){ NULL, NULL };
    switch (type->form) {
    case LW_TYPE_STRUCT: write_struct(w, type, at); break;
    case LW_TYPE_EITHER: write_either(w, type, at); break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: lw_proto_put_raw(w, at); break;
    default:
        if (!lw_proto_put_special(w, type, at))
            lw_proto_refuse(w, type, &before);
        break;
    }
}

lw_status lw_proto_write(const lw_type *type, lw_str json, lw_buf *out, lw_error *err)
{
    writer w = { .out = out, .json = json, .err = err };
    lw_json_cursor at = lw_json_cursor_on(json);
    if (json.len >= UINT32_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the document is larger than 4 GiB");
    lw_buf_init(&w.text, json.len + 1);
    lw_buf_init(&w.moved, out->limit);
    write_struct(&w, type, &at);
    lw_buf_done(&w.text);
    lw_buf_done(&w.moved);
    lw_free(w.parts);
    if (w.st == LW_OK && out->st < 0)
        w.st =
            lw_error_set(err, out->st,
                         "cannot write the protobuf message: out of memory or over the size limit");
    return w.st;
}
