/* SPDX-License-Identifier: Apache-2.0 */
/* typed.c -- drops and adds fields as a Go struct would. */
#include "schema/validation/typed.h"

#include <listwatch/quantity.h>

#include "base/str.h"
#include "base/text/time_text.h"

static bool is_zero(const lw_field *field, const lw_node *value)
{
    int64_t number;
    switch (field->type->form) {
    case LW_TYPE_BOOL: return lw_node_is(value, LW_JSON_BOOL) && !lw_node_bool(value);
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return lw_node_int64(value, &number) && number == 0;
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES: return lw_node_is(value, LW_JSON_STRING) && lw_node_text(value).len == 0;
    case LW_TYPE_LIST: return lw_node_is(value, LW_JSON_ARRAY) && lw_node_count(value) == 0;
    case LW_TYPE_MAP: return lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 0;
    default: return false;
    }
}

/* A list that is always written can be present and empty, until it is stored. */
static bool is_kept_empty(const lw_field *field)
{
    return field->type->form == LW_TYPE_LIST && field->flags & LW_FIELD_ALWAYS;
}

/* True if a Go field would lose |value|. */
static bool is_dropped(const lw_field *field, const lw_node *value)
{
    if (lw_node_type(value) == LW_JSON_NULL)
        return true;
    bool is_pointer = field->flags & LW_FIELD_POINTER;
    return !is_pointer && !is_kept_empty(field) && is_zero(field, value);
}

/* Replaces |value| by |text|, unless it is the same. */
static void put_text(lw_tree *tree, lw_node *object, lw_str key, const lw_node *value, lw_str text)
{
    if (!lw_node_is(value, LW_JSON_STRING) || !lw_str_equal(lw_node_text(value), text))
        lw_node_put(tree, object, key, lw_tree_string(tree, text));
}

/* Whether |text| is one of the usual amounts in canonical form: a number of at most nine digits
 * that no larger unit divides, and a usual unit. */
static bool is_usual_amount(lw_str text)
{
    enum {
        DIGITS_MAX = 9
    };
    uint32_t number = 0;
    size_t digits = 0;
    while (digits < text.len && digits < DIGITS_MAX && lw_char_is_digit(text.ptr[digits]))
        number = number * 10 + (uint32_t)(text.ptr[digits++] - '0');
    if (digits == 0 || text.ptr[0] == '0')
        return false;
    lw_str unit = lw_str_skip(text, digits);
    if (unit.len == 0 || (unit.len == 1 && unit.ptr[0] == 'm'))
        return number % 1000 != 0;
    return unit.len == 2 && unit.ptr[1] == 'i' && number % 1024 != 0 &&
           (unit.ptr[0] == 'K' || unit.ptr[0] == 'M' || unit.ptr[0] == 'G');
}

static void read_quantity(lw_tree *tree, lw_node *object, lw_str key, const lw_node *value)
{
    char text[LW_QUANTITY_SIZE];
    lw_quantity quantity;
    if (lw_node_is(value, LW_JSON_STRING) && is_usual_amount(lw_node_text(value)))
        return;
    if (!lw_quantity_parse(lw_node_text(value), &quantity))
        return;
    lw_quantity_format(text, quantity);
    put_text(tree, object, key, value, lw_str_of(text));
}

/* Whether |text|, if it is a time at all, is one in canonical form: in UTC, with as many digits as
 * are written.  A leap second is written as the second after it. */
static bool has_form_of_time(lw_str text, bool is_micro)
{
    enum {
        DAY_END = 10,
        SECOND = 17,
    };
    size_t len =
        is_micro ? sizeof("2006-01-02T15:04:05.000000Z") - 1 : sizeof("2006-01-02T15:04:05Z") - 1;
    return text.len == len && text.ptr[DAY_END] == 'T' && text.ptr[SECOND] != '6' &&
           text.ptr[len - 1] == 'Z';
}

