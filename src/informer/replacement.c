/* SPDX-License-Identifier: Apache-2.0 */
/* replacement.c -- an array of objects and a map from key to place in it.
 *
 * The map's entries are places, not pointers: entry p stands for objects[p - 1], so that a state of
 * a hundred thousand objects costs 8 bytes and a slot of the map each, and no block of its own. */
#include "informer/replacement.h"

#include <assert.h>

#include <listwatch/object_list.h>

#include "base/alloc.h"
#include "base/map.h"
#include "object/key.h"

enum {
    FIRST_CAPACITY = 64,
};

struct lw_replacement {
    lw_map_type type; /* of |places|; first, so that has_key finds the objects */
    lw_map places;
    lw_object **objects; /* NULL where one was removed */
    size_t count;        /* gaps too */
    size_t capacity;
    size_t gaps;
    bool is_finished;
};

static size_t place_of(const void *entry)
{
    return (size_t)(uintptr_t)entry - 1;
}

static void *entry_of(size_t place)
{
    return (void *)(uintptr_t)(place + 1);
}

static uint64_t key_hash(const void *key, lw_hash_seed seed)
{
    return lw_key_hash(seed, *(const lw_key *)key);
}

static bool object_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_replacement *replacement = (const lw_replacement *)type;
    const lw_object *obj = replacement->objects[place_of(entry)];
    return lw_key_equal(lw_object_key(obj), *(const lw_key *)key);
}

lw_status lw_replacement_new(lw_replacement **out)
{
    lw_replacement *replacement = lw_alloc_zero(1, sizeof(*replacement));
    if (!replacement)
        return LW_ERR_NOMEM;
    replacement->type = (lw_map_type){ .hash = key_hash, .has_key = object_has_key };
    lw_map_init(&replacement->places, &replacement->type, lw_hash_seed_random(),
                LW_OBJECT_LIST_MAX_COUNT);
    *out = replacement;
    return LW_OK;
}

void lw_replacement_free(lw_replacement *replacement)
{
    if (!replacement)
        return;
    for (size_t i = 0; i < replacement->count; i++)
        lw_object_unref(replacement->objects[i]);
    lw_free(replacement->objects);
    lw_map_done(&replacement->places);
    lw_free(replacement);
}

static lw_status make_room(lw_replacement *replacement)
{
    if (replacement->count < replacement->capacity)
        return LW_OK;
    /* Objects that come and go while a list is streamed leave gaps; they are bounded with it. */
    if (replacement->count >= LW_OBJECT_LIST_MAX_COUNT)
        return LW_ERR_LIMIT;
    size_t capacity = replacement->capacity + replacement->capacity / 2 + FIRST_CAPACITY;
    lw_object **objects = lw_realloc_array(replacement->objects, capacity, sizeof(*objects));
    if (!objects)
        return LW_ERR_NOMEM;
    replacement->objects = objects;
    replacement->capacity = capacity;
    return LW_OK;
}

lw_status lw_replacement_put(lw_replacement *replacement, const lw_object *obj)
{
    assert(!replacement->is_finished);
    lw_key key = lw_object_key(obj);
    void *present = NULL;
    lw_status st = make_room(replacement);
    if (st == LW_OK)
        st = lw_map_add(&replacement->places, &key, entry_of(replacement->count), &present);
    else
        present = lw_map_get(&replacement->places, &key); /* what replaces another needs no room */
    if (present) {
        lw_object *old = replacement->objects[place_of(present)];
        replacement->objects[place_of(present)] = lw_object_ref(obj);
        lw_object_unref(old);
        return LW_OK;
    }
    if (st < 0)
        return st;
    replacement->objects[replacement->count++] = lw_object_ref(obj);
    return LW_OK;
}

void lw_replacement_remove(lw_replacement *replacement, lw_key key)
{
    assert(!replacement->is_finished);
    void *entry = lw_map_remove(&replacement->places, &key);
    if (!entry)
        return;
    lw_object *old = replacement->objects[place_of(entry)];
    replacement->objects[place_of(entry)] = NULL;
    replacement->gaps++;
    lw_object_unref(old);
}

lw_object *lw_replacement_get(const lw_replacement *replacement, lw_key key)
{
    assert(!replacement->is_finished);
    void *entry = lw_map_get(&replacement->places, &key);
    return entry ? replacement->objects[place_of(entry)] : NULL;
}

size_t lw_replacement_count(const lw_replacement *replacement)
{
    return replacement->count - replacement->gaps;
}

void lw_replacement_finish(lw_replacement *replacement)
{
    size_t kept = 0;
    for (size_t i = 0; i < replacement->count; i++) {
        if (replacement->objects[i])
            replacement->objects[kept++] = replacement->objects[i];
    }
    replacement->count = kept;
    replacement->gaps = 0;
    replacement->is_finished = true;
    lw_map_clear(&replacement->places);
}

const lw_object *lw_replacement_at(const lw_replacement *replacement, size_t index)
{
    assert(replacement->is_finished && index < replacement->count);
    return replacement->objects[index];
}

const lw_object *const *lw_replacement_objects(const lw_replacement *replacement)
{
    assert(replacement->is_finished);
    return (const lw_object *const *)replacement->objects;
}
