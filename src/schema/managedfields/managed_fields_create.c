/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields_create.c -- writes the fields of a document in the order of Kubernetes.
 *
 * The members or items of the current value are on a stack next to each other.  They are sorted and
 * written one by one, each with its own members above it on the stack.  A part without managed
 * fields is removed from the output again. */
#include "schema/managedfields/managed_fields_create.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "schema/managedfields/field_place.h"
#include "schema/managedfields/unmanaged_fields.h"
#include "json/text.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of the path elements on the stack */
    PARTS_MAX = 4 * 1024 * 1024,
    FIRST_PARTS = 64,
    SMALL_PARTS = 32, /* members that are sorted without qsort */
};

/* A member of an object, or an item of a list. */
typedef struct part {
    union {
        const char *name; /* of a member */
        size_t at;        /* of an item: its path element in |text| */
    };
    size_t len;
    lw_place place;       /* the place of its value */
    const lw_node *value; /* NULL: present without a node, a zero of Go */
    uint16_t rank;        /* a declared member: its position in the type, which is sorted by name */
    bool was_there;       /* it was present before the object was created */
    bool is_plain;        /* declared by the type: the name needs no escapes */
    bool is_twin;         /* for an item: another item has the same element */
} part;

typedef struct fields_writer {
    lw_buf *out;
    bool is_empty; /* the current object of the output */
    lw_buf text;
    part *parts;
    size_t count, cap;
    lw_status st;
} fields_writer;

static lw_status grow_parts(fields_writer *f)
{
    size_t cap = f->cap ? f->cap * 2 : FIRST_PARTS;
    if (cap > PARTS_MAX)
        return LW_ERR_LIMIT;
    part *grown = lw_realloc_array(f->parts, cap, sizeof(*grown));
    if (!grown)
        return LW_ERR_NOMEM;
    f->parts = grown;
    f->cap = cap;
    return LW_OK;
}

static void push(fields_writer *f, const part *one)
{
    if (f->st == LW_OK && f->count == f->cap)
        f->st = grow_parts(f);
    if (f->st == LW_OK)
        f->parts[f->count++] = *one;
}

static lw_str name_of(const part *member)
{
    return lw_str_make(member->name, member->len);
}

static int compare_names(const void *a, const void *b)
{
    return lw_str_compare(name_of(a), name_of(b));
}

static int compare_ranks(const void *a, const void *b)
{
    const part *pa = a, *pb = b;
    return (int)pa->rank - (int)pb->rank;
}

/* Sorts the members above |start|; most objects are so small that a function of the library costs
 * more than the sort. */
