/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write.c -- JSON to protobuf, as the marshallers of Kubernetes write it: fields in the order
 * of their numbers, maps in the order of their keys, what is no pointer always.
 *
 * The order of JSON is another, so a struct is walked twice: once to note where its members are
 * (slots), once to write them.  The slots of all open structs lie in one stack:
 *
 *     | own fields | fields of the 1st inline struct | of the 2nd | own fields of the next struct
 * ...
 */
#include "schema/proto.h"

#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/proto_form.h"
#include "schema/proto_map.h"
#include "schema/proto_value.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    SLOTS_FIRST = 512,
};

typedef struct writer {
    lw_buf *out;
    lw_str json;
    uint32_t *slots; /* where a value begins in |json|, plus one; 0: it is absent */
    size_t slot_count, slot_room;
    lw_buf text;           /* the last string that was decoded */
    const lw_field *field; /* the one at hand, for messages */
    lw_status st;
    lw_error *err;
} writer;

static void write_message(writer *w, const lw_type *type, lw_json_cursor *at);

static void refuse(writer *w, const lw_type *type, lw_json_cursor *at)
{
    enum {
        SHOWN = 40 /* bytes of the value */
    };
    lw_json_cursor from = *at;
    lw_str text = lw_json_cursor_skip(&from);
    text.len = text.len > SHOWN ? SHOWN : text.len;
    if (w->st == LW_OK)
        w->st = lw_error_set_at(w->err, LW_ERR_INVALID, (uint64_t)(text.ptr - w->json.ptr),
                                "%.*s: %.*s is no %.*s",
                                LW_STR_ARG(w->field ? w->field->name : LW_STR("document")),
                                LW_STR_ARG(text), LW_STR_ARG(type->go));
}

static bool push_slots(writer *w, size_t count)
{
    if (count > w->slot_room - w->slot_count) {
        size_t room = 2 * (w->slot_room + count) + SLOTS_FIRST;
        uint32_t *slots = lw_realloc_array(w->slots, room, sizeof(*slots));
        if (!slots) {
            w->st = lw_error_nomem(w->err);
            return false;
        }
        w->slots = slots;
        w->slot_room = room;
    }
    memset(w->slots + w->slot_count, 0, count * sizeof(*w->slots));
    w->slot_count += count;
    return true;
}

/* How many slots come before those of the inline field |via|; with NULL, all. */
static size_t slots_before(const lw_type *type, const lw_field *via)
{
    size_t count = type->field_count;
    for (size_t i = 0; i < type->field_count && &type->fields[i] != via; i++) {
        if (type->fields[i].flags & LW_FIELD_INLINE)
            count += type->fields[i].type->field_count;
    }
    return count;
}

static lw_str decoded(writer *w, lw_str raw)
{
    if (raw.len == 0 || !memchr(raw.ptr, '\\', raw.len))
        return raw;
    lw_buf_reset(&w->text);
    lw_json_append_unescaped(&w->text, raw);
    if (w->text.st < 0)
        w->st = w->text.st;
    return lw_buf_view(&w->text);
}

/* Fills the slots at |base| with where the members of the object under the cursor are; the last of
 * those that are there twice. */
static void note_members(writer *w, const lw_type *type, size_t base, lw_json_cursor *at)
{
    lw_str raw_key;
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_member(at, &raw_key)) {
        const lw_member *member = lw_type_member(type, decoded(w, raw_key));
        lw_str value = lw_json_cursor_skip(at);
        if (!member || value.ptr[0] == 'n' /* null */)
            continue;
        size_t slot = member->via ? slots_before(type, member->via) +
                                        (size_t)(member->field - member->via->type->fields)
                                  : (size_t)(member->field - type->fields);
        w->slots[base + slot] = (uint32_t)(value.ptr - w->json.ptr) + 1;
    }
}

/* A field that is the string |raw|. */
static void write_string(writer *w, unsigned number, lw_str raw)
{
    if (raw.len == 0 || !memchr(raw.ptr, '\\', raw.len)) {
        lw_proto_put_bytes(w->out, number, raw);
        return;
    }
    lw_proto_put_tag(w->out, number, LW_PROTO_BYTES);
    size_t begun = lw_proto_begin(w->out);
    lw_json_append_unescaped(w->out, raw);
    lw_proto_end(w->out, begun);
}

