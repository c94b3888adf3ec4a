/* SPDX-License-Identifier: Apache-2.0 */
/* field_walk.c -- walks along a type: lists the fields of one document, or the changes between
 * two. */
#include "schema/managedfields/field_walk.h"

#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "schema/managedfields/field_items.h"
#include "schema/managedfields/field_normal.h"
#include "schema/managedfields/field_place.h"
#include "schema/managedfields/field_set.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of an element */
};

typedef struct walk {
    lw_tree *tree;
    lw_buf text; /* scratch for the current path element */
    lw_field_origin origin;
} walk;

static void walk_begin(walk *w, lw_tree *tree)
{
    *w = (walk){ .tree = tree };
    lw_buf_init(&w->text, TEXT_MAX);
}

static lw_status walk_end(walk *w)
{
    lw_status st = w->text.st < 0 ? w->text.st : lw_tree_status(w->tree);
    lw_buf_done(&w->text);
    return st;
}

/* Returns "f:name", valid until the next call. */
static lw_str field_element(walk *w, lw_str name)
{
    lw_buf_truncate(&w->text, 0);
    lw_buf_append_text(&w->text, "f:");
    lw_buf_append_str(&w->text, name);
    return lw_buf_view(&w->text);
}

static lw_node *fields_of(walk *w, lw_place place, const lw_node *value, unsigned depth);

static lw_node *fields_of_object(walk *w, lw_place place, const lw_node *object, unsigned depth)
{
    lw_node *set = NULL;
    lw_place at;
    for (size_t i = 0; i < lw_node_count(object); i++) {
        lw_str name = lw_node_key_at(object, i);
        const lw_node *value = lw_node_at(object, i);
        if (!lw_place_member(place, name, &at))
            continue;
        lw_node *below = fields_of(w, at, value, depth - 1);
        bool is_empty = lw_node_is(value, LW_JSON_NULL) ||
                        (lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 0);
        if (is_empty || !lw_place_names(place, name))
            below = lw_field_set_with_self(w->tree, below);
        lw_field_set_put(w->tree, &set, field_element(w, name), below);
    }
    return set;
}

/* Items with the same element count as one. */
static lw_node *fields_of_list(walk *w, lw_place place, const lw_node *list, unsigned depth)
{
    lw_items items;
    lw_node *set = NULL;
    if (lw_items_read(&items, w->tree, place, list, &w->text) < 0)
        return NULL;
    for (size_t i = 0; i < lw_items_count(&items); i++) {
        lw_str element = lw_items_element(&items, i);
        lw_node *below = NULL;
        if (lw_items_matches(&items, element) == 1)
            below = fields_of(w, lw_place_item(place), lw_node_at(list, i), depth - 1);
        lw_field_set_put(w->tree, &set, element, lw_field_set_with_self(w->tree, below));
    }
    return set;
}

/* Returns the fields below |value|; NULL: none. */
static lw_node *fields_of(walk *w, lw_place place, const lw_node *value, unsigned depth)
{
    switch (depth > 0 ? lw_place_shape(place, value) : LW_SHAPE_LEAF) {
    case LW_SHAPE_LEAF: return lw_tree_object(w->tree);
    case LW_SHAPE_STRUCT:
    case LW_SHAPE_MAP:
        return lw_node_is(value, LW_JSON_OBJECT) ? fields_of_object(w, place, value, depth) : NULL;
    case LW_SHAPE_KEYED:
    case LW_SHAPE_VALUE_SET: return fields_of_list(w, place, value, depth);
    }
    return NULL;
}

lw_status lw_field_walk(lw_tree *tree, const lw_type *type, const lw_node *document, lw_node **set)
{
    walk w;
    walk_begin(&w, tree);
    *set = fields_of_object(&w, (lw_place){ type, NULL }, document, LW_FIELD_DEPTH);
    return walk_end(&w);
}

/* A value in two documents.  It may be present without a node: a zero of Go. */
typedef struct pair {
    const lw_node *before, *after;
    bool was_there, is_there;
} pair;

static lw_field_changes compare(walk *w, lw_place place, pair values, unsigned depth);

static void put_changes(walk *w, lw_field_changes *changes, lw_str element, lw_field_changes below)
{
    lw_field_set_put(w->tree, &changes->changed, element, below.changed);
    lw_field_set_put(w->tree, &changes->removed, element, below.removed);
}

