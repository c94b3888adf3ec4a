/* SPDX-License-Identifier: Apache-2.0 */
/* element_index.c -- a hash table from values to positions. */
#include "schema/strategicpatch/element_index.h"

#include "base/alloc.h"
#include "schema/strategicpatch/go_value.h"

static uint64_t hash_value(const void *key, lw_hash_seed seed)
{
    return lw_go_hash(key, seed);
}

static bool has_value(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_go_equal(((const lw_element_entry *)entry)->value, key);
}

static const lw_map_type entries_by_value = { hash_value, has_value, 0 };

lw_status lw_element_index_init(lw_element_index *index, lw_hash_seed seed, size_t cap)
{
    *index = (lw_element_index){ .cap = cap };
    lw_map_init(&index->map, &entries_by_value, seed, cap);
    if (cap == 0)
        return LW_OK;
    index->entries = lw_realloc_array(NULL, cap, sizeof(*index->entries));
    return index->entries ? LW_OK : LW_ERR_NOMEM;
}

lw_status lw_element_index_of(lw_element_index *index, lw_hash_seed seed, const lw_node *list,
                              size_t count, lw_str key)
{
    lw_status st = lw_element_index_init(index, seed, count);
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = lw_element_index_add(index, lw_element_value(lw_node_at(list, i), key), i);
    return st;
}

void lw_element_index_done(lw_element_index *index)
{
    lw_map_done(&index->map);
    lw_free(index->entries);
    index->entries = NULL;
}

static bool is_plain(const lw_node *value)
{
    return !lw_node_is(value, LW_JSON_OBJECT) && !lw_node_is(value, LW_JSON_ARRAY);
}

lw_status lw_element_index_add(lw_element_index *index, const lw_node *value, size_t position)
{
    void *replaced;
    /* Lists and maps equal nothing, and all have the same hash. */
    if (!value || !is_plain(value) || lw_map_get(&index->map, value))
        return LW_OK;
    lw_element_entry *entry = &index->entries[lw_map_count(&index->map)];
    *entry = (lw_element_entry){ value, position };
    return lw_map_put(&index->map, value, entry, &replaced);
}

size_t lw_element_index_find(const lw_element_index *index, const lw_node *value)
{
    if (!value || !is_plain(value))
        return LW_NO_POSITION;
    const lw_element_entry *entry = lw_map_get(&index->map, value);
    return entry ? entry->position : LW_NO_POSITION;
}

const lw_node *lw_element_value(const lw_node *element, lw_str key)
{
    if (key.len == 0)
        return element;
    return lw_node_is(element, LW_JSON_OBJECT) ? lw_node_get(element, key) : NULL;
}
