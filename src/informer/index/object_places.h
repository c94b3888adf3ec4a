/* SPDX-License-Identifier: Apache-2.0 */
/* object_places.h -- an array of objects and a map from key to index in the array.
 *
 * The entries of the map are indexes, not pointers: entry p means objects[p - 1].  So each object
 * needs 8 bytes and a slot of the map, and no allocation of its own. */
#ifndef LW_INFORMER_INDEX_OBJECT_PLACES_H
#define LW_INFORMER_INDEX_OBJECT_PLACES_H

#include <listwatch/object.h>

#include "base/map.h"

typedef struct lw_object_places {
    lw_map_type type; /* of |map|; first, so that has_key finds the objects */
    lw_map map;
    lw_object **objects; /* references; NULL in a gap */
    size_t count;        /* including gaps */
    size_t capacity;
} lw_object_places;

void lw_object_places_init(lw_object_places *places);

/* Releases all references. */
void lw_object_places_done(lw_object_places *places);

/* Reserves space for one more object. LW_ERR_NOMEM, LW_ERR_LIMIT (LW_OBJECT_LIST_MAX_COUNT):
 * nothing changed. */
lw_status lw_object_places_make_room(lw_object_places *places);

static inline size_t lw_object_places_place(const void *entry)
{
    return (size_t)(uintptr_t)entry - 1;
}

static inline void *lw_object_places_entry(size_t place)
{
    return (void *)(uintptr_t)(place + 1);
}

/* Prefetches one of |count| objects whose references change one after the other, now that of
 * |at|: objects are scattered in memory. */
static inline void lw_object_places_prefetch(lw_object *const *objects, size_t at, size_t count)
{
    enum {
        AHEAD = 8
    };
    if (at + AHEAD < count)
        __builtin_prefetch(objects[at + AHEAD], 1);
}

/* Returns the object of |key|, borrowed; NULL: there is none. */
static inline lw_object *lw_object_places_get(const lw_object_places *places, lw_key key)
{
    void *entry = lw_map_get(&places->map, &key);
    return entry ? places->objects[lw_object_places_place(entry)] : NULL;
}

#endif
