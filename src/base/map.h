/* SPDX-License-Identifier: Apache-2.0 */
/* map.h -- the hash table of the library: maps a key to an entry that the caller owns.
 *
 * An entry is any non-NULL pointer to something that contains its key.  The map stores the pointer
 * and 32 bits of hash, 12 bytes per slot, and never frees an entry.  The key of an entry must not
 * change while it is in the map.  Growing and shrinking move only the table, not the entries.
 *
 * The most common case is a string as key:
 *     struct item { lw_str name; ... };
 *     static const lw_map_type items_by_name = LW_MAP_STR_TYPE(struct item, name);
 *     lw_map_init(&map, &items_by_name, lw_hash_seed_random(), 1000);
 *     st = lw_map_put(&map, &item->name, item, &replaced);
 *     item = lw_map_get_str(&map, LW_STR("web-0"));
 *
 * Threads: any number of readers (const functions), or one writer. */
#ifndef LW_BASE_MAP_H
#define LW_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/hash.h"

typedef struct lw_map_type lw_map_type;

/* A type of keys.  The functions must not use the map and must not fail; they run with the locks
 * that the caller of the map holds. */
struct lw_map_type {
    /* Returns the hash of |key|; equal keys have equal hashes. */
    uint64_t (*hash)(const void *key, lw_hash_seed seed);
    /* Returns true if the key of |entry| is |key|. */
    bool (*has_key)(const lw_map_type *type, const void *entry, const void *key);
    /* The offset of the key in an entry, for has_key; may be unused. */
    size_t key_at;
};

/* The type for entries of |entry_type| with an lw_str |member|; its keys are lw_str *. */
#define LW_MAP_STR_TYPE(entry_type, member)                                                        \
    {                                                                                              \
        lw_map__str_hash, lw_map__str_has_key, offsetof(entry_type, member)                        \
    }

/* The maximum limit of a map. */
#define LW_MAP_MAX ((size_t)1 << 30)

typedef struct lw_map {
    const lw_map_type *type;
    lw_hash_seed seed;
    void **entries;   /* one block of memory: |slots| entries, then |slots| hashes */
    uint32_t *hashes; /* 0: the slot is empty */
    size_t slots;     /* 0 or a power of two */
    size_t count;
    size_t limit;
    uint32_t changes; /* number of changes, to detect stale cursors */
} lw_map;

/* A position in an iteration; see lw_map_begin. */
typedef struct lw_map_cursor {
    size_t start;
    size_t seen;
    uint32_t changes;
    bool has_current;
} lw_map_cursor;

/* Initialises an empty map of at most |limit| (<= LW_MAP_MAX) entries; does not allocate.  |type|
 * must outlive the map.  Use a different seed for each map: filling one map in the order of another
 * one with the same seed causes long runs of entries. */
void lw_map_init(lw_map *map, const lw_map_type *type, lw_hash_seed seed, size_t limit);

/* Frees the table, not the entries, which may already be freed.  Initialise it before the next
 * use. */
void lw_map_done(lw_map *map);

/* Removes all entries and frees the table. */
void lw_map_clear(lw_map *map);

/* Returns the number of entries. */
static inline size_t lw_map_count(const lw_map *map)
{
    return map->count;
}

/* Stores |entry| with |key|, which is the key in it.  |*replaced| is the previous entry, which the
 * caller owns again, or NULL.  LW_ERR_LIMIT: a new key would exceed the limit; LW_ERR_NOMEM: the
 * table cannot grow; then nothing changes.  Replacing never fails. */
LW_MUST_CHECK lw_status lw_map_put(lw_map *map, const void *key, void *entry, void **replaced);

/* Stores |entry| with |key| if there is none: |*present| is the existing entry, which stays, or
 * NULL.  Errors as lw_map_put; an existing entry is always found. */
LW_MUST_CHECK lw_status lw_map_add(lw_map *map, const void *key, void *entry, void **present);

/* Searches |key| as lw_map_get.  |*hash| is for lw_map_add_absent, which adds an entry with this
 * key, if it was not found and the map has not changed since; errors as lw_map_add. */
void *lw_map_search(const lw_map *map, const void *key, uint32_t *hash);
LW_MUST_CHECK lw_status lw_map_add_absent(lw_map *map, uint32_t hash, void *entry);

/* Returns the entry of |key|, or NULL. */
void *lw_map_get(const lw_map *map, const void *key);

/* Removes and returns the entry of |key|; NULL if there is none. */
void *lw_map_remove(lw_map *map, const void *key);

/* The same functions for maps of LW_MAP_STR_TYPE. */
static inline void *lw_map_get_str(const lw_map *map, lw_str key)
{
    return lw_map_get(map, &key);
}

static inline void *lw_map_remove_str(lw_map *map, lw_str key)
{
    return lw_map_remove(map, &key);
}

/* Starts an iteration over all entries, each once, in no particular order:
 *     lw_map_cursor at = lw_map_begin(&map);
 *     for (struct item *item; (item = lw_map_next(&map, &at));)
 * During the iteration, lw_map_get and other iterations are allowed.  lw_map_remove_current is the
 * only change that is allowed, and ends other iterations.  Put, remove and clear end the iteration
 * (asserted).  The iteration does not read entries, so they may be freed during it if lw_map_clear
 * or lw_map_done follows. */
lw_map_cursor lw_map_begin(const lw_map *map);

/* Returns the next entry, or NULL after the last. */
void *lw_map_next(const lw_map *map, lw_map_cursor *cursor);

/* Removes the entry that lw_map_next returned last, once.  The iteration continues.  The table
 * shrinks only with the next put or remove. */
void lw_map_remove_current(lw_map *map, lw_map_cursor *cursor);

/* Returns true if the invariants hold; O(n), for tests and asserts. */
bool lw_map_check(const lw_map *map);

/* The functions of LW_MAP_STR_TYPE; hash can be used for any type whose keys are lw_str *. */
uint64_t lw_map__str_hash(const void *key, lw_hash_seed seed);
bool lw_map__str_has_key(const lw_map_type *type, const void *entry, const void *key);

#endif
