/* SPDX-License-Identifier: Apache-2.0 */
/* object_places.c -- an array of objects and a map from key to place in it. */
#include "informer/index/object_places.h"

#include <listwatch/object_list.h>

#include "base/alloc.h"
#include "object/key.h"

enum {
    FIRST_CAPACITY = 64,
    CACHE_LINE = 64,
};

static uint64_t key_hash(const void *key, lw_hash_seed seed)
{
    return lw_key_hash(seed, *(const lw_key *)key);
}

static bool object_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_object_places *places = (const lw_object_places *)type;
    const lw_object *obj = places->objects[lw_object_places_place(entry)];
    /* The names are one or two cache lines after the start: prefetches both. */
    __builtin_prefetch((const char *)obj + CACHE_LINE);
    __builtin_prefetch((const char *)obj + 2 * CACHE_LINE);
    return lw_key_equal(lw_object_key(obj), *(const lw_key *)key);
}

void lw_object_places_init(lw_object_places *places)
{
    *places =
        (lw_object_places){ .type = (lw_map_type){ .hash = key_hash, .has_key = object_has_key } };
    lw_map_init(&places->map, &places->type, lw_hash_seed_random(), LW_OBJECT_LIST_MAX_COUNT);
}

void lw_object_places_done(lw_object_places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        lw_object_places_prefetch(places->objects, i, places->count);
        lw_object_unref(places->objects[i]);
    }
    lw_free(places->objects);
    lw_map_done(&places->map);
}

lw_status lw_object_places_make_room(lw_object_places *places)
{
    if (places->count < places->capacity)
        return LW_OK;
    if (places->count >= LW_OBJECT_LIST_MAX_COUNT)
        return LW_ERR_LIMIT;
    size_t capacity = places->capacity + places->capacity / 2 + FIRST_CAPACITY;
    lw_object **objects = lw_realloc_array(places->objects, capacity, sizeof(*objects));
    if (!objects)
        return LW_ERR_NOMEM;
    places->objects = objects;
    places->capacity = capacity;
    return LW_OK;
}
