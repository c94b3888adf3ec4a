/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c -- members of objects by their names. */
#include "json/fields.h"

#include <string.h>

#include "base/str.h"

lw_node *lw_fields_find(const lw_node *root, const char *pointer)
{
    lw_node *node = NULL;
    while (*pointer) {
        const char *name = *pointer == '/' ? pointer + 1 : pointer;
        pointer = strchrnul(name, '/');
        node = lw_node_get(root, lw_str_make(name, (size_t)(pointer - name)));
        if (!node)
            return NULL;
        root = node;
    }
    return node;
}

lw_str lw_fields_text_at(const lw_node *root, const char *pointer)
{
    const lw_node *node = lw_fields_find(root, pointer);
    return lw_node_is(node, LW_JSON_STRING) ? lw_node_text(node) : LW_STR("");
}

int64_t lw_fields_int(const lw_node *object, const char *key, int64_t fallback)
{
    int64_t value;
    if (lw_node_is(object, LW_JSON_OBJECT) &&
        lw_node_int64(lw_node_get(object, lw_str_of(key)), &value))
        return value;
    return fallback;
}

lw_node *lw_fields_object(lw_tree *tree, lw_node *object, const char *key)
{
    if (!lw_node_is(object, LW_JSON_OBJECT))
        return NULL;
    lw_node *node = lw_node_get(object, lw_str_of(key));
    if (node && lw_node_type(node) != LW_JSON_NULL)
        return lw_node_is(node, LW_JSON_OBJECT) ? node : NULL;
    node = lw_tree_object(tree);
    lw_node_put(tree, object, lw_str_of(key), node);
    return node;
}

void lw_fields_set_text(lw_tree *tree, lw_node *object, const char *key, lw_str value)
{
    lw_node_put(tree, object, lw_str_of(key), lw_tree_string(tree, value));
}

void lw_fields_set_int(lw_tree *tree, lw_node *object, const char *key, int64_t value)
{
    lw_node_put(tree, object, lw_str_of(key), lw_tree_int(tree, value));
}

void lw_fields_set_copy(lw_tree *tree, lw_node *object, const char *key, const lw_node *value)
{
    if (value)
        lw_node_put(tree, object, lw_str_of(key), lw_tree_share(tree, value));
    else
        lw_fields_remove(object, key);
}

/* True when |key| has no value yet. */
static bool is_open(const lw_node *object, const char *key)
{
    if (!lw_node_is(object, LW_JSON_OBJECT))
        return false;
    const lw_node *node = lw_node_get(object, lw_str_of(key));
    return lw_node_type(node) == LW_JSON_NULL ||
           (lw_node_is(node, LW_JSON_STRING) && lw_node_text(node).len == 0);
}

void lw_fields_default_text(lw_tree *tree, lw_node *object, const char *key, const char *value)
{
    if (is_open(object, key))
        lw_fields_set_text(tree, object, key, lw_str_of(value));
}

void lw_fields_default_int(lw_tree *tree, lw_node *object, const char *key, int64_t value)
{
    if (is_open(object, key))
        lw_fields_set_int(tree, object, key, value);
}

void lw_fields_default_bool(lw_tree *tree, lw_node *object, const char *key, bool value)
{
    if (is_open(object, key))
        lw_node_put(tree, object, lw_str_of(key), lw_tree_bool(tree, value));
}

void lw_fields_remove(lw_node *object, const char *key)
{
    if (lw_node_is(object, LW_JSON_OBJECT))
        (void)lw_node_remove(object, lw_str_of(key));
}

bool lw_fields_list_has(const lw_node *list, lw_str text)
{
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return false;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *element = lw_node_at(list, i);
        if (lw_node_is(element, LW_JSON_STRING) && lw_str_equal(lw_node_text(element), text))
            return true;
    }
    return false;
}

static bool is_one_of(const char *const *names, lw_str name)
{
    for (; *names; names++) {
        if (lw_str_equal(name, lw_str_of(*names)))
            return true;
    }
    return false;
}

bool lw_fields_differ(const lw_node *a, const lw_node *b, const char *const *but)
{
    for (size_t i = 0; i < lw_node_count(a); i++) {
        lw_str key = lw_node_key_at(a, i);
        if (!is_one_of(but, key) && !lw_node_equal(lw_node_at(a, i), lw_node_get(b, key)))
            return true;
    }
    /* What both have is equal. */
    for (size_t i = 0; i < lw_node_count(b); i++) {
        lw_str key = lw_node_key_at(b, i);
        if (!lw_node_get(a, key) && !is_one_of(but, key))
            return true;
    }
    return false;
}
