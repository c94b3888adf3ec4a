/* SPDX-License-Identifier: Apache-2.0 */
/* field_merge.c -- merges and removes fields along a type. */
#include "schema/managedfields/field_merge.h"

#include "base/str.h"
#include "schema/managedfields/field_items.h"
#include "schema/managedfields/field_place.h"
#include "schema/managedfields/field_set.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of an element */
};

typedef struct merging {
    lw_tree *tree;
    lw_buf text;
} merging;

static lw_node *merge(merging *m, lw_place place, const lw_node *live, const lw_node *config,
                      unsigned depth);

static lw_node *merge_objects(merging *m, lw_place place, const lw_node *live,
                              const lw_node *config, unsigned depth)
{
    lw_node *out = lw_tree_object(m->tree);
    lw_place at;
    lw_str name;
    size_t live_count = lw_node_count(live), config_count = lw_node_count(config), shared = 0;
    lw_node_reserve(m->tree, out, live_count > config_count ? live_count : config_count);
    for (size_t i = 0, next = 0; i < live_count; i++) {
        const lw_node *value = lw_node_member_at(live, i, &name);
        const lw_node *wanted = lw_node_get_next(config, name, &next);
        bool is_known = lw_place_member(place, name, &at);
        shared += wanted != NULL;
        lw_node_add(m->tree, out, name,
                    is_known ? merge(m, at, value, wanted, depth - 1)
                             : lw_tree_copy(m->tree, wanted ? wanted : value));
    }
    for (size_t i = 0; i < config_count && shared < config_count; i++) {
        const lw_node *wanted = lw_node_member_at(config, i, &name);
        if (lw_node_get(live, name))
            continue;
        lw_node_add(m->tree, out, name, lw_tree_copy(m->tree, wanted));
        shared++;
    }
    return out;
}

/* Two lists that are merged into one. */
typedef struct zip {
    lw_items live, config;
    lw_node *taken; /* object: path elements of the configuration that are in |out| */
    lw_node *out;
    size_t live_at, config_at;
    size_t shared_at; /* position in the configuration of the next item that both lists have */
} zip;

static void skip_to_shared(zip *z)
{
    while (z->shared_at < lw_items_count(&z->config) &&
           lw_items_matches(&z->live, lw_items_element(&z->config, z->shared_at)) == 0)
        z->shared_at++;
}

/* True if |element| is the next item of the configuration that both lists have. */
static bool is_next_shared(const zip *z, lw_str element)
{
    return z->shared_at < lw_items_count(&z->config) &&
           lw_str_equal(lw_items_element(&z->config, z->shared_at), element);
}

/* Appends the next item of the configuration, merged with the live item of the same element. */
static void take_config(merging *m, lw_place place, zip *z, unsigned depth)
{
    lw_str element = lw_items_element(&z->config, z->config_at);
    const lw_node *twin = NULL;
    if (lw_items_matches(&z->live, element) == 1)
        twin = lw_items_match(&z->live, element, 0);
    lw_node_put(m->tree, z->taken, element, lw_tree_null(m->tree));
    lw_node_append(m->tree, z->out,
                   merge(m, lw_place_item(place), twin, lw_node_at(z->config.list, z->config_at),
                         depth - 1));
    if (is_next_shared(z, element)) {
        z->shared_at++;
        skip_to_shared(z);
    }
    z->config_at++;
}

/* Handles the next item of the live list; false: the next item of the configuration comes first. */
static bool take_live(merging *m, lw_place place, zip *z, unsigned depth)
{
    lw_str element = lw_items_element(&z->live, z->live_at);
    bool is_shared = lw_items_matches(&z->config, element) > 0;
    bool has_config = z->config_at < lw_items_count(&z->config);
    if (has_config && lw_str_equal(element, lw_items_element(&z->config, z->config_at))) {
        take_config(m, place, z, depth);
        z->live_at++;
        return true;
    }
    if (!is_shared) {
        lw_node_append(m->tree, z->out,
                       lw_tree_copy(m->tree, lw_node_at(z->live.list, z->live_at)));
        z->live_at++;
        return true;
    }
    if (lw_node_get(z->taken, element) || (has_config && !is_next_shared(z, element))) {
        z->live_at++; /* it was or will be appended at its position in the configuration */
        return true;
    }
    return false;
}

static lw_node *merge_lists(merging *m, lw_place place, const lw_node *live, const lw_node *config,
                            unsigned depth)
{
    zip z = { .taken = lw_tree_object(m->tree), .out = lw_tree_array(m->tree) };
    if (lw_items_read(&z.live, m->tree, place, live, &m->text) < 0 ||
        lw_items_read(&z.config, m->tree, place, config, &m->text) < 0)
        return NULL;
    skip_to_shared(&z);
    while (lw_tree_status(m->tree) == LW_OK) {
        bool has_live = z.live_at < lw_items_count(&z.live);
        bool has_config = z.config_at < lw_items_count(&z.config);
        if (!has_live && !has_config)
            break;
        if (has_live && take_live(m, place, &z, depth))
            continue;
        if (has_config)
            take_config(m, place, &z, depth);
    }
    return z.out;
}

