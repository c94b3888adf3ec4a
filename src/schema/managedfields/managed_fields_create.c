/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields_create.c -- writes the fields of a document in the order of Kubernetes.
 *
 * The members or items of the current value are on a stack next to each other.  They are sorted and
 * written one by one, each with its own members above it on the stack.  A part without managed
 * fields is removed from the output again. */
#include "schema/managedfields/managed_fields_create.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "schema/managedfields/field_place.h"
#include "schema/managedfields/unmanaged_fields.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of the path elements on the stack */
    PARTS_MAX = 4 * 1024 * 1024,
    FIRST_PARTS = 64,
};

/* A member of an object, or an item of a list. */
typedef struct part {
    lw_str name;          /* for a member */
    size_t at, len;       /* for an item: its path element in |text| */
    lw_place place;       /* the place of its value */
    const lw_node *value; /* NULL: present without a node, a zero of Go */
    bool was_there;       /* it was present before the object was created */
    bool is_plain;        /* declared by the type: the name needs no escapes */
    bool is_twin;         /* for an item: another item has the same element */
} part;

typedef struct fields_writer {
    lw_json_writer w;
    lw_buf text;
    part *parts;
    size_t count, cap;
    lw_status st;
} fields_writer;

static void push(fields_writer *f, part one)
{
    if (f->st < 0)
        return;
    if (f->count == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : FIRST_PARTS;
        part *grown = cap > PARTS_MAX ? NULL : lw_realloc_array(f->parts, cap, sizeof(*grown));
        if (!grown) {
            f->st = cap > PARTS_MAX ? LW_ERR_LIMIT : LW_ERR_NOMEM;
            return;
        }
        f->parts = grown;
        f->cap = cap;
    }
    f->parts[f->count++] = one;
}

static int compare_names(const void *a, const void *b)
{
    const part *pa = a, *pb = b;
    return lw_str_compare(pa->name, pb->name);
}

static void sort_members(fields_writer *f, size_t start)
{
    if (f->count - start > 1)
        qsort(f->parts + start, f->count - start, sizeof(part), compare_names);
}

static lw_str element_of(const fields_writer *f, const part *item)
{
    /* There is no text if the first allocation failed. */
    return f->text.data ? lw_str_make(f->text.data + item->at, item->len) : LW_STR("");
}

static int compare_items(const void *a, const void *b, void *arg)
{
    fields_writer *f = arg;
    return lw_element_compare(element_of(f, a), element_of(f, b), &f->st);
}

/* A state of the output to return to. */
typedef struct mark {
    lw_json_writer w;
    size_t len;
} mark;

static mark mark_here(const fields_writer *f)
{
    return (mark){ f->w, f->w.out->len };
}

static void go_back(fields_writer *f, const mark *to)
{
    if (f->w.out->st < 0)
        return;
    lw_buf_truncate(f->w.out, to->len);
    f->w = to->w;
}

static bool write_value(fields_writer *f, const part *one, unsigned depth);

/* Writes "f:name" or the element of the item, and the fields below it; false: there are none. */
static bool write_part(fields_writer *f, size_t index, bool is_item, unsigned depth)
{
    mark before = mark_here(f);
    part one = f->parts[index];
    if (is_item) {
        lw_json_write_key(&f->w, element_of(f, &one));
    } else if (one.is_plain) {
        lw_json_write_plain_key(&f->w, "f:", one.name);
    } else {
        size_t len = f->text.len;
        lw_buf_append_text(&f->text, "f:");
        lw_buf_append_str(&f->text, one.name);
        lw_json_write_key(&f->w, lw_str_skip(lw_buf_view(&f->text), len));
        lw_buf_truncate(&f->text, len);
    }
    if (write_value(f, &one, depth))
        return true;
    go_back(f, &before);
    return false;
}

