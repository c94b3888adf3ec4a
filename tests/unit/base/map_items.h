/* SPDX-License-Identifier: Apache-2.0 */
/* map_items.h -- entries for the tests of the map. */
#ifndef LW_TESTS_UNIT_BASE_MAP_ITEMS_H
#define LW_TESTS_UNIT_BASE_MAP_ITEMS_H

#include <stdio.h>

#include "base/map.h"
#include "unit/test.h"

enum {
    MANY = 1000,
};

typedef struct item {
    int payload;
    lw_str name;
    char text[16];
    bool seen;
} item;

static const lw_map_type items_by_name = LW_MAP_STR_TYPE(item, name);
static const lw_hash_seed fixed_seed = { 11, 22 };

/* A type whose hash is the key itself, so that a test can choose the slots of entries. */
typedef struct number {
    uint32_t key;
    bool seen;
} number;

static inline uint64_t number_hash(const void *key, lw_hash_seed seed)
{
    (void)seed;
    return *(const uint32_t *)key;
}

static inline bool number_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return ((const number *)entry)->key == *(const uint32_t *)key;
}

static const lw_map_type numbers = { number_hash, number_has_key, 0 };

static inline void name_item(item *it, int n)
{
    (void)snprintf(it->text, sizeof(it->text), "pod-%d", n);
    it->name = lw_str_of(it->text);
    it->payload = n;
    it->seen = false;
}

static inline void put_new(lw_map *map, item *it)
{
    void *replaced = it;
    assert_int_equal(lw_map_put(map, &it->name, it, &replaced), LW_OK);
    assert_null(replaced);
}

static inline void put_number(lw_map *map, number *n)
{
    void *replaced = n;
    assert_int_equal(lw_map_put(map, &n->key, n, &replaced), LW_OK);
    assert_null(replaced);
    assert_true(lw_map_check(map));
}

static inline void fill(lw_map *map, item *items, int count)
{
    for (int i = 0; i < count; i++) {
        name_item(&items[i], i);
        put_new(map, &items[i]);
    }
}

#endif
