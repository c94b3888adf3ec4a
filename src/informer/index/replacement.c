/* SPDX-License-Identifier: Apache-2.0 */
/* replacement.c -- objects in the order of arrival, with gaps until it is finished. */
#include "informer/index/replacement.h"

#include <assert.h>

#include "base/alloc.h"
#include "informer/index/object_places.h"

struct lw_replacement {
    lw_object_places places; /* with gaps where one was removed */
    size_t gaps;
    bool is_finished;
};

lw_status lw_replacement_new(lw_replacement **out)
{
    lw_replacement *replacement = lw_alloc_zero(1, sizeof(*replacement));
    if (!replacement)
        return LW_ERR_NOMEM;
    lw_object_places_init(&replacement->places);
    *out = replacement;
    return LW_OK;
}

void lw_replacement_free(lw_replacement *replacement)
{
    if (!replacement)
        return;
    lw_object_places_done(&replacement->places);
    lw_free(replacement);
}

lw_status lw_replacement_put(lw_replacement *replacement, const lw_object *obj)
{
    assert(!replacement->is_finished);
    lw_object_places *places = &replacement->places;
    lw_key key = lw_object_key(obj);
    void *present = NULL;
    /* Objects that are added and removed while a list is streamed leave gaps, which count towards
     * the limit. */
    lw_status st = lw_object_places_make_room(places);
    if (st == LW_OK)
        st = lw_map_add(&places->map, &key, lw_object_places_entry(places->count), &present);
    else
        present = lw_map_get(&places->map, &key); /* a replaced object needs no space */
    if (present) {
        lw_object **at = &places->objects[lw_object_places_place(present)];
        lw_object *old = *at;
        *at = lw_object_ref(obj);
        lw_object_unref(old);
        return LW_OK;
    }
    if (st < 0)
        return st;
    places->objects[places->count++] = lw_object_ref(obj);
    return LW_OK;
}

void lw_replacement_remove(lw_replacement *replacement, lw_key key)
{
    assert(!replacement->is_finished);
    void *entry = lw_map_remove(&replacement->places.map, &key);
    if (!entry)
        return;
    lw_object **at = &replacement->places.objects[lw_object_places_place(entry)];
    lw_object *old = *at;
    *at = NULL;
    replacement->gaps++;
    lw_object_unref(old);
}

lw_object *lw_replacement_get(const lw_replacement *replacement, lw_key key)
{
    assert(!replacement->is_finished);
    return lw_object_places_get(&replacement->places, key);
}

size_t lw_replacement_count(const lw_replacement *replacement)
{
    return replacement->places.count - replacement->gaps;
}

void lw_replacement_finish(lw_replacement *replacement)
{
    lw_object_places *places = &replacement->places;
    size_t kept = 0;
    for (size_t i = 0; i < places->count; i++) {
        if (places->objects[i])
            places->objects[kept++] = places->objects[i];
    }
    places->count = kept;
    replacement->gaps = 0;
    replacement->is_finished = true;
    lw_map_clear(&places->map);
}

const lw_object *lw_replacement_at(const lw_replacement *replacement, size_t index)
{
    assert(replacement->is_finished && index < replacement->places.count);
    return replacement->places.objects[index];
}

const lw_object *const *lw_replacement_objects(const lw_replacement *replacement)
{
    assert(replacement->is_finished);
    return (const lw_object *const *)replacement->places.objects;
}
