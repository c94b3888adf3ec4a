/* SPDX-License-Identifier: Apache-2.0 */
/* object_places.h -- an array of objects and a map from key to place in it.
 *
 * The map's entries are places, not pointers: entry p stands for objects[p - 1], so that a hundred
 * thousand objects cost 8 bytes and a slot of the map each, and no block of their own. */
#ifndef LW_INFORMER_INDEX_OBJECT_PLACES_H
#define LW_INFORMER_INDEX_OBJECT_PLACES_H

#include <listwatch/object.h>

#include "base/map.h"

typedef struct lw_object_places {
    lw_map_type type; /* of |map|; first, so that has_key finds the objects */
    lw_map map;
    lw_object **objects; /* references; NULL in a gap */
    size_t count;        /* gaps too */
    size_t capacity;
} lw_object_places;

void lw_object_places_init(lw_object_places *places);

/* Gives all references back. */
void lw_object_places_done(lw_object_places *places);

/* Makes room for one more object.  LW_ERR_NOMEM, LW_ERR_LIMIT (LW_OBJECT_LIST_MAX_COUNT): nothing
 * changed. */
lw_status lw_object_places_make_room(lw_object_places *places);

static inline size_t lw_object_places_place(const void *entry)
{
    return (size_t)(uintptr_t)entry - 1;
}

static inline void *lw_object_places_entry(size_t place)
{
    return (void *)(uintptr_t)(place + 1);
}

/* The object of |key|, borrowed; NULL: there is none. */
static inline lw_object *lw_object_places_get(const lw_object_places *places, lw_key key)
{
    void *entry = lw_map_get(&places->map, &key);
    return entry ? places->objects[lw_object_places_place(entry)] : NULL;
}

#endif