static void read_time(lw_tree *tree, lw_node *object, lw_str key, const lw_node *value,
                      bool is_micro)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_time time;
    if (has_form_of_time(lw_node_text(value), is_micro))
        return;
    if (!lw_time_parse(lw_node_text(value), &time))
        return;
    lw_status st = is_micro ? lw_time_format_micro(text, time) : lw_time_format(text, time);
    if (st == LW_OK)
        put_text(tree, object, key, value, lw_str_of(text));
}

static void read_inside(lw_tree *tree, const lw_type *type, lw_node *value);

static void read_member(lw_tree *tree, const lw_type *type, lw_node *object, lw_str key,
                        lw_node *value)
{
    switch (type->form) {
    case LW_TYPE_QUANTITY: read_quantity(tree, object, key, value); break;
    case LW_TYPE_TIME: read_time(tree, object, key, value, false); break;
    case LW_TYPE_MICRO_TIME: read_time(tree, object, key, value, true); break;
    case LW_TYPE_STRUCT:
    case LW_TYPE_MAP:
    case LW_TYPE_LIST: read_inside(tree, type, value); break;
    default: break;
    }
}

bool lw_typed_keeps_element(const lw_type *type, const lw_node *value)
{
    lw_str text = lw_node_text(value);
    switch (type->form) {
    case LW_TYPE_QUANTITY: return lw_node_is(value, LW_JSON_STRING) && is_usual_amount(text);
    case LW_TYPE_TIME: return has_form_of_time(text, false);
    case LW_TYPE_MICRO_TIME: return has_form_of_time(text, true);
    default: return true;
    }
}

bool lw_typed_keeps(const lw_field *field, const lw_node *value)
{
    return !is_dropped(field, value) && lw_typed_keeps_element(field->type, value);
}

typedef struct reading {
    lw_tree *tree;
    const lw_type *type; /* of |object|, a struct */
    lw_node *object;
    const lw_node *done; /* has been read and may share members; NULL: nothing */
} reading;

/* Reads a member of a struct; true if the struct drops it. */
static bool read_field(void *arg, lw_str key, lw_node *value)
{
    const reading *r = arg;
    const lw_field *field = lw_type_field(r->type, key);
    if (!field || is_dropped(field, value))
        return true;
    if (r->done && lw_node_get(r->done, key) == value)
        return false;
    read_member(r->tree, field->type, r->object, key, value);
    return false;
}

static void read_struct(lw_tree *tree, const lw_type *type, lw_node *object, const lw_node *done)
{
    reading r = { tree, type, object, done };
    lw_node_remove_if(object, read_field, &r);
}

/* The recursion is as deep as the document: at most LW_TREE_DEPTH. */
static void read_inside(lw_tree *tree, const lw_type *type, lw_node *value)
{
    bool is_object = lw_node_is(value, LW_JSON_OBJECT);
    if (lw_tree_status(tree) < 0 || lw_node_is_unread(value))
        return;
    if (type->form == LW_TYPE_STRUCT && is_object) {
        read_struct(tree, type, value, NULL);
    } else if (type->form == LW_TYPE_MAP && is_object) {
        for (size_t i = 0; i < lw_node_count(value); i++)
            read_member(tree, type->element, value, lw_node_key_at(value, i), lw_node_at(value, i));
    } else if (type->form == LW_TYPE_LIST && lw_node_is(value, LW_JSON_ARRAY)) {
        for (size_t i = 0; i < lw_node_count(value); i++)
            read_inside(tree, type->element, lw_node_at(value, i));
    }
}

void lw_typed_read(lw_tree *tree, const lw_type *type, lw_node *object)
{
    read_inside(tree, type, object);
}

void lw_typed_read_beside(lw_tree *tree, const lw_type *type, lw_node *object, const lw_node *done)
{
    if (type->form == LW_TYPE_STRUCT && lw_node_is(object, LW_JSON_OBJECT) &&
        lw_tree_status(tree) == LW_OK)
        read_struct(tree, type, object, done);
}

