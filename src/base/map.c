/* SPDX-License-Identifier: Apache-2.0 */
/* map.c -- open addressing with linear probing (Robin Hood hashing).
 * Invariant: within a run of occupied slots, entries are in the order of their home slots (hash
 * modulo slots).  So a search ends at the first entry that is nearer to its home than the search
 * is.  A removal closes the gap by moving the following entries back by one, up to one that is at
 * home; there are no tombstones.  The table is at most 7/8 full, so a search always ends at an
 * empty slot. */
#include "base/map.h"

#include <assert.h>

#include "base/alloc.h"

enum {
    FEWEST_SLOTS = 8,
};

#define NOT_FOUND SIZE_MAX

void lw_map_init(lw_map *map, const lw_map_type *type, lw_hash_seed seed, size_t limit)
{
    assert(limit <= LW_MAP_MAX);
    *map = (lw_map){ .type = type, .seed = seed, .limit = limit };
}

void lw_map_done(lw_map *map)
{
    lw_free(map->entries);
    map->entries = NULL;
    map->hashes = NULL;
    map->slots = 0;
    map->count = 0;
}

void lw_map_clear(lw_map *map)
{
    lw_map_done(map);
    map->changes++;
}

static size_t most_entries(size_t slots)
{
    return slots - slots / 8;
}

/* Returns the hash as it is stored: 0 marks an empty slot. */
static uint32_t map_hash(const lw_map *map, const void *key)
{
    uint64_t hash = map->type->hash(key, map->seed);
    uint32_t stored = (uint32_t)(hash ^ hash >> 32);
    return stored ? stored : 1;
}

/* Returns the distance of slot |at| from the home slot of |hash|. */
static size_t distance_from_home(const lw_map *map, size_t at, uint32_t hash)
{
    return (at - hash) & (map->slots - 1);
}

static size_t next_slot(const lw_map *map, size_t at)
{
    return (at + 1) & (map->slots - 1);
}

static size_t map_find(const lw_map *map, const void *key, uint32_t hash)
{
    if (map->count == 0)
        return NOT_FOUND;
    size_t at = hash & (map->slots - 1);
    for (size_t distance = 0;; distance++) {
        uint32_t there = map->hashes[at];
        if (there == 0 || distance_from_home(map, at, there) < distance)
            return NOT_FOUND;
        if (there == hash && map->type->has_key(map->type, map->entries[at], key))
            return at;
        at = next_slot(map, at);
    }
}

/* Inserts an entry whose key is absent into a table that has room. */
static void map_place(lw_map *map, uint32_t hash, void *entry)
{
    size_t at = hash & (map->slots - 1);
    for (size_t distance = 0; map->hashes[at] != 0; distance++) {
        uint32_t there = map->hashes[at];
        size_t theirs = distance_from_home(map, at, there);
        if (theirs < distance) {
            void *moved = map->entries[at];
            map->hashes[at] = hash;
            map->entries[at] = entry;
            hash = there;
            entry = moved;
            distance = theirs;
        }
        at = next_slot(map, at);
    }
    map->hashes[at] = hash;
    map->entries[at] = entry;
}

static lw_status map_resize(lw_map *map, size_t slots)
{
    void *block = lw_alloc_zero(slots, sizeof(void *) + sizeof(uint32_t));
    if (!block)
        return LW_ERR_NOMEM;
    lw_map old = *map;
    map->entries = block;
    map->hashes = (uint32_t *)(map->entries + slots);
    map->slots = slots;
    for (size_t i = 0; i < old.slots; i++) {
        if (old.hashes[i] != 0)
            map_place(map, old.hashes[i], old.entries[i]);
    }
    lw_free(old.entries);
    return LW_OK;
}

/* Shrinks the table after many deletions, to the smallest size that is at most half as full as
 * allowed, so that the next few puts do not grow it again. If that fails, the table stays too
 * large. */
static void map_shrink(lw_map *map)
{
    if (map->slots <= FEWEST_SLOTS || map->count >= map->slots / 8)
        return;
    size_t slots = FEWEST_SLOTS;
    while (map->count > most_entries(slots) / 2)
        slots *= 2;
    (void)map_resize(map, slots);
}

/* Inserts an entry whose key is absent. */
static lw_status map_insert(lw_map *map, uint32_t hash, void *entry)
{
    if (map->count >= map->limit)
        return LW_ERR_LIMIT;
    map_shrink(map);
    if (map->count >= most_entries(map->slots)) {
        lw_status st = map_resize(map, map->slots ? map->slots * 2 : FEWEST_SLOTS);
        if (st < 0)
            return st;
    }
    map_place(map, hash, entry);
    map->count++;
    map->changes++;
    return LW_OK;
}

