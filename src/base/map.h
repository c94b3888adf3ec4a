/* SPDX-License-Identifier: Apache-2.0 */
/* map.h -- the hash table of the house: from a key to an entry the caller owns.
 *
 * An entry is any non-NULL pointer that carries its own key; the map stores the pointer and 32 bits
 * of hash, 12 bytes a slot, and never frees an entry.  The key of an entry must not change while it
 * is in.  Growing and shrinking move no entry, only the table.
 *
 * The common case, a string to a thing:
 *
 *     struct item { lw_str name; ... };
 *     static const lw_map_type items_by_name = LW_MAP_STR_TYPE(struct item, name);
 *
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

/* What a kind of key is.  Neither function may touch the map or fail; both run under whatever lock
 * the caller of the map holds. */
struct lw_map_type {
    /* The hash of |key|: equal keys, equal hashes. */
    uint64_t (*hash)(const void *key, lw_hash_seed seed);
    /* True when |entry| is stored under |key|. */
    bool (*has_key)(const lw_map_type *type, const void *entry, const void *key);
    /* Where the key lies in an entry; only for has_key, and unused where that knows by itself. */
    size_t key_at;
};

/* The type whose entries are a |entry_type| with an lw_str |member|; its keys are lw_str *. */
#define LW_MAP_STR_TYPE(entry_type, member)                                                        \
    {                                                                                              \
        lw_map__str_hash, lw_map__str_has_key, offsetof(entry_type, member)                        \
    }

/* No map may be asked to hold more. */
#define LW_MAP_MAX ((size_t)1 << 30)

typedef struct lw_map {
    const lw_map_type *type;
    lw_hash_seed seed;
    void **entries;   /* one block of memory: |slots| entries, then |slots| hashes */
    uint32_t *hashes; /* 0 = the slot is empty */
    size_t slots;     /* 0 or a power of two */
    size_t count;
    size_t limit;
    uint32_t changes; /* counts changes, so that a stale cursor is noticed */
} lw_map;

/* A place in a walk over a map; see lw_map_begin. */
typedef struct lw_map_cursor {
    size_t start;
    size_t seen;
    uint32_t changes;
    bool has_current;
} lw_map_cursor;

/* An empty map of at most |limit| (<= LW_MAP_MAX) entries; allocates nothing.  |type| outlives the
 * map.  Draw a seed for each map: filling one map in the order of another of the same seed puts
 * long runs of entries side by side. */
void lw_map_init(lw_map *map, const lw_map_type *type, lw_hash_seed seed, size_t limit);

/* Frees the table, not the entries; they may be freed already.  Init before the next use. */
void lw_map_done(lw_map *map);

/* Forgets all entries and gives the table's memory back. */
void lw_map_clear(lw_map *map);

/* How many entries are in. */
static inline size_t lw_map_count(const lw_map *map)
{
    return map->count;
}

/* Puts |entry| under |key|, which is the key it carries.  |*replaced| is the entry that was there
 * and is the caller's again, or NULL.  LW_ERR_LIMIT when a new key would exceed the limit,
 * LW_ERR_NOMEM when the table cannot grow; nothing is changed then.  Replacing never fails. */
LW_MUST_CHECK lw_status lw_map_put(lw_map *map, const void *key, void *entry, void **replaced);

/* Puts |entry| under |key| unless there is one: |*present| is the entry that is there and stays, or
 * NULL.  Fails as lw_map_put does; what is there is found in any case. */
LW_MUST_CHECK lw_status lw_map_add(lw_map *map, const void *key, void *entry, void **present);

/* The entry under |key|, or NULL. */
void *lw_map_get(const lw_map *map, const void *key);

/* Takes out and returns the entry under |key|; NULL when there is none. */
void *lw_map_remove(lw_map *map, const void *key);

/* The same for maps of LW_MAP_STR_TYPE. */
static inline void *lw_map_get_str(const lw_map *map, lw_str key)
{
    return lw_map_get(map, &key);
}

static inline void *lw_map_remove_str(lw_map *map, lw_str key)
{
    return lw_map_remove(map, &key);
}

/* Starts a walk over all entries, each once, in no order that means anything:
 *
 *     lw_map_cursor at = lw_map_begin(&map);
 *     for (struct item *item; (item = lw_map_next(&map, &at));)
 *
 * During the walk: lw_map_get and other walks are allowed.  lw_map_remove_current is the only
 * change allowed, and ends other walks.  Put, remove and clear end the walk (asserted).  The walk
 * does not look into entries, so they may be freed on the way when lw_map_clear or lw_map_done
 * follows. */
lw_map_cursor lw_map_begin(const lw_map *map);

/* The next entry, or NULL after the last. */
void *lw_map_next(const lw_map *map, lw_map_cursor *cursor);

/* Takes out the entry that lw_map_next returned last, once.  The walk goes on.  The table shrinks
 * with the next put or remove, not here. */
void lw_map_remove_current(lw_map *map, lw_map_cursor *cursor);

/* True when the table keeps its invariants; O(n), for tests and asserts. */
bool lw_map_check(const lw_map *map);

/* The functions behind LW_MAP_STR_TYPE; hash serves any type whose keys are lw_str *. */
uint64_t lw_map__str_hash(const void *key, lw_hash_seed seed);
bool lw_map__str_has_key(const lw_map_type *type, const void *entry, const void *key);

#endif