static lw_node *zero_of(lw_tree *tree, const lw_field *field)
{
    if (field->flags & LW_FIELD_POINTER)
        return lw_tree_null(tree);
    switch (field->type->form) {
    case LW_TYPE_BOOL: return lw_tree_bool(tree, false);
    case LW_TYPE_INT32:
    case LW_TYPE_INT64:
    case LW_TYPE_DOUBLE:
    case LW_TYPE_INT_OR_STRING: return lw_tree_int(tree, 0);
    case LW_TYPE_STRING: return lw_tree_string(tree, LW_STR(""));
    case LW_TYPE_QUANTITY: return lw_tree_string(tree, LW_STR("0"));
    case LW_TYPE_STRUCT: return lw_tree_object(tree);
    default: return lw_tree_null(tree);
    }
}

/* Whether an object gets this member if it lacks it. */
static bool is_added(const lw_member *member)
{
    return member->field->flags & LW_FIELD_ADDED &&
           !(member->via && member->via->flags & LW_FIELD_POINTER);
}

/* Whether a field of any type could lose |value|: most are seen not to be without a look at their
 * field. */
static bool may_be_dropped(const lw_node *value)
{
    int64_t number;
    switch (lw_node_type(value)) {
    case LW_JSON_NULL: return true;
    case LW_JSON_BOOL: return !lw_node_bool(value);
    case LW_JSON_NUMBER: return lw_node_int64(value, &number) && number == 0;
    case LW_JSON_STRING: return lw_node_text(value).len == 0;
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: return lw_node_count(value) == 0;
    }
    return false;
}

/* The members of an object that reading drops.  Writing adds them again, as the last ones and in
 * the order of their type. */
typedef struct dropped_tail {
    size_t next;   /* the member of the type after the last one that was found */
    bool has_some; /* one was found */
} dropped_tail;

/* Returns true if the member |key| of a written object, a |value| that may be dropped, stays where
 * it is when the object is read and written again. */
static bool stays_in_place(dropped_tail *tail, const lw_type *type, lw_str key,
                           const lw_node *value)
{
    const lw_field *field = lw_type_field(type, key);
    if (!field || !is_dropped(field, value))
        return !tail->has_some;
    tail->has_some = true;
    while (tail->next < type->member_count && type->members[tail->next].field != field)
        tail->next++;
    return tail->next < type->member_count && is_added(&type->members[tail->next++]);
}

static bool write_inside(lw_tree *tree, const lw_type *type, lw_node *value);

/* Returns true if a value of |type| may be a struct, or have one inside. */
static bool may_have_structs(const lw_type *type)
{
    while (type->element)
        type = type->element;
    return type->form == LW_TYPE_STRUCT;
}

/* Adds missing members first: one may be a struct with members to add. */
static bool write_struct(lw_tree *tree, const lw_type *type, lw_node *object)
{
    dropped_tail tail = { 0 };
    bool is_stable = true;
    for (size_t i = 0; i < type->added_count; i++) {
        const lw_field *field = type->members[type->added[i]].field;
        const lw_node *value = lw_node_get(object, field->name);
        if (!value || (is_kept_empty(field) && is_zero(field, value)))
            lw_node_put(tree, object, field->name, zero_of(tree, field));
    }
    const lw_slot *slots = lw_node_slots(object);
    for (size_t i = 0, count = lw_node_count(object); i < count; i++) {
        lw_node *value = slots[i].value;
        bool is_unread = lw_node_is_unread(value);
        bool is_container = !is_unread && lw_node_type(value) >= LW_JSON_ARRAY;
        const lw_field *field = is_container ? lw_type_field(type, lw_slot_key(&slots[i])) : NULL;
        if (field && may_have_structs(field->type))
            is_stable &= write_inside(tree, field->type, value);
        if (is_unread || !may_be_dropped(value))
            is_stable &= !tail.has_some;
        else
            is_stable &= stays_in_place(&tail, type, lw_slot_key(&slots[i]), value);
    }
    return is_stable;
}

