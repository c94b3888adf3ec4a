/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_cache.c -- converted objects, the least recently used first to go. */
#include "api/conversion/conversion_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/object.h"

enum {
    KEY_SIZE = 512,
};

typedef struct entry {
    lw_dlist_node link;
    lw_str key; /* a view of |text| */
    lw_object *object;
    size_t bytes;
    char text[];
} entry;

static const lw_map_type by_key = LW_MAP_STR_TYPE(entry, key);

void lw_conversion_cache_init(lw_conversion_cache *cache, size_t max)
{
    *cache = (lw_conversion_cache){ .max = max };
    lw_mutex_init(&cache->mu);
    lw_map_init(&cache->entries, &by_key, lw_hash_seed_random(), LW_CONVERSION_CACHE_ENTRIES);
    lw_dlist_init(&cache->order);
}

static void entry_free(entry *e)
{
    lw_object_unref(e->object);
    lw_free(e);
}

/* Takes the first entries out until |room| more bytes fit; they are appended to |gone|. */
static void evict_locked(lw_conversion_cache *cache, size_t room, lw_dlist *gone)
{
    while (lw_map_count(&cache->entries) > 0 &&
           (cache->bytes + room > cache->max ||
            lw_map_count(&cache->entries) >= LW_CONVERSION_CACHE_ENTRIES)) {
        entry *e = LW_DLIST_ITEM(lw_dlist_pop_front(&cache->order), entry, link);
        (void)lw_map_remove(&cache->entries, &e->key);
        cache->bytes -= e->bytes;
        lw_dlist_push_back(gone, &e->link);
    }
}

static void free_all(lw_dlist *list)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(list));)
        entry_free(LW_DLIST_ITEM(node, entry, link));
}

void lw_conversion_cache_done(lw_conversion_cache *cache)
{
    free_all(&cache->order);
    lw_map_done(&cache->entries);
    lw_mutex_done(&cache->mu);
}

/* Writes "uid/rv/version"; empty: the object cannot be kept. */
static lw_str write_key(char key[KEY_SIZE], const lw_object *obj, lw_str version)
{
    const char *uid = lw_object_uid(obj);
    int len = uid[0] != '\0' && lw_object_revision(obj) > 0
                  ? snprintf(key, KEY_SIZE, "%s/%llu/%.*s", uid,
                             (unsigned long long)lw_object_revision(obj), LW_STR_ARG(version))
                  : 0;
    return len > 0 && len < KEY_SIZE ? lw_str_make(key, (size_t)len) : LW_STR("");
}

lw_object *lw_conversion_cache_get(lw_conversion_cache *cache, const lw_object *obj, lw_str version)
{
    char text[KEY_SIZE];
    lw_object *found = NULL;
    lw_str key = write_key(text, obj, version);
    if (key.len == 0)
        return NULL;
    lw_mutex_lock(&cache->mu);
    entry *e = lw_map_get_str(&cache->entries, key);
    if (e) {
        lw_dlist_remove(&e->link);
        lw_dlist_push_back(&cache->order, &e->link);
        found = lw_object_ref(e->object);
    }
    lw_mutex_unlock(&cache->mu);
    return found;
}

void lw_conversion_cache_put(lw_conversion_cache *cache, const lw_object *obj, lw_str version,
                             lw_object *converted)
{
    char text[KEY_SIZE];
    void *present = NULL;
    lw_dlist gone;
    lw_str key = write_key(text, obj, version);
    size_t bytes = sizeof(entry) + key.len + lw_object_json(converted).len;
    if (key.len == 0 || bytes > cache->max)
        return;
    entry *e = lw_alloc_zero(1, sizeof(*e) + key.len);
    if (!e)
        return;
    memcpy(e->text, key.ptr, key.len);
    e->key = lw_str_make(e->text, key.len);
    e->bytes = bytes;
    e->object = lw_object_ref(converted);
    lw_dlist_init(&gone);
    lw_mutex_lock(&cache->mu);
    evict_locked(cache, bytes, &gone);
    bool is_kept = lw_map_add(&cache->entries, &e->key, e, &present) == LW_OK && !present;
    if (is_kept) {
        lw_dlist_push_back(&cache->order, &e->link);
        cache->bytes += bytes;
    }
    lw_mutex_unlock(&cache->mu);
    if (!is_kept)
        entry_free(e);
    free_all(&gone);
}
