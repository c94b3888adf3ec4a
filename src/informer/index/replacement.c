/* SPDX-License-Identifier: Apache-2.0 */
/* replacement.c -- objects in the order of arrival, with gaps until it is finished; or the index
 * that the cache will have. */
#include "informer/index/replacement.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/str.h"
#include "informer/index/object_index.h"
#include "informer/index/object_places.h"

struct lw_replacement {
    lw_object_places own;   /* if there is no index; with gaps where one was removed */
    lw_object_index *index; /* a reference, or NULL: it has the objects, without gaps */
    size_t gaps;
    bool is_finished;
};

lw_status lw_replacement_new(lw_replacement **out)
{
    lw_replacement *replacement = lw_alloc_zero(1, sizeof(*replacement));
    if (!replacement)
        return LW_ERR_NOMEM;
    lw_object_places_init(&replacement->own);
    *out = replacement;
    return LW_OK;
}

void lw_replacement_free(lw_replacement *replacement)
{
    if (!replacement)
        return;
    lw_object_index_unref(replacement->index);
    lw_object_places_done(&replacement->own);
    lw_free(replacement);
}

static const lw_object_places *places_of(const lw_replacement *replacement)
{
    return replacement->index ? &replacement->index->places : &replacement->own;
}

bool lw_replacement_can_take_index(const lw_replacement *replacement)
{
    return !replacement->index && replacement->own.count == 0 && !replacement->is_finished;
}

void lw_replacement_set_index_take(lw_replacement *replacement, lw_object_index *index)
{
    assert(lw_replacement_can_take_index(replacement));
    replacement->index = index;
}

lw_status lw_replacement_take_index(lw_replacement *replacement, lw_object_index **out)
{
    lw_object_index *index = replacement->index;
    assert(replacement->is_finished);
    *out = NULL;
    if (!index)
        return LW_OK;
    size_t count = index->places.count;
    lw_object **objects = lw_realloc_array(NULL, count + 1, sizeof(lw_object *));
    if (!objects)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        lw_object_places_prefetch(index->places.objects, i, count);
        objects[i] = lw_object_ref(index->places.objects[i]);
    }
    replacement->own.objects = objects;
    replacement->own.count = replacement->own.capacity = count;
    replacement->index = NULL;
    *out = index;
    return LW_OK;
}

lw_status lw_replacement_put_as(lw_replacement *replacement, const lw_object *obj,
                                const lw_object *kept)
{
    lw_object *old = NULL;
    if (!replacement->index)
        return lw_replacement_put(replacement, kept);
    lw_status st = lw_object_index_put_as(replacement->index, obj, kept, &old);
    if (st == LW_OK)
        lw_object_unref(old);
    return st;
}

lw_status lw_replacement_put(lw_replacement *replacement, const lw_object *obj)
{
    assert(!replacement->is_finished);
    if (replacement->index)
        return lw_replacement_put_as(replacement, obj, obj);
    lw_object_places *places = &replacement->own;
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
    if (replacement->index) {
        lw_object_unref(lw_object_index_remove(replacement->index, key));
        return;
    }
    void *entry = lw_map_remove(&replacement->own.map, &key);
    if (!entry)
        return;
    lw_object **at = &replacement->own.objects[lw_object_places_place(entry)];
    lw_object *old = *at;
    *at = NULL;
    replacement->gaps++;
    lw_object_unref(old);
}

lw_object *lw_replacement_get(const lw_replacement *replacement, lw_key key)
{
    assert(!replacement->is_finished);
    return lw_object_places_get(places_of(replacement), key);
}

size_t lw_replacement_count(const lw_replacement *replacement)
{
    return places_of(replacement)->count - replacement->gaps;
}

void lw_replacement_finish(lw_replacement *replacement)
{
    lw_object_places *places = &replacement->own;
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
    assert(replacement->is_finished && index < places_of(replacement)->count);
    return places_of(replacement)->objects[index];
}

const lw_object *const *lw_replacement_objects(const lw_replacement *replacement)
{
    assert(replacement->is_finished);
    return (const lw_object *const *)places_of(replacement)->objects;
}
