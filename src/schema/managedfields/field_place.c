/* SPDX-License-Identifier: Apache-2.0 */
/* field_place.c -- how apply treats a value, from its type. */
#include "schema/managedfields/field_place.h"

#include "base/str.h"
#include "schema/managedfields/field_element.h"

enum {
    KEYS_MAX = 8, /* keys of one list; no list has more than four */
};

static unsigned flags_of(lw_place place)
{
    return place.field ? place.field->flags : 0;
}

lw_shape lw_place_shape(lw_place place, const lw_node *value)
{
    unsigned flags = flags_of(place);
    if (!place.type)
        return lw_node_is(value, LW_JSON_OBJECT) ? LW_SHAPE_MAP : LW_SHAPE_LEAF;
    switch (place.type->form) {
    case LW_TYPE_LIST:
        if (flags & LW_FIELD_LIST_MAP)
            return LW_SHAPE_KEYED;
        return flags & LW_FIELD_LIST_SET ? LW_SHAPE_VALUE_SET : LW_SHAPE_LEAF;
    case LW_TYPE_MAP:
        return place.type->is_atomic || flags & LW_FIELD_ATOMIC ? LW_SHAPE_LEAF : LW_SHAPE_MAP;
    case LW_TYPE_STRUCT:
        return place.type->is_atomic || flags & LW_FIELD_ATOMIC ? LW_SHAPE_LEAF : LW_SHAPE_STRUCT;
    default: return LW_SHAPE_LEAF;
    }
}

bool lw_place_names(lw_place place, lw_str name)
{
    return place.type && lw_type_field(place.type, name);
}

lw_place lw_place_item(lw_place place)
{
    const lw_type *type = place.type;
    bool is_list = type && (type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP);
    return is_list ? (lw_place){ type->element, type->fields } : (lw_place){ NULL, NULL };
}

bool lw_place_member(lw_place place, lw_str name, lw_place *out)
{
    *out = lw_place_item(place);
    if (!place.type || place.type->form != LW_TYPE_STRUCT)
        return true;
    const lw_field *field = lw_type_field(place.type, name);
    if (!field)
        return place.type->takes_others;
    *out = (lw_place){ field->type, field };
    return true;
}

bool lw_place_under(lw_place place, lw_str element, lw_place *out)
{
    if (lw_element_kind_of(element) == LW_ELEMENT_FIELD)
        return lw_place_member(place, lw_str_skip(element, 2), out);
    *out = lw_place_item(place);
    return true;
}

/* True for a non-pointer field of a Go struct, where absent and zero are the same.  Types made at
 * run time have no such fields: all their fields are LW_FIELD_POINTER. */
static bool is_in_go(lw_place place)
{
    return place.field && !(place.field->flags & LW_FIELD_POINTER);
}

/* Values that are structs in Go are always written, whatever their tag says. */
static bool is_go_struct(const lw_type *type)
{
    switch (type->form) {
    case LW_TYPE_STRUCT: return type->package;
    case LW_TYPE_INT_OR_STRING:
    case LW_TYPE_QUANTITY:
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME:
    case LW_TYPE_DURATION:
    case LW_TYPE_RAW: return true;
    default: return false;
    }
}

bool lw_place_is_always_there(lw_place place)
{
    /* The only field with the tag omitzero. */
    static const lw_str left_out_when_zero = LW_STR_INIT("creationTimestamp");
    if (!is_in_go(place))
        return false;
    return place.field->flags & LW_FIELD_ALWAYS ||
           (is_go_struct(place.type) && !lw_str_equal(place.field->name, left_out_when_zero));
}

bool lw_value_is_zero(const lw_node *value)
{
    int64_t number;
    switch (lw_node_type(value)) {
    case LW_JSON_NULL: return true;
    case LW_JSON_BOOL: return !lw_node_bool(value);
    case LW_JSON_NUMBER: return lw_node_int64(value, &number) && number == 0;
    case LW_JSON_STRING: return lw_node_text(value).len == 0;
    default: return lw_node_count(value) == 0;
    }
}

bool lw_place_leaves_out(lw_place place, const lw_node *value)
{
    if (!is_in_go(place) || lw_node_type(value) == LW_JSON_NULL)
        return lw_node_type(value) == LW_JSON_NULL;
    /* In a list that is always written, absent and empty are different. */
    bool is_written = place.field->flags & LW_FIELD_ALWAYS && lw_node_is(value, LW_JSON_ARRAY);
    return !is_written && lw_value_is_zero(value);
}

/* Sorts the keys of a list by name. */
static size_t sorted_keys(const lw_field_rules *rules, lw_str keys[KEYS_MAX])
{
    size_t count = 0;
    for (const lw_str *key = rules->list_keys; key->len > 0 && count < KEYS_MAX; key++) {
        size_t at = count++;
        for (; at > 0 && lw_str_compare(*key, keys[at - 1]) < 0; at--)
            keys[at] = keys[at - 1];
        keys[at] = *key;
    }
    return count;
}

static lw_str fallback_of(lw_place item, lw_str key)
{
    const lw_field *field = item.type ? lw_type_field(item.type, key) : NULL;
    return field && field->rules ? field->rules->fallback : LW_STR("");
}

static const char *append_keys(lw_place place, const lw_node *item, lw_buf *out)
{
    lw_str keys[KEYS_MAX];
    size_t count = sorted_keys(place.field->rules, keys), written = 0, start = out->len;
    lw_json_writer w;
    if (lw_node_type(item) == LW_JSON_NULL)
        return "associative list with keys may not have a null element";
    if (!lw_node_is(item, LW_JSON_OBJECT))
        return "associative list with keys may not have non-map elements";
    lw_buf_append_text(out, "k:");
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    for (size_t i = 0; i < count; i++) {
        const lw_node *value = lw_node_get(item, keys[i]);
        lw_str fallback = fallback_of(lw_place_item(place), keys[i]);
        if (!value && fallback.len == 0)
            continue;
        written++;
        lw_json_write_key(&w, keys[i]);
        /* In Go, absent and zero are the same. */
        if (fallback.len > 0 && lw_value_is_zero(value))
            lw_json_write_raw(&w, fallback);
        else
            lw_node_write(value, &w);
    }
    lw_json_write_object_end(&w);
    if (written > 0)
        return NULL;
    if (out->st == LW_OK)
        lw_buf_truncate(out, start);
    return "associative list with keys has an element that omits all key fields (and doesn't have "
           "default values for any key fields)";
}

static const char *append_value(const lw_node *item, lw_buf *out)
{
    lw_json_writer w;
    switch (lw_node_type(item)) {
    case LW_JSON_NULL:
        return "associative list without keys has an element that's an explicit null";
    case LW_JSON_OBJECT: return "associative list without keys has an element that's a map type";
    case LW_JSON_ARRAY: return "not supported: associative list with lists as elements";
    default: break;
    }
    lw_buf_append_text(out, "v:");
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(item, &w);
    return NULL;
}

const char *lw_place_append_element(lw_place place, const lw_node *item, lw_buf *out)
{
    return lw_place_shape(place, NULL) == LW_SHAPE_KEYED ? append_keys(place, item, out)
                                                         : append_value(item, out);
}