/* Returns true if the value, read and written again, would stay as it is. */
static bool write_inside(lw_tree *tree, const lw_type *type, lw_node *value)
{
    bool is_map = type->form == LW_TYPE_MAP && lw_node_is(value, LW_JSON_OBJECT);
    bool is_list = type->form == LW_TYPE_LIST && lw_node_is(value, LW_JSON_ARRAY);
    bool is_stable = true;
    if (lw_tree_status(tree) < 0)
        return false;
    if (type->form == LW_TYPE_STRUCT && lw_node_is(value, LW_JSON_OBJECT))
        return write_struct(tree, type, value);
    for (size_t i = 0; (is_map || is_list) && i < lw_node_count(value); i++)
        is_stable &= write_inside(tree, type->element, lw_node_at(value, i));
    return is_stable;
}

bool lw_typed_write(lw_tree *tree, const lw_type *type, lw_node *object)
{
    return write_inside(tree, type, object);
}

static bool inside_is_written(lw_tree *tree, const lw_type *type, const lw_node *value,
                              const lw_node *written);

/* The member of |written| that has no counterpart: equal to what would be added. */
static bool addition_is_written(lw_tree *tree, const lw_type *type, lw_str key,
                                const lw_node *written)
{
    const lw_member *member = lw_type_member(type, key);
    if (!member || !is_added(member))
        return false;
    lw_node *zero = zero_of(tree, member->field);
    (void)write_inside(tree, member->field->type, zero);
    return lw_node_equal(zero, written);
}

static bool member_is_written(lw_tree *tree, const lw_type *type, lw_str key, const lw_node *value,
                              const lw_node *written)
{
    if (value == written || lw_node_has_same_text(value, written))
        return true;
    if (!lw_node_is(value, LW_JSON_OBJECT) && !lw_node_is(value, LW_JSON_ARRAY))
        return lw_node_equal(value, written);
    const lw_field *field = lw_type_field(type, key);
    if (!field)
        return lw_node_equal(value, written);
    if (is_kept_empty(field) && is_zero(field, value))
        return lw_node_equal(zero_of(tree, field), written);
    return inside_is_written(tree, field->type, value, written);
}

/* Two versions of an object mostly have their members in the same order. */
static const lw_node *member_at_or_named(const lw_node *object, size_t at, lw_str key)
{
    if (lw_str_equal(lw_node_key_at(object, at), key))
        return lw_node_at(object, at);
    return lw_node_get(object, key);
}

static bool struct_is_written(lw_tree *tree, const lw_type *type, const lw_node *object,
                              const lw_node *written)
{
    size_t found = 0;
    for (size_t i = 0; i < lw_node_count(written); i++) {
        lw_str key = lw_node_key_at(written, i);
        const lw_node *value = member_at_or_named(object, found, key);
        if (value ? !member_is_written(tree, type, key, value, lw_node_at(written, i))
                  : !addition_is_written(tree, type, key, lw_node_at(written, i)))
            return false;
        found += value ? 1 : 0;
    }
    return found == lw_node_count(object);
}

/* The recursion is as deep as the document: at most LW_TREE_DEPTH. */
static bool inside_is_written(lw_tree *tree, const lw_type *type, const lw_node *value,
                              const lw_node *written)
{
    bool are_objects = lw_node_is(value, LW_JSON_OBJECT) && lw_node_is(written, LW_JSON_OBJECT);
    bool are_arrays = lw_node_is(value, LW_JSON_ARRAY) && lw_node_is(written, LW_JSON_ARRAY);
    bool is_map = type->form == LW_TYPE_MAP && are_objects;
    bool is_list = type->form == LW_TYPE_LIST && are_arrays;
    if (type->form == LW_TYPE_STRUCT && are_objects)
        return struct_is_written(tree, type, value, written);
    if (!is_map && !is_list)
        return lw_node_equal(value, written);
    bool is_written = lw_node_count(value) == lw_node_count(written);
    for (size_t i = 0; is_written && i < lw_node_count(value); i++) {
        const lw_node *other = is_list ? lw_node_at(written, i)
                                       : member_at_or_named(written, i, lw_node_key_at(value, i));
        is_written = other && inside_is_written(tree, type->element, lw_node_at(value, i), other);
    }
    return is_written;
}

bool lw_typed_is_written(lw_tree *tree, const lw_type *type, const lw_node *object,
                         const lw_node *written)
{
    return inside_is_written(tree, type, object, written);
}