/* An atomic value may contain Go structs, in which absent and zero are the same. */
static bool is_same_to_go(walk *w, lw_place place, const lw_node *before, const lw_node *after)
{
    bool is_container =
        place.type && (place.type->form == LW_TYPE_STRUCT || place.type->form == LW_TYPE_LIST);
    return is_container && w->origin == LW_FIELD_FROM_GO && before && after &&
           lw_node_equal(lw_field_normalize_at(w->tree, place, before),
                         lw_field_normalize_at(w->tree, place, after));
}

static bool is_same_leaf(walk *w, lw_place place, const lw_node *before, const lw_node *after)
{
    if (!before || !after)
        return lw_value_is_zero(before) && lw_value_is_zero(after);
    return lw_node_equal(before, after) || is_same_to_go(w, place, before, after);
}

static lw_field_changes compare_leaf(walk *w, lw_place place, pair values)
{
    lw_field_changes changes = { 0 };
    if (values.was_there && !values.is_there)
        changes.removed = lw_tree_object(w->tree);
    else if (!values.was_there || !is_same_leaf(w, place, values.before, values.after))
        changes.changed = lw_tree_object(w->tree);
    return changes;
}

/* Compares the member |name| of |parents|, which is |before| and |after| (NULL: absent).  A field
 * that Go always writes is present whenever its struct is; but a configuration that adds a struct
 * has only the fields that it contains. */
static void compare_member(walk *w, lw_place place, lw_str name, const lw_node *before,
                           const lw_node *after, const pair *parents, unsigned depth,
                           lw_field_changes *changes)
{
    lw_place at;
    /* The documents share it, or its text. */
    if ((before && before == after) || lw_node_has_same_text(before, after))
        return;
    if (!lw_place_member(place, name, &at))
        return;
    if (lw_place_leaves_out(at, before))
        before = NULL;
    if (w->origin == LW_FIELD_FROM_GO && lw_place_leaves_out(at, after))
        after = NULL;
    bool is_always = lw_place_is_always_there(at);
    bool is_filled_in = w->origin == LW_FIELD_FROM_GO || parents->was_there;
    pair values = { before, after, before || (is_always && parents->was_there),
                    after || (is_always && parents->is_there && is_filled_in) };
    if (!values.was_there && !values.is_there)
        return;
    lw_field_changes below = compare(w, at, values, depth - 1);
    if (!below.changed && !below.removed)
        return;
    lw_str element = field_element(w, name);
    if (w->text.st < 0) /* an element that is cut off may be there already */
        return;
    lw_field_set_add(w->tree, &changes->changed, element, below.changed);
    lw_field_set_add(w->tree, &changes->removed, element, below.removed);
}

/* Compares the fields that Go always writes and neither document contains: they are added and
 * removed with their struct. */
static void compare_unsaid(walk *w, lw_place place, const pair *parents, unsigned depth,
                           lw_field_changes *changes)
{
    if (parents->was_there == parents->is_there || !place.type ||
        place.type->form != LW_TYPE_STRUCT)
        return;
    for (size_t i = 0; i < place.type->member_count; i++) {
        const lw_field *field = place.type->members[i].field;
        if (lw_place_is_always_there((lw_place){ field->type, field }) &&
            !lw_node_get(parents->before, field->name) && !lw_node_get(parents->after, field->name))
            compare_member(w, place, field->name, NULL, NULL, parents, depth, changes);
    }
}

static lw_field_changes compare_objects(walk *w, lw_place place, const pair *values, unsigned depth)
{
    lw_field_changes changes = { 0 };
    lw_str name;
    size_t then = lw_node_count(values->before), now = lw_node_count(values->after), shared = 0;
    for (size_t i = 0, next = 0; i < now; i++) {
        const lw_node *after = lw_node_member_at(values->after, i, &name);
        const lw_node *before = lw_node_get_next(values->before, name, &next);
        shared += before != NULL;
        compare_member(w, place, name, before, after, values, depth, &changes);
    }
    for (size_t i = 0, next = 0; i < then && shared < then; i++) {
        const lw_node *before = lw_node_member_at(values->before, i, &name);
        if (lw_node_get_next(values->after, name, &next))
            continue;
        compare_member(w, place, name, before, NULL, values, depth, &changes);
        shared++;
    }
    compare_unsaid(w, place, values, depth, &changes);
    return changes;
}

/* Items with the same element are compared as one. */
static bool same_twins(const lw_items *before, const lw_items *after, lw_str element)
{
    size_t count = lw_items_matches(before, element);
    if (count != lw_items_matches(after, element))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!lw_node_equal(lw_items_match(before, element, i), lw_items_match(after, element, i)))
            return false;
    }
    return true;
}

