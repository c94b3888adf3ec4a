/* SPDX-License-Identifier: Apache-2.0 */
/* field_place.c -- how apply treats a value, from its type. */
#include "schema/managedfields/field_place.h"

#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "json/text.h"

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

/* The text of a number tells mostly: only a few zeros and fractions need to be read. */
static bool is_zero_number(const lw_node *value)
{
    int64_t number;
    lw_str text = lw_node_text(value);
    if (text.len > 0 && text.ptr[0] >= '1' && text.ptr[0] <= '9')
        return false;
    return lw_node_int64(value, &number) && number == 0;
}

bool lw_value_is_zero(const lw_node *value)
{
    switch (lw_node_type(value)) {
    case LW_JSON_NULL: return true;
    case LW_JSON_BOOL: return !lw_node_bool(value);
    case LW_JSON_NUMBER: return is_zero_number(value);
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

/* Appends |value| as JSON. */
static void append_json(lw_buf *out, const lw_node *value)
{
    lw_json_writer w;
    if (lw_node_is(value, LW_JSON_STRING)) {
        lw_json_append_quoted(out, lw_node_text(value));
        return;
    }
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(value, &w);
}

/* Appends the member |key| of |item| to the |written| ones.  In Go, absent and zero are the same.
 * False: it is absent. */
static bool append_key(lw_place place, lw_str key, const lw_node *item, size_t written, lw_buf *out)
{
    const lw_node *value = lw_node_get(item, key);
    bool is_zero = lw_value_is_zero(value);
    lw_str fallback = is_zero ? fallback_of(lw_place_item(place), key) : LW_STR("");
    if (!value && fallback.len == 0)
        return false;
    lw_json_append_token(out, written > 0, key, true);
    if (fallback.len > 0)
        lw_buf_append_str(out, fallback);
    else
        append_json(out, value);
    return true;
}

static const char *append_keys(lw_place place, const lw_node *item, lw_buf *out)
{
    lw_str keys[KEYS_MAX];
    size_t count = sorted_keys(place.field->rules, keys), written = 0, start = out->len;
    if (lw_node_type(item) == LW_JSON_NULL)
        return "associative list with keys may not have a null element";
    if (!lw_node_is(item, LW_JSON_OBJECT))
        return "associative list with keys may not have non-map elements";
    lw_buf_append_str(out, LW_STR("k:{"));
    for (size_t i = 0; i < count; i++)
        written += append_key(place, keys[i], item, written, out);
    lw_buf_append_char(out, '}');
    if (written > 0)
        return NULL;
    if (out->st == LW_OK)
        lw_buf_truncate(out, start);
    return "associative list with keys has an element that omits all key fields (and doesn't have "
           "default values for any key fields)";
}

static const char *append_value(const lw_node *item, lw_buf *out)
{
    switch (lw_node_type(item)) {
    case LW_JSON_NULL:
        return "associative list without keys has an element that's an explicit null";
    case LW_JSON_OBJECT: return "associative list without keys has an element that's a map type";
    case LW_JSON_ARRAY: return "not supported: associative list with lists as elements";
    default: break;
    }
    lw_buf_append_str(out, LW_STR("v:"));
    append_json(out, item);
    return NULL;
}

const char *lw_place_append_element(lw_place place, const lw_node *item, lw_buf *out)
{
    return lw_place_shape(place, NULL) == LW_SHAPE_KEYED ? append_keys(place, item, out)
                                                         : append_value(item, out);
}
