/* SPDX-License-Identifier: Apache-2.0 */
/* structural_index.c -- hash tables of JSON values. */
#include "schema/structural/structural_index.h"

#include "base/alloc.h"

static uint64_t hash_value(const void *key, lw_hash_seed seed)
{
    return lw_node_hash(key, seed);
}

static bool has_value(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_node_equal(entry, key);
}

static const lw_map_type by_value = { hash_value, has_value, 0 };

lw_status lw_structural_enum_new(lw_map **out, lw_tree *texts, const lw_node *list)
{
    lw_status st = LW_OK;
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return LW_OK;
    lw_map *values = lw_alloc_zero(1, sizeof(*values));
    if (!values)
        return LW_ERR_NOMEM;
    lw_map_init(values, &by_value, lw_hash_seed_random(), LW_MAP_MAX);
    for (size_t i = 0; i < lw_node_count(list) && st == LW_OK; i++) {
        void *present;
        lw_node *value = lw_tree_copy(texts, lw_node_at(list, i));
        st = value ? lw_map_add(values, value, value, &present) : lw_tree_status(texts);
    }
    if (st < 0)
        lw_structural_enum_free(values);
    else
        *out = values;
    return st;
}

void lw_structural_enum_free(lw_map *values)
{
    if (values)
        lw_map_done(values);
    lw_free(values);
}

bool lw_structural_enum_has(const lw_map *values, const lw_node *value)
{
    return lw_map_get(values, value) != NULL;
}

/* An element of a list of type map; the schema names its keys. */
typedef struct element_key {
    const lw_structural_node *schema;
    const lw_node *element;
} element_key;

static uint64_t hash_keys(const void *key, lw_hash_seed seed)
{
    const element_key *k = key;
    for (size_t i = 0; i < k->schema->map_keys.count; i++)
        seed.k0 ^= lw_node_hash(lw_node_get(k->element, k->schema->map_keys.at[i]), seed);
    return lw_hash_bytes(seed, NULL, 0);
}

static bool has_keys(const lw_map_type *type, const void *entry, const void *key)
{
    const element_key *k = key;
    (void)type;
    for (size_t i = 0; i < k->schema->map_keys.count; i++) {
        lw_str name = k->schema->map_keys.at[i];
        if (!lw_node_equal(lw_node_get(entry, name), lw_node_get(k->element, name)))
            return false;
    }
    return true;
}

static const lw_map_type by_keys = { hash_keys, has_keys, 0 };

void lw_structural_olds_init(lw_structural_olds *olds, lw_structural_check *c,
                             const lw_structural_node *schema, const lw_node *old)
{
    lw_status st = LW_OK;
    olds->schema = schema;
    lw_map_init(&olds->map, &by_keys, lw_hash_seed_random(), LW_MAP_MAX);
    if (schema->list_type != LW_LIST_MAP || !lw_node_is(old, LW_JSON_ARRAY))
        return;
    for (size_t i = 0; i < lw_node_count(old) && st == LW_OK; i++) {
        void *present;
        lw_node *element = lw_node_at(old, i);
        st = lw_map_add(&olds->map, &(element_key){ schema, element }, element, &present);
    }
    if (st < 0 && c->errors->st == LW_OK)
        c->errors->st = st;
}

void lw_structural_olds_done(lw_structural_olds *olds)
{
    lw_map_done(&olds->map);
}

const lw_node *lw_structural_olds_find(const lw_structural_olds *olds, const lw_node *element)
{
    return lw_map_get(&olds->map, &(element_key){ olds->schema, element });
}