/* Pushes a member if it is present; |is_filled_in|: its struct existed before with Go's zeros. */
static void push_member(fields_writer *f, lw_place parent, lw_str name, const lw_node *value,
                        bool is_filled_in)
{
    part one = { .name = name };
    if (!lw_place_member(parent, name, &one.place))
        return;
    bool is_always = lw_place_is_always_there(one.place);
    one.value = lw_place_leaves_out(one.place, value) ? NULL : value;
    one.was_there = is_always && is_filled_in;
    one.is_plain = parent.type && parent.type->package;
    if (one.value || is_always)
        push(f, one);
}

static void push_members(fields_writer *f, lw_place place, const lw_node *object, bool was_there)
{
    for (size_t i = 0; i < lw_node_count(object); i++)
        push_member(f, place, lw_node_key_at(object, i), lw_node_at(object, i), was_there);
    if (was_there || !place.type || place.type->form != LW_TYPE_STRUCT)
        return;
    for (size_t i = 0; i < place.type->member_count; i++) {
        const lw_field *field = place.type->members[i].field;
        if (lw_place_is_always_there((lw_place){ field->type, field }) &&
            !lw_node_get(object, field->name))
            push_member(f, place, field->name, NULL, false);
    }
}

static void push_items(fields_writer *f, lw_place place, const lw_node *list)
{
    size_t start = f->count;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        part one = { .at = f->text.len,
                     .place = lw_place_item(place),
                     .value = lw_node_at(list, i) };
        if (lw_place_append_element(place, one.value, &f->text))
            lw_buf_printf(&f->text, "i:%zu", i);
        one.len = f->text.len - one.at;
        push(f, one);
    }
    if (f->st < 0 || f->text.st < 0 || f->count - start < 2)
        return;
    qsort_r(f->parts + start, f->count - start, sizeof(part), compare_items, f);
    /* Items with the same element count as one. */
    size_t kept = start;
    for (size_t i = start + 1; i < f->count; i++) {
        bool is_same = lw_str_equal(element_of(f, &f->parts[kept]), element_of(f, &f->parts[i]));
        if (is_same)
            f->parts[kept].is_twin = true;
        else
            f->parts[++kept] = f->parts[i];
    }
    f->count = kept + 1;
}

/* Writes the parts above |start| and pops them; false: none had a managed field. */
static bool write_parts(fields_writer *f, size_t start, bool are_items, unsigned depth)
{
    size_t end = f->count;
    bool is_written = false;
    for (size_t i = start; i < end && f->st == LW_OK; i++)
        is_written |= write_part(f, i, are_items, depth);
    f->count = start;
    return is_written;
}

static bool write_container(fields_writer *f, const part *one, const lw_node *value, bool is_list,
                            unsigned depth)
{
    size_t start = f->count, len = f->text.len;
    lw_json_write_object_begin(&f->w);
    mark inside = mark_here(f);
    if (!one->was_there) {
        lw_json_write_plain_key(&f->w, ".", LW_STR(""));
        lw_json_write_raw(&f->w, LW_STR("{}"));
    }
    if (is_list) {
        push_items(f, one->place, value);
    } else {
        push_members(f, one->place, value, one->was_there);
        sort_members(f, start);
    }
    bool is_written = write_parts(f, start, is_list, depth - 1);
    if (!is_written)
        go_back(f, &inside); /* an element with nothing below is {} */
    lw_json_write_object_end(&f->w);
    if (f->text.st == LW_OK)
        lw_buf_truncate(&f->text, len);
    return is_written || !one->was_there;
}

static bool write_value(fields_writer *f, const part *one, unsigned depth)
{
    lw_shape shape = depth > 0 ? lw_place_shape(one->place, one->value) : LW_SHAPE_LEAF;
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    const lw_node *fitting =
        lw_node_is(one->value, is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT) ? one->value : NULL;
    bool is_empty = lw_node_count(fitting) == 0;
    if (!one->is_twin && shape != LW_SHAPE_LEAF &&
        !(is_empty && (shape != LW_SHAPE_STRUCT || one->was_there)))
        return write_container(f, one, fitting, is_list, depth);
    bool is_list_now = lw_node_is(one->value, LW_JSON_ARRAY); /* there was no list before */
    if (one->was_there && !is_list_now && lw_value_is_zero(one->value))
        return false;
    lw_json_write_raw(&f->w, LW_STR("{}"));
    return true;
}