static lw_field_changes compare_items(walk *w, lw_place place, const lw_items *before,
                                      const lw_items *after, lw_str element, unsigned depth)
{
    size_t then = lw_items_matches(before, element), now = lw_items_matches(after, element);
    lw_field_changes changes = { 0 };
    if (then > 1 || now > 1) {
        if (now == 0)
            changes.removed = lw_tree_object(w->tree);
        else if (!same_twins(before, after, element))
            changes.changed = lw_tree_object(w->tree);
        return changes;
    }
    pair values = { lw_items_match(before, element, 0), lw_items_match(after, element, 0), then > 0,
                    now > 0 };
    return compare(w, lw_place_item(place), values, depth - 1);
}

static lw_field_changes compare_lists(walk *w, lw_place place, const lw_node *before,
                                      const lw_node *after, unsigned depth)
{
    lw_items then, now;
    lw_field_changes changes = { 0 };
    if (lw_items_read(&then, w->tree, place, before, &w->text) < 0 ||
        lw_items_read(&now, w->tree, place, after, &w->text) < 0)
        return changes;
    for (size_t i = 0; i < lw_items_count(&now); i++) {
        lw_str element = lw_items_element(&now, i);
        put_changes(w, &changes, element, compare_items(w, place, &then, &now, element, depth));
    }
    for (size_t i = 0; i < lw_items_count(&then); i++) {
        lw_str element = lw_items_element(&then, i);
        if (lw_items_matches(&now, element) == 0)
            put_changes(w, &changes, element, compare_items(w, place, &then, &now, element, depth));
    }
    return changes;
}

static lw_field_changes compare(walk *w, lw_place place, pair values, unsigned depth)
{
    lw_field_changes changes;
    lw_shape shape = LW_SHAPE_LEAF;
    if (depth > 0)
        shape = lw_place_shape(place, values.after ? values.after : values.before);
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    lw_json_type type = is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT;
    pair fitting = { lw_node_is(values.before, type) ? values.before : NULL,
                     lw_node_is(values.after, type) ? values.after : NULL, values.was_there,
                     values.is_there };
    bool is_empty = lw_node_count(fitting.before) == 0 && lw_node_count(fitting.after) == 0;
    /* If both sides are empty, empty and absent differ.  A struct that is added or removed is not
     * empty: it has the fields that Go always writes. */
    if (shape == LW_SHAPE_LEAF ||
        (is_empty && (shape != LW_SHAPE_STRUCT || values.was_there == values.is_there)))
        return compare_leaf(w, place, values);
    /* Indexing the items is expensive, and most lists are unchanged. */
    if (is_list && fitting.before && fitting.after && lw_node_equal(fitting.before, fitting.after))
        return (lw_field_changes){ 0 };
    changes = is_list ? compare_lists(w, place, fitting.before, fitting.after, depth)
                      : compare_objects(w, place, &fitting, depth);
    if (!values.was_there)
        changes.changed = lw_field_set_with_self(w->tree, changes.changed);
    else if (!values.is_there)
        changes.removed = lw_field_set_with_self(w->tree, changes.removed);
    return changes;
}

lw_status lw_field_compare(lw_tree *tree, const lw_type *type, const lw_node *before,
                           const lw_node *after, lw_field_origin origin, lw_field_changes *out)
{
    walk w;
    walk_begin(&w, tree);
    w.origin = origin;
    pair whole = { before, after, true, true };
    *out = compare_objects(&w, (lw_place){ type, NULL }, &whole, LW_FIELD_DEPTH);
    return walk_end(&w);
}

static lw_node *name_parents(lw_tree *tree, lw_place place, const lw_node *set)
{
    lw_node *named = NULL;
    lw_place at;
    for (size_t i = 0; i < lw_node_count(set); i++) {
        lw_str element = lw_node_key_at(set, i);
        const lw_node *below = lw_node_at(set, i);
        if (lw_element_kind_of(element) == LW_ELEMENT_SELF || !lw_place_under(place, element, &at))
            continue;
        lw_node *under = name_parents(tree, at, below);
        bool is_named = lw_element_kind_of(element) == LW_ELEMENT_FIELD &&
                        lw_place_names(place, lw_str_skip(element, 2));
        if (is_named || lw_field_set_has_self(below))
            under = lw_field_set_with_self(tree, under);
        lw_field_set_put(tree, &named, element, under);
    }
    return named;
}

lw_status lw_field_set_name_parents(lw_tree *tree, const lw_type *type, const lw_node *set,
                                    lw_node **out)
{
    *out = name_parents(tree, (lw_place){ type, NULL }, set);
    return lw_tree_status(tree);
}