lw_status lw_map_put(lw_map *map, const void *key, void *entry, void **replaced)
{
    assert(entry);
    uint32_t hash = map_hash(map, key);
    size_t at = map_find(map, key, hash);
    if (at != NOT_FOUND) {
        *replaced = map->entries[at];
        map->entries[at] = entry;
        map->changes++;
        return LW_OK;
    }
    lw_status st = map_insert(map, hash, entry);
    if (st == LW_OK)
        *replaced = NULL;
    return st;
}

lw_status lw_map_add(lw_map *map, const void *key, void *entry, void **present)
{
    assert(entry);
    uint32_t hash = map_hash(map, key);
    size_t at = map_find(map, key, hash);
    lw_status st = at == NOT_FOUND ? map_insert(map, hash, entry) : LW_OK;
    if (st == LW_OK)
        *present = at == NOT_FOUND ? NULL : map->entries[at];
    return st;
}

void *lw_map_search(const lw_map *map, const void *key, uint32_t *hash)
{
    *hash = map_hash(map, key);
    size_t at = map_find(map, key, *hash);
    return at == NOT_FOUND ? NULL : map->entries[at];
}

lw_status lw_map_add_absent(lw_map *map, uint32_t hash, void *entry)
{
    assert(entry);
    return map_insert(map, hash, entry);
}

void *lw_map_get(const lw_map *map, const void *key)
{
    if (map->count == 0)
        return NULL;
    size_t at = map_find(map, key, map_hash(map, key));
    return at == NOT_FOUND ? NULL : map->entries[at];
}

static void map_empty_slot(lw_map *map, size_t at)
{
    for (;;) {
        size_t next = next_slot(map, at);
        uint32_t hash = map->hashes[next];
        if (hash == 0 || distance_from_home(map, next, hash) == 0)
            break;
        map->hashes[at] = hash;
        map->entries[at] = map->entries[next];
        at = next;
    }
    map->hashes[at] = 0;
    map->entries[at] = NULL;
    map->count--;
    map->changes++;
}

void *lw_map_remove(lw_map *map, const void *key)
{
    size_t at = map_find(map, key, map_hash(map, key));
    if (at == NOT_FOUND)
        return NULL;
    void *entry = map->entries[at];
    map_empty_slot(map, at);
    map_shrink(map);
    return entry;
}

lw_map_cursor lw_map_begin(const lw_map *map)
{
    /* The iteration starts at a slot that no run crosses, so that closing a gap never moves an
     * entry between the visited and the remaining part, not even across the end of the table. */
    size_t start = 0;
    while (start < map->slots && map->hashes[start] != 0 &&
           distance_from_home(map, start, map->hashes[start]) != 0)
        start++;
    return (lw_map_cursor){ .start = start, .changes = map->changes };
}

void *lw_map_next(const lw_map *map, lw_map_cursor *cursor)
{
    assert(cursor->changes == map->changes && "map changed under a walk");
    cursor->has_current = false;
    while (cursor->seen < map->slots) {
        size_t at = (cursor->start + cursor->seen) & (map->slots - 1);
        cursor->seen++;
        if (map->hashes[at] != 0) {
            cursor->has_current = true;
            return map->entries[at];
        }
    }
    return NULL;
}

void lw_map_remove_current(lw_map *map, lw_map_cursor *cursor)
{
    assert(cursor->changes == map->changes && "map changed under a walk");
    assert(cursor->has_current && "no entry to remove");
    cursor->seen--; /* the entry after the gap moves into it */
    cursor->has_current = false;
    map_empty_slot(map, (cursor->start + cursor->seen) & (map->slots - 1));
    cursor->changes = map->changes;
}

bool lw_map_check(const lw_map *map)
{
    size_t found = 0;
    if (map->count > map->limit || map->count > most_entries(map->slots))
        return false;
    for (size_t at = 0; at < map->slots; at++) {
        uint32_t hash = map->hashes[at];
        uint32_t after = map->hashes[next_slot(map, at)];
        size_t reach = hash ? distance_from_home(map, at, hash) + 1 : 0;
        if (after && distance_from_home(map, next_slot(map, at), after) > reach)
            return false;
        if ((hash == 0) != (map->entries[at] == NULL))
            return false;
        found += hash != 0;
    }
    return found == map->count;
}

uint64_t lw_map__str_hash(const void *key, lw_hash_seed seed)
{
    const lw_str *s = key;
    return lw_hash_str(seed, *s);
}

bool lw_map__str_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_str *carried = (const lw_str *)((const char *)entry + type->key_at);
    const lw_str *wanted = key;
    return lw_str_equal(*carried, *wanted);
}
