/* SPDX-License-Identifier: Apache-2.0 */
/* field_check.c -- checks a configuration against its type. */
#include "schema/managedfields/field_check.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "schema/managedfields/field_items.h"
#include "schema/managedfields/field_place.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of an element */
};

/* The path to a value, as a linked list from the value to the root. */
typedef struct way {
    const struct way *parent; /* NULL: the root */
    lw_str element;           /* of a field set */
    bool is_field;            /* |element| is a name without prefix */
} way;

typedef struct checking {
    lw_tree *tree;
    lw_buf text;
    lw_buf *why;
} checking;

static void append_way(lw_buf *out, const way *at)
{
    if (!at)
        return;
    append_way(out, at->parent);
    if (at->is_field) {
        lw_buf_append_char(out, '.');
        lw_buf_append_str(out, at->element);
    } else {
        lw_status st = lw_element_append_text(out, at->element);
        if (st < 0 && out->st == LW_OK)
            out->st = st;
    }
}

static bool refuse(checking *c, const way *at, const char *why)
{
    append_way(c->why, at);
    lw_buf_append_text(c->why, ": ");
    lw_buf_append_text(c->why, why);
    return false;
}

static bool check(checking *c, lw_place place, const lw_node *value, const way *at, unsigned depth);

static bool check_object(checking *c, lw_place place, const lw_node *object, const way *at,
                         unsigned depth)
{
    for (size_t i = 0; i < lw_node_count(object); i++) {
        lw_place under;
        way below = { at, lw_node_key_at(object, i), true };
        if (!lw_place_member(place, below.element, &under))
            return refuse(c, &below, "field not declared in schema");
        if (!check(c, under, lw_node_at(object, i), &below, depth - 1))
            return false;
    }
    return true;
}

static bool refuse_item(checking *c, const way *at, size_t index, const char *why)
{
    append_way(c->why, at);
    lw_buf_printf(c->why, ": element %zu: %s", index, why);
    return false;
}

static bool refuse_twin(checking *c, const way *at, lw_str element)
{
    append_way(c->why, at);
    lw_buf_append_text(c->why, ": duplicate entries for key ");
    lw_status st = lw_element_append_text(c->why, element);
    if (st < 0 && c->why->st == LW_OK)
        c->why->st = st;
    return false;
}

static bool check_items(checking *c, lw_place place, const lw_node *list, const way *at)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_buf_truncate(&c->text, 0);
        const char *why = lw_place_append_element(place, lw_node_at(list, i), &c->text);
        if (why)
            return refuse_item(c, at, i, why);
    }
    return true;
}

/* Checks an associative list. */
static bool check_list(checking *c, lw_place place, const lw_node *list, const way *at,
                       unsigned depth)
{
    lw_items items;
    if (!check_items(c, place, list, at))
        return false;
    if (lw_items_read(&items, c->tree, place, list, &c->text) < 0)
        return true; /* the failure is in c->text */
    for (size_t i = 0; i < lw_items_count(&items); i++) {
        way below = { at, lw_items_element(&items, i), false };
        if (lw_items_matches(&items, below.element) > 1)
            return refuse_twin(c, at, below.element);
        if (!check(c, lw_place_item(place), lw_node_at(list, i), &below, depth - 1))
            return false;
    }
    return true;
}

static bool check_atomic_list(checking *c, lw_place place, const lw_node *list, const way *at,
                              unsigned depth)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        char index[32];
        int len = snprintf(index, sizeof(index), "i:%zu", i);
        way below = { at, lw_str_make(index, (size_t)len), false };
        if (!check(c, lw_place_item(place), lw_node_at(list, i), &below, depth - 1))
            return false;
    }
    return true;
}

static bool is_scalar(const lw_node *value)
{
    return !lw_node_is(value, LW_JSON_ARRAY) && !lw_node_is(value, LW_JSON_OBJECT);
}

/* Refuses |value|: "expected string, got number". */
static bool refuse_type(checking *c, const way *at, const char *expected, const lw_node *value)
{
    static const char *const names[] = {
        [LW_JSON_NULL] = "null",     [LW_JSON_BOOL] = "boolean", [LW_JSON_NUMBER] = "number",
        [LW_JSON_STRING] = "string", [LW_JSON_ARRAY] = "list",   [LW_JSON_OBJECT] = "map",
    };
    (void)refuse(c, at, expected);
    lw_buf_printf(c->why, ", got %s", names[lw_node_type(value)]);
    return false;
}

/* Null is valid for every type. */
static bool check(checking *c, lw_place place, const lw_node *value, const way *at, unsigned depth)
{
    if (!place.type || depth == 0 || lw_node_is(value, LW_JSON_NULL))
        return true;
    switch (place.type->form) {
    case LW_TYPE_STRUCT:
    case LW_TYPE_MAP:
        if (!lw_node_is(value, LW_JSON_OBJECT))
            return refuse_type(c, at, "expected map", value);
        return check_object(c, place, value, at, depth);
    case LW_TYPE_LIST:
        if (!lw_node_is(value, LW_JSON_ARRAY))
            return refuse_type(c, at, "expected list", value);
        return lw_place_shape(place, value) == LW_SHAPE_LEAF
                   ? check_atomic_list(c, place, value, at, depth)
                   : check_list(c, place, value, at, depth);
    case LW_TYPE_BOOL:
        return lw_node_is(value, LW_JSON_BOOL) || refuse_type(c, at, "expected boolean", value);
    case LW_TYPE_INT32:
    case LW_TYPE_INT64:
    case LW_TYPE_DOUBLE:
        return lw_node_is(value, LW_JSON_NUMBER) ||
               refuse_type(c, at, "expected numeric (int or float)", value);
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES:
        return lw_node_is(value, LW_JSON_STRING) || refuse_type(c, at, "expected string", value);
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1:
    case LW_TYPE_EITHER: return true;
    default: return is_scalar(value) || refuse_type(c, at, "expected any scalar", value);
    }
}

/* kind and apiVersion identify the object and are not part of its type. */
static bool is_type_meta(lw_str name)
{
    return lw_str_equal(name, LW_STR("kind")) || lw_str_equal(name, LW_STR("apiVersion"));
}

bool lw_field_check(lw_tree *tree, const lw_type *type, const lw_node *config, lw_buf *why)
{
    checking c = { .tree = tree, .why = why };
    bool is_good = true;
    lw_buf_init(&c.text, TEXT_MAX);
    for (size_t i = 0; i < lw_node_count(config) && is_good; i++) {
        lw_place under;
        way at = { NULL, lw_node_key_at(config, i), true };
        if (is_type_meta(at.element))
            continue;
        if (!lw_place_member((lw_place){ type, NULL }, at.element, &under))
            is_good = refuse(&c, &at, "field not declared in schema");
        else
            is_good = check(&c, under, lw_node_at(config, i), &at, LW_FIELD_DEPTH);
    }
    if (c.text.st < 0 && why->st == LW_OK) {
        why->st = c.text.st;
        is_good = false;
    }
    lw_buf_done(&c.text);
    return is_good;
}