static bool write_metadata(fields_writer *f, const part *metadata)
{
    size_t start = f->count;
    lw_json_write_plain_key(&f->w, "f:", LW_STR("metadata"));
    lw_json_write_object_begin(&f->w);
    for (size_t i = 0; i < lw_node_count(metadata->value); i++) {
        lw_str name = lw_node_key_at(metadata->value, i);
        if (!lw_field_is_unmanaged_metadata(name))
            push_member(f, metadata->place, name, lw_node_at(metadata->value, i), true);
    }
    sort_members(f, start);
    bool is_written = write_parts(f, start, false, LW_FIELD_DEPTH - 2);
    lw_json_write_object_end(&f->w);
    return is_written;
}

static bool is_ignored(const lw_node *ignored, lw_str name)
{
    for (size_t i = 0; i < lw_node_count(ignored); i++) {
        if (lw_str_equal(lw_str_skip(lw_node_key_at(ignored, i), 2), name))
            return true;
    }
    return false;
}

/* kind and apiVersion are unmanaged, and most of the metadata. */
static bool write_root(fields_writer *f, lw_place root, const lw_node *document,
                       const lw_node *ignored)
{
    bool is_written = false;
    for (size_t i = 0; i < lw_node_count(document); i++) {
        lw_str name = lw_node_key_at(document, i);
        if (!lw_field_is_unmanaged(name) && !is_ignored(ignored, name))
            push_member(f, root, name, lw_node_at(document, i), true);
    }
    sort_members(f, 0);
    size_t end = f->count;
    lw_json_write_object_begin(&f->w);
    for (size_t i = 0; i < end && f->st == LW_OK; i++) {
        part one = f->parts[i];
        mark before = mark_here(f);
        bool is_metadata = lw_str_equal(one.name, LW_STR("metadata"));
        if (!is_metadata)
            is_written |= write_part(f, i, false, LW_FIELD_DEPTH - 1);
        else if (write_metadata(f, &one))
            is_written = true;
        else
            go_back(f, &before);
    }
    lw_json_write_object_end(&f->w);
    return is_written;
}

static void write_text(fields_writer *f, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_json_write_member_string(&f->w, key, text);
}

static void write_entry(fields_writer *f, const lw_manager *manager)
{
    lw_json_write_array_begin(&f->w);
    lw_json_write_object_begin(&f->w);
    write_text(f, "manager", manager->name);
    write_text(f, "operation", manager->is_apply ? LW_STR("Apply") : LW_STR("Update"));
    write_text(f, "apiVersion", manager->api_version);
    write_text(f, "time", manager->time);
    write_text(f, "fieldsType", LW_STR("FieldsV1"));
    lw_json_write_key(&f->w, LW_STR("fieldsV1"));
}

lw_status lw_managed_fields_create(const lw_type *type, const lw_manager *manager,
                                   const lw_node *document, const lw_node *ignored, lw_buf *out)
{
    fields_writer f = { 0 };
    size_t start = out->len;
    lw_buf_init(&f.text, TEXT_MAX);
    lw_json_writer_init(&f.w, out, LW_JSON_COMPACT);
    write_entry(&f, manager);
    bool is_written = write_root(&f, (lw_place){ type, NULL }, document, ignored);
    lw_json_write_object_end(&f.w);
    lw_json_write_array_end(&f.w);
    lw_status st = f.st < 0 ? f.st : f.text.st;
    if (st == LW_OK)
        st = lw_json_writer_status(&f.w);
    if (st == LW_OK && !is_written)
        lw_buf_truncate(out, start);
    lw_free(f.parts);
    lw_buf_done(&f.text);
    return st;
}