static bool put_base64(writer *w, lw_str raw)
{
    size_t begun = lw_proto_begin(w->out);
    bool is_good = lw_base64_decode_lenient(w->out, decoded(w, raw));
    lw_proto_end(w->out, begun);
    return is_good;
}

static bool put_number(writer *w, const lw_type *type, lw_str text)
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

/* A value without a message around it; |at| is NULL for zero. */
static bool put_plain(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    switch (type->form) {
    case LW_TYPE_BOOL:
        lw_proto_put_varint(w->out, json == LW_JSON_BOOL && *at->at == 't');
        return json == LW_JSON_BOOL || json == LW_JSON_NULL;
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES:
        if (json == LW_JSON_STRING)
            return put_base64(w, lw_json_cursor_string(at)); /* strings are written elsewhere */
        lw_proto_put_varint(w->out, 0);
        return json == LW_JSON_NULL;
    default:
        if (json != LW_JSON_NUMBER && json != LW_JSON_NULL)
            return false;
        return put_number(w, type, json == LW_JSON_NULL ? LW_STR("") : lw_json_cursor_skip(at));
    }
}

static bool put_int_or_string(writer *w, lw_json_type json, lw_str text)
{
    int64_t number = 0;
    if (json == LW_JSON_STRING) {
        lw_proto_put_int_or_string(w->out, true, 0, decoded(w, text));
        return true;
    }
    if (json != LW_JSON_NULL &&
        (json != LW_JSON_NUMBER || !lw_json_number_to_int64(text, &number) || number < INT32_MIN ||
         number > INT32_MAX))
        return false;
    lw_proto_put_int_or_string(w->out, false, (int32_t)number, LW_STR(""));
    return true;
}

/* What is inside of the message of a text or number; |at| is NULL for zero. */
static bool put_special(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    lw_str text = json == LW_JSON_STRING ? lw_json_cursor_string(at)
                  : json != LW_JSON_NULL ? lw_json_cursor_skip(at)
                                         : lw_str_make(NULL, 0);
    switch (type->form) {
    case LW_TYPE_QUANTITY:
        if (json == LW_JSON_NULL)
            text = LW_STR("0");
        lw_proto_put_bytes(w->out, 1, lw_str_trim(decoded(w, text)));
        return json != LW_JSON_OBJECT && json != LW_JSON_ARRAY && json != LW_JSON_BOOL;
    case LW_TYPE_INT_OR_STRING: return put_int_or_string(w, json, text);
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME:
        return json == LW_JSON_NULL ||
               (json == LW_JSON_STRING &&
                lw_proto_put_time(w->out, decoded(w, text), type->form == LW_TYPE_MICRO_TIME));
    default: return false;
    }
}

static void put_raw(writer *w, lw_json_cursor *at)
{
    if (at && lw_json_cursor_type(at) != LW_JSON_NULL)
        lw_proto_put_bytes(w->out, 1, lw_json_cursor_skip(at));
}

/* A field that is one value. */
static void write_value(writer *w, unsigned number, const lw_type *type, lw_json_cursor *at)
{
    lw_json_cursor before = at ? *at : (lw_json_cursor){ NULL, NULL };
    if (type->form == LW_TYPE_STRING && at && lw_json_cursor_type(at) == LW_JSON_STRING) {
        write_string(w, number, lw_json_cursor_string(at));
        return;
    }
    lw_proto_put_tag(w->out, number, lw_proto_wire_of(type->form));
    if (!lw_proto_is_message(type->form)) {
        if (!put_plain(w, type, at))
            refuse(w, type, &before);
        return;
    }
    size_t begun = lw_proto_begin(w->out);
    write_message(w, type, at);
    lw_proto_end(w->out, begun);
}

static void write_list(writer *w, const lw_field *field, lw_json_cursor *at)
{
    if (lw_json_cursor_type(at) != LW_JSON_ARRAY) {
        refuse(w, field->type, at);
        return;
    }
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_element(at)) {
        lw_json_cursor value = *at;
        (void)lw_json_cursor_skip(at);
        bool is_null = lw_json_cursor_type(&value) == LW_JSON_NULL;
        write_value(w, field->number, field->type->element, is_null ? NULL : &value);
    }
}