static void sort_members(fields_writer *f, size_t start)
{
    size_t count = f->count - start;
    if (count < 2)
        return; /* and maybe there are no parts yet */
    part *parts = f->parts + start;
    int (*compare)(const void *, const void *) = parts->is_plain ? compare_ranks : compare_names;
    if (count > SMALL_PARTS) {
        qsort(parts, count, sizeof(part), compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        while (to > 0 && compare(&parts[to - 1], &parts[i]) > 0)
            to--;
        if (to == i)
            continue;
        part one = parts[i];
        memmove(parts + to + 1, parts + to, (i - to) * sizeof(part));
        parts[to] = one;
    }
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
    size_t len;
    bool is_empty;
} mark;

static mark mark_here(const fields_writer *f)
{
    return (mark){ f->out->len, f->is_empty };
}

static void go_back(fields_writer *f, mark to)
{
    if (f->out->st < 0)
        return;
    lw_buf_truncate(f->out, to.len);
    f->is_empty = to.is_empty;
}

/* Appends |text|, a constant: the compiler knows its size. */
static inline void append_short(fields_writer *f, lw_str text)
{
    if (lw_buf_reserve(f->out, text.len) < 0)
        return;
    memcpy(f->out->data + f->out->len, text.ptr, text.len);
    f->out->len += text.len;
}

/* Writes ,"f:name": for a |name| that needs no escapes. */
static void write_plain_name(fields_writer *f, lw_str name)
{
    lw_buf *out = f->out;
    if (lw_buf_reserve(out, name.len + sizeof(",\"f:\":") - 1) < 0)
        return;
    char *to = out->data + out->len;
    *to = ',';
    to += !f->is_empty;
    memcpy(to, "\"f:", 3);
    to += 3;
    memcpy(to, name.ptr, name.len);
    to += name.len;
    memcpy(to, "\":", 2);
    out->len = (size_t)(to + 2 - out->data);
}

/* Writes the comma, the path element of |one|, and the colon. */
static void write_element(fields_writer *f, const part *one, bool is_item)
{
    size_t len = f->text.len;
    if (is_item) {
        lw_json_append_token(f->out, !f->is_empty, element_of(f, one), true);
    } else if (one->is_plain) {
        write_plain_name(f, name_of(one));
    } else {
        lw_buf_append_text(&f->text, "f:");
        lw_buf_append_str(&f->text, name_of(one));
        lw_json_append_token(f->out, !f->is_empty, lw_str_skip(lw_buf_view(&f->text), len), true);
        lw_buf_truncate(&f->text, len);
    }
    f->is_empty = false;
}

/* Pushes a member that has a place, if it is present; |is_filled_in|: its struct existed before
 * with Go's zeros. */
static void push_placed(fields_writer *f, part *one, const lw_node *value, bool is_filled_in)
{
    bool is_always = lw_place_is_always_there(one->place);
    one->value = lw_place_leaves_out(one->place, value) ? NULL : value;
    one->was_there = is_always && is_filled_in;
    if (one->value || is_always)
        push(f, one);
}

static void push_declared(fields_writer *f, const lw_type *type, const lw_member *member,
                          const lw_node *value, bool is_filled_in)
{
    const lw_field *field = member->field;
    part one = { .name = field->name.ptr,
                 .len = field->name.len,
                 .place = { field->type, field },
                 .rank = (uint16_t)(member - type->members),
                 .is_plain = true };
    push_placed(f, &one, value, is_filled_in);
}

/* A struct whose members are those of a built-in type, and no others. */
static bool is_declared(lw_place place)
{
    return place.type && place.type->form == LW_TYPE_STRUCT && place.type->package;
}

static void push_member(fields_writer *f, lw_place parent, lw_str name, const lw_node *value,
                        bool is_filled_in)
{
    part one = { .name = name.ptr, .len = name.len };
    if (is_declared(parent)) {
        const lw_member *member = lw_type_member(parent.type, name);
        if (member)
            push_declared(f, parent.type, member, value, is_filled_in);
    } else if (lw_place_member(parent, name, &one.place)) {
        push_placed(f, &one, value, is_filled_in);
    }
}

static bool is_pushed(const fields_writer *f, size_t start, size_t rank)
{
    for (size_t i = start; i < f->count; i++) {
        if (f->parts[i].rank == rank)
            return true;
    }
    return false;
}

/* Pushes the members above |start| that a new struct has without being written. */
static void push_absent(fields_writer *f, const lw_type *type, size_t start)
{
    for (size_t i = 0; i < type->member_count; i++) {
        const lw_field *field = type->members[i].field;
        if (lw_place_is_always_there((lw_place){ field->type, field }) && !is_pushed(f, start, i))
            push_declared(f, type, &type->members[i], NULL, false);
    }
}

/* All fields of a type made at run time are pointers, which may be absent. */
static void push_members(fields_writer *f, lw_place place, const lw_node *object, bool was_there)
{
    size_t start = f->count;
    for (size_t i = 0; i < lw_node_count(object); i++)
        push_member(f, place, lw_node_key_at(object, i), lw_node_at(object, i), was_there);
    if (!was_there && is_declared(place))
        push_absent(f, place.type, start);
}

static void push_items(fields_writer *f, lw_place place, const lw_node *list)
{
    size_t start = f->count;
    const lw_place item = lw_place_item(place);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        part one = { .at = f->text.len, .place = item, .value = lw_node_at(list, i) };
        if (lw_place_append_element(place, one.value, &f->text))
            lw_buf_printf(&f->text, "i:%zu", i);
        one.len = f->text.len - one.at;
        push(f, &one);
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

static bool write_part(fields_writer *f, const part *one, bool is_item, unsigned depth);

/* Writes the parts above |start| and pops them; false: none had a managed field. */
static bool write_parts(fields_writer *f, size_t start, bool are_items, unsigned depth)
{
    size_t end = f->count;
    bool is_written = false;
    for (size_t i = start; i < end && f->st == LW_OK; i++) {
        part one = f->parts[i]; /* the stack may move */
        is_written |= write_part(f, &one, are_items, depth);
    }
    f->count = start;
    return is_written;
}

/* Writes what is in the list or object |value| (NULL: nothing) of |one|, between its braces. */
static bool write_inside(fields_writer *f, const part *one, const lw_node *value, bool is_list,
                         unsigned depth)
{
    size_t start = f->count, len = f->text.len;
    if (is_list) {
        push_items(f, one->place, value);
    } else {
        push_members(f, one->place, value, one->was_there);
        sort_members(f, start);
    }
    bool is_written = write_parts(f, start, is_list, depth - 1);
    if (f->text.st == LW_OK)
        lw_buf_truncate(&f->text, len);
    return is_written;
}

static bool write_container(fields_writer *f, const part *one, bool is_item, const lw_node *value,
                            bool is_list, unsigned depth)
{
    mark before = mark_here(f);
    write_element(f, one, is_item);
    append_short(f, LW_STR("{"));
    f->is_empty = true;
    mark inside = mark_here(f);
    if (!one->was_there) {
        append_short(f, LW_STR("\".\":{}"));
        f->is_empty = false;
    }
    bool is_written = write_inside(f, one, value, is_list, depth);
    if (!is_written && one->was_there) {
        go_back(f, before);
        return false;
    }
    if (!is_written)
        go_back(f, inside); /* an element with nothing below is {} */
    append_short(f, LW_STR("}"));
    f->is_empty = false;
    return true;
}

/* Writes "f:name" or the element of the item, and the fields below it; false: there are none. */
static bool write_part(fields_writer *f, const part *one, bool is_item, unsigned depth)
{
    lw_shape shape = depth > 0 ? lw_place_shape(one->place, one->value) : LW_SHAPE_LEAF;
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    const lw_node *fitting =
        lw_node_is(one->value, is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT) ? one->value : NULL;
    bool is_empty = lw_node_count(fitting) == 0;
    if (!one->is_twin && shape != LW_SHAPE_LEAF &&
        !(is_empty && (shape != LW_SHAPE_STRUCT || one->was_there)))
        return write_container(f, one, is_item, fitting, is_list, depth);
    bool is_list_now = lw_node_is(one->value, LW_JSON_ARRAY); /* there was no list before */
    if (one->was_there && !is_list_now && lw_value_is_zero(one->value))
        return false;
    write_element(f, one, is_item);
    append_short(f, LW_STR("{}"));
    return true;
}

static bool write_metadata(fields_writer *f, const part *metadata)
{
    size_t start = f->count;
    mark before = mark_here(f);
    write_element(f, metadata, false);
    append_short(f, LW_STR("{"));
    f->is_empty = true;
    for (size_t i = 0; i < lw_node_count(metadata->value); i++) {
        lw_str name = lw_node_key_at(metadata->value, i);
        if (!lw_field_is_unmanaged_metadata(name))
            push_member(f, metadata->place, name, lw_node_at(metadata->value, i), true);
    }
    sort_members(f, start);
    bool is_written = write_parts(f, start, false, LW_FIELD_DEPTH - 2);
    append_short(f, LW_STR("}"));
    f->is_empty = false;
    if (!is_written)
        go_back(f, before);
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
    append_short(f, LW_STR("{"));
    f->is_empty = true;
    for (size_t i = 0; i < end && f->st == LW_OK; i++) {
        part one = f->parts[i];
        is_written |= lw_str_equal(name_of(&one), LW_STR("metadata"))
                          ? write_metadata(f, &one)
                          : write_part(f, &one, false, LW_FIELD_DEPTH - 1);
    }
    append_short(f, LW_STR("}"));
    return is_written;
}

static void write_text(lw_json_writer *w, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_json_write_member_string(w, key, text);
}

/* Begins the list and its entry, up to the value of fieldsV1. */
static void begin_entry(fields_writer *f, const lw_manager *manager)
{
    lw_json_writer w;
    lw_json_writer_init(&w, f->out, LW_JSON_COMPACT);
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
    fields_writer f = { .out = out };
    size_t start = out->len;
    lw_buf_init(&f.text, TEXT_MAX);
    begin_entry(&f, manager);
    bool is_written = write_root(&f, (lw_place){ type, NULL }, document, ignored);
    append_short(&f, LW_STR("}]"));
    lw_status st = f.st < 0 ? f.st : f.text.st;
    if (st == LW_OK)
        st = out->st;
    if (st == LW_OK && !is_written)
        lw_buf_truncate(out, start);
    lw_free(f.parts);
    lw_buf_done(&f.text);
    return st;
}
