/* SPDX-License-Identifier: Apache-2.0 */
/* port_index.c -- a map of pairs of a text and a number. */
#include "api/strategy/port_index.h"

#include "base/alloc.h"
#include "base/str.h"

static uint64_t entry_hash(const void *key, lw_hash_seed seed)
{
    const lw_port_entry *entry = key;
    seed.k0 ^= (uint64_t)entry->number;
    return lw_hash_str(seed, entry->text);
}

static bool entry_equal(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_port_entry *a = entry, *b = key;
    (void)type;
    return a->number == b->number && lw_str_equal(a->text, b->text);
}

void lw_port_index_init(lw_port_index *index, size_t cap)
{
    static const lw_map_type by_key = { entry_hash, entry_equal, 0 };
    *index = (lw_port_index){ .cap = cap };
    lw_map_init(&index->map, &by_key, lw_hash_seed_random(), cap);
    if (cap > 0)
        index->entries = lw_alloc_zero(cap, sizeof(*index->entries));
    if (cap > 0 && !index->entries)
        index->st = LW_ERR_NOMEM;
}

lw_status lw_port_index_done(lw_port_index *index)
{
    lw_map_done(&index->map);
    lw_free(index->entries);
    return index->st;
}

bool lw_port_index_add(lw_port_index *index, lw_str text, int64_t number, int64_t value)
{
    void *present = NULL;
    if (index->st < 0 || index->count == index->cap)
        return true;
    lw_port_entry *entry = &index->entries[index->count];
    *entry = (lw_port_entry){ text, number, value };
    index->st = lw_map_add(&index->map, entry, entry, &present);
    if (index->st == LW_OK && !present)
        index->count++;
    return !present;
}

int64_t lw_port_index_find(const lw_port_index *index, lw_str text, int64_t number)
{
    const lw_port_entry key = { text, number, 0 };
    const lw_port_entry *found = lw_map_get(&index->map, &key);
    return found ? found->value : 0;
}