static void write_map(writer *w, const lw_field *field, lw_json_cursor *at)
{
    const lw_type *element = field->type->element;
    lw_proto_map map;
    if (lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        refuse(w, field->type, at);
        return;
    }
    lw_status st = lw_proto_map_of_json(&map, *at);
    if (st < 0)
        w->st = lw_error_nomem(w->err);
    for (size_t i = 0; i < map.count && w->st == LW_OK; i++) {
        lw_json_cursor value = { map.entries[i].value.ptr, w->json.ptr + w->json.len };
        bool is_null = lw_json_cursor_type(&value) == LW_JSON_NULL;
        lw_proto_put_tag(w->out, field->number, LW_PROTO_BYTES);
        size_t begun = lw_proto_begin(w->out);
        lw_proto_put_bytes(w->out, 1, map.entries[i].key);
        if (!is_null || element->form != LW_TYPE_BYTES)
            write_value(w, 2, element, is_null ? NULL : &value);
        lw_proto_end(w->out, begun);
    }
    lw_proto_map_done(&map);
}

/* A field that is not there: nil in Go, or zero. */
static void write_absent(writer *w, const lw_field *field)
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
        lw_proto_put_zero(w->out, field->number, lw_proto_wire_of(field->type->form));
        break;
    default: write_value(w, field->number, field->type, NULL); break;
    }
}

static void write_present(writer *w, const lw_field *field, uint32_t slot)
{
    lw_json_cursor at = { w->json.ptr + slot - 1, w->json.ptr + w->json.len };
    w->field = field;
    if (field->type->form == LW_TYPE_LIST)
        write_list(w, field, &at);
    else if (field->type->form == LW_TYPE_MAP)
        write_map(w, field, &at);
    else
        write_value(w, field->number, field->type, &at);
}

/* The fields of |type|, whose slots begin at |base|. */
static void write_fields(writer *w, const lw_type *type, size_t base)
{
    for (size_t i = 0; i < type->numbered_count && w->st == LW_OK; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        if (!(field->flags & LW_FIELD_INLINE)) {
            uint32_t slot = w->slots[base + type->numbered[i]];
            if (slot > 0)
                write_present(w, field, slot);
            else
                write_absent(w, field);
            continue;
        }
        lw_proto_put_tag(w->out, field->number, LW_PROTO_BYTES);
        size_t begun = lw_proto_begin(w->out);
        write_fields(w, field->type, base + slots_before(type, field));
        lw_proto_end(w->out, begun);
    }
}

static void write_struct(writer *w, const lw_type *type, lw_json_cursor *at)
{
    size_t base = w->slot_count;
    if (at && lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        refuse(w, type, at);
        return;
    }
    if (!push_slots(w, slots_before(type, NULL)))
        return;
    if (at)
        note_members(w, type, base, at);
    write_fields(w, type, base);
    w->slot_count = base;
}

/* One of its fields, told by what JSON the value is; a bool is true also beside a schema. */
static void write_either(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_type json = at ? lw_json_cursor_type(at) : LW_JSON_NULL;
    for (size_t i = 0; i < type->numbered_count; i++) {
        const lw_field *field = &type->fields[type->numbered[i]];
        if (field->type->form == LW_TYPE_BOOL) {
            bool is_true = json == LW_JSON_OBJECT || (json == LW_JSON_BOOL && *at->at == 't');
            lw_proto_put_int(w->out, field->number, is_true);
        } else if (field->type->form == LW_TYPE_LIST && json == LW_JSON_ARRAY) {
            write_list(w, field, at);
        } else if (field->type->form == LW_TYPE_STRUCT && json == LW_JSON_OBJECT) {
            write_value(w, field->number, field->type, at);
        }
    }
}

/* What is inside of a message; |at| is NULL for one that is all zero. */
static void write_message(writer *w, const lw_type *type, lw_json_cursor *at)
{
    lw_json_cursor before = at ? *at : (lw_json_cursor){ NULL, NULL };
    switch (type->form) {
    case LW_TYPE_STRUCT: write_struct(w, type, at); break;
    case LW_TYPE_EITHER: write_either(w, type, at); break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: put_raw(w, at); break;
    default:
        if (!put_special(w, type, at))
            refuse(w, type, &before);
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
    write_struct(&w, type, &at);
    lw_buf_done(&w.text);
    lw_free(w.slots);
    if (w.st == LW_OK && out->st < 0)
        w.st = lw_error_set(err, out->st, "there is no room for the message");
    return w.st;
}