/* Either of |live| and |config| may be NULL (absent). */
static lw_node *merge(merging *m, lw_place place, const lw_node *live, const lw_node *config,
                      unsigned depth)
{
    if (!live || !config)
        return lw_tree_copy(m->tree, config ? config : live);
    lw_shape shape = depth > 0 ? lw_place_shape(place, config) : LW_SHAPE_LEAF;
    bool is_list = shape == LW_SHAPE_KEYED || shape == LW_SHAPE_VALUE_SET;
    lw_json_type type = is_list ? LW_JSON_ARRAY : LW_JSON_OBJECT;
    const lw_node *before = lw_node_is(live, type) ? live : NULL;
    const lw_node *wanted = lw_node_is(config, type) ? config : NULL;
    if (shape == LW_SHAPE_LEAF || (lw_node_count(before) == 0 && lw_node_count(wanted) == 0))
        return lw_tree_copy(m->tree, config);
    return is_list ? merge_lists(m, place, before, wanted, depth)
                   : merge_objects(m, place, before, wanted, depth);
}

lw_status lw_field_merge(lw_tree *tree, const lw_type *type, const lw_node *live,
                         const lw_node *config, lw_node **out)
{
    merging m = { .tree = tree };
    lw_buf_init(&m.text, TEXT_MAX);
    *out = merge_objects(&m, (lw_place){ type, NULL }, live, config, LW_FIELD_DEPTH);
    lw_status st = m.text.st < 0 ? m.text.st : lw_tree_status(tree);
    lw_buf_done(&m.text);
    return st;
}

static lw_node *without(merging *m, lw_place place, const lw_node *value, const lw_node *set,
                        unsigned depth);

/* Returns what remains of the value at |element|; NULL: nothing. */
static lw_node *remains(merging *m, lw_place place, lw_str element, const lw_node *value,
                        const lw_node *set, unsigned depth)
{
    lw_place at;
    const lw_node *below = lw_node_get(set, element);
    if (!below)
        return lw_tree_copy(m->tree, value);
    if (lw_field_set_has_self(below))
        return NULL;
    if (!lw_place_under(place, element, &at))
        return lw_tree_copy(m->tree, value);
    lw_node *left = without(m, at, value, below, depth - 1);
    /* A value that has lost all its members stays present, because its manager still owns it. */
    return left || !at.type ? left : lw_tree_null(m->tree);
}

static lw_node *object_without(merging *m, lw_place place, const lw_node *object,
                               const lw_node *set, unsigned depth)
{
    lw_node *out = lw_tree_object(m->tree);
    for (size_t i = 0; i < lw_node_count(object); i++) {
        lw_str name = lw_node_key_at(object, i);
        lw_buf_truncate(&m->text, 0);
        lw_buf_append_text(&m->text, "f:");
        lw_buf_append_str(&m->text, name);
        lw_node_put(m->tree, out, name,
                    remains(m, place, lw_buf_view(&m->text), lw_node_at(object, i), set, depth));
    }
    return out;
}

static lw_node *list_without(merging *m, lw_place place, const lw_node *list, const lw_node *set,
                             unsigned depth)
{
    lw_items items;
    lw_node *out = lw_tree_array(m->tree);
    if (lw_items_read(&items, m->tree, place, list, &m->text) < 0)
        return NULL;
    for (size_t i = 0; i < lw_items_count(&items); i++)
        lw_node_append(m->tree, out,
                       remains(m, place, lw_items_element(&items, i), lw_node_at(list, i), set,
                               depth));
    return out;
}

/* Returns |value| without the fields of |set|; NULL: nothing remains. */
static lw_node *without(merging *m, lw_place place, const lw_node *value, const lw_node *set,
                        unsigned depth)
{
    lw_node *out = NULL;
    switch (depth > 0 ? lw_place_shape(place, value) : LW_SHAPE_LEAF) {
    case LW_SHAPE_LEAF: /* no part of an atomic value can be removed */
        return lw_tree_copy(m->tree, value);
    case LW_SHAPE_STRUCT:
    case LW_SHAPE_MAP: out = object_without(m, place, value, set, depth); break;
    case LW_SHAPE_KEYED:
    case LW_SHAPE_VALUE_SET: out = list_without(m, place, value, set, depth); break;
    }
    return lw_node_count(out) > 0 ? out : NULL;
}

lw_status lw_field_remove(lw_tree *tree, const lw_type *type, const lw_node *document,
                          const lw_node *set, lw_node **out)
{
    merging m = { .tree = tree };
    lw_buf_init(&m.text, TEXT_MAX);
    *out = object_without(&m, (lw_place){ type, NULL }, document, set, LW_FIELD_DEPTH);
    lw_status st = m.text.st < 0 ? m.text.st : lw_tree_status(tree);
    lw_buf_done(&m.text);
    return st;
}
