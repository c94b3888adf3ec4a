/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields_create.c -- writes the fields of a new document. */
#include "schema/managedfields/managed_fields_create.h"

#include "base/str.h"
#include "schema/managedfields/field_text.h"
#include "schema/managedfields/unmanaged_fields.h"

/* Pushes |one|, which is in the room above the stack, with |value|, if it is present;
 * |is_filled_in|: its struct existed before with Go's zeros. */
static void push(lw_field_text *text, lw_field_part *one, const lw_node *value, bool is_filled_in)
{
    bool is_always = lw_place_is_always_there(one->place);
    one->value = lw_place_leaves_out(one->place, value) ? NULL : value;
    one->was_there = is_always && is_filled_in;
    one->is_self = !one->was_there;
    if (one->value || is_always)
        lw_field_text_push(text);
}

static void push_member(lw_field_text *text, const lw_field_part *parent, lw_str name,
                        const lw_node *value)
{
    lw_field_part *one = lw_field_text_room(text);
    if (one && lw_field_part_of(parent->place, name, one))
        push(text, one, value, parent->was_there);
}

static bool is_pushed(const lw_field_text *text, size_t start, size_t rank)
{
    for (size_t i = start; i < text->count; i++) {
        if (text->parts[i].rank == rank)
            return true;
    }
    return false;
}

/* Pushes the members above |start| that a new struct has without being written.  All fields of a
 * type made at run time are pointers, which may be absent. */
static void push_absent(lw_field_text *text, const lw_field_part *parent, size_t start)
{
    const lw_type *type = parent->place.type;
    if (parent->was_there || !lw_field_is_declared(parent->place))
        return;
    for (size_t i = 0; i < type->member_count; i++) {
        const lw_field *field = type->members[i].field;
        if (!lw_place_is_always_there((lw_place){ field->type, field }) ||
            is_pushed(text, start, i))
            continue;
        lw_field_part *one = lw_field_text_room(text);
        if (one && lw_field_part_of(parent->place, field->name, one))
            push(text, one, NULL, false);
    }
}

static bool write_part(lw_field_text *text, const lw_field_part *one, unsigned depth)
{
    lw_shape shape = depth > 0 ? lw_place_shape(one->place, one->value) : LW_SHAPE_LEAF;
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    const lw_node *fitting =
        lw_node_is(one->value, is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT) ? one->value : NULL;
    bool is_empty = lw_node_count(fitting) == 0;
    if (!one->is_twin && shape != LW_SHAPE_LEAF &&
        !(is_empty && (shape != LW_SHAPE_STRUCT || one->was_there)))
        return lw_field_text_container(text, one, fitting, is_list, depth);
    bool is_list_now = lw_node_is(one->value, LW_JSON_ARRAY); /* there was no list before */
    if (one->was_there && !is_list_now && lw_value_is_zero(one->value))
        return false;
    lw_field_text_leaf(text, one);
    return true;
}

static const lw_field_walker walker = { push_member, push_absent, write_part };

static void write_text(lw_json_writer *w, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_json_write_member_string(w, key, text);
}

/* Begins the list and its entry, up to the value of fieldsV1. */
static void begin_entry(lw_buf *out, const lw_manager *manager)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_array_begin(&w);
    lw_json_write_object_begin(&w);
    write_text(&w, "manager", manager->name);
    write_text(&w, "operation", manager->is_apply ? LW_STR("Apply") : LW_STR("Update"));
    write_text(&w, "apiVersion", manager->api_version);
    write_text(&w, "time", manager->time);
    write_text(&w, "fieldsType", LW_STR("FieldsV1"));
    lw_json_write_key(&w, LW_STR("fieldsV1"));
}

lw_status lw_managed_fields_create(const lw_type *type, const lw_manager *manager,
                                   const lw_node *document, const lw_node *ignored, lw_buf *out)
{
    lw_field_text text;
    size_t start = out->len;
    lw_field_text_init(&text, &walker, out);
    begin_entry(out, manager);
    bool is_written = lw_field_text_write(&text, type, document, ignored);
    lw_buf_append_text(out, "}]");
    lw_status st = lw_field_text_done(&text);
    if (st == LW_OK && !is_written)
        lw_buf_truncate(out, start);
    return st;
}
