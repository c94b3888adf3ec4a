/* SPDX-License-Identifier: Apache-2.0 */
/* resource_cache.c -- the result of the last discovery, and copies of the resources that were
 * returned.
 *
 * A set is freed when the next one replaces it.  Programs may use an lw_resource as long as the
 * client, so each resource that is returned is copied once. */
#include "client/resource_cache.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "object/gvk.h"

/* A resource; its strings follow the struct. */
typedef struct handed_out {
    lw_resource resource;
} handed_out;

static uint64_t hash_resource(const void *key, lw_hash_seed seed)
{
    const lw_resource *resource = key;
    return lw_map__str_hash(&resource->gvr.resource, seed);
}

static bool has_resource(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_resource *a = &((const handed_out *)entry)->resource;
    const lw_resource *b = key;
    (void)type;
    return lw_gvr_equal(a->gvr, b->gvr) && lw_str_equal(a->kind, b->kind) &&
           a->is_namespaced == b->is_namespaced;
}

static const lw_map_type by_resource = { hash_resource, has_resource, 0 };

void lw_resource_cache_init(lw_resource_cache *cache)
{
    *cache = (lw_resource_cache){ .gap = LW_ERROR_INIT };
    lw_mutex_init(&cache->mu);
    lw_map_init(&cache->handed_out, &by_resource, lw_hash_seed_random(),
                LW_RESOURCE_CACHE_HANDED_OUT);
}

void lw_resource_cache_done(lw_resource_cache *cache)
{
    lw_map_cursor at = lw_map_begin(&cache->handed_out);
    for (handed_out *out; (out = lw_map_next(&cache->handed_out, &at));)
        lw_free(out);
    lw_map_done(&cache->handed_out);
    lw_resource_set_free(cache->set);
    lw_resource_set_free(cache->old);
    lw_mutex_done(&cache->mu);
}

/* Copies |text| to |*at| with a NUL, for programs that print it as a string. */
static lw_str place(char **at, lw_str text)
{
    char *start = *at;
    if (text.len > 0)
        memcpy(start, text.ptr, text.len);
    start[text.len] = '\0';
    *at += text.len + 1;
    return lw_str_make(start, text.len);
}

static handed_out *copy_resource(const lw_resource *resource)
{
    const lw_gvr *gvr = &resource->gvr;
    size_t text = gvr->group.len + gvr->version.len + gvr->resource.len + resource->kind.len + 4;
    handed_out *copy = lw_alloc(sizeof(*copy) + text);
    if (!copy)
        return NULL;
    char *at = (char *)(copy + 1);
    copy->resource.gvr.group = place(&at, gvr->group);
    copy->resource.gvr.version = place(&at, gvr->version);
    copy->resource.gvr.resource = place(&at, gvr->resource);
    copy->resource.kind = place(&at, resource->kind);
    copy->resource.is_namespaced = resource->is_namespaced;
    return copy;
}

static lw_status hand_out_locked(lw_resource_cache *cache, const lw_resource *resource,
                                 lw_resource *out)
{
    handed_out *copy = lw_map_get(&cache->handed_out, resource);
    if (!copy) {
        void *replaced;
        copy = copy_resource(resource);
        if (!copy)
            return LW_ERR_NOMEM;
        lw_status st = lw_map_put(&cache->handed_out, &copy->resource, copy, &replaced);
        if (st < 0) {
            lw_free(copy);
            return st;
        }
    }
    *out = copy->resource;
    return LW_OK;
}

static lw_status say_not_found(const lw_resource_question *question, lw_error *err)
{
    if (question->name)
        return lw_error_set(err, LW_ERR_NOT_FOUND, "the server doesn't have a resource type \"%s\"",
                            question->name);
    const lw_gvk *gvk = &question->gvk;
    return lw_error_set(err, LW_ERR_NOT_FOUND,
                        "no matches for kind \"%.*s\" in version \"%.*s%s%.*s\"",
                        LW_STR_ARG(gvk->kind), LW_STR_ARG(gvk->group),
                        gvk->group.len > 0 ? "/" : "", LW_STR_ARG(gvk->version));
}

static const lw_resource *find_in(const lw_resource_set *set, const lw_resource_question *question)
{
    if (!set)
        return NULL;
    if (question->name)
        return lw_resource_set_find(set, lw_str_of(question->name));
    return lw_resource_set_find_kind(set, question->gvk);
}

static lw_status find_locked(lw_resource_cache *cache, const lw_resource_question *question,
                             lw_resource *out, lw_error *err)
{
    const lw_resource *found = find_in(cache->set, question);
    if (!found)
        found = find_in(cache->old, question);
    if (found) {
        lw_status st = hand_out_locked(cache, found, out);
        if (st == LW_ERR_LIMIT)
            return lw_error_set(err, st, "more than %d different resources were looked up",
                                LW_RESOURCE_CACHE_HANDED_OUT);
        return st < 0 ? lw_error_nomem(err) : LW_OK;
    }
    if (cache->gap.code < 0) {
        if (err)
            *err = cache->gap;
        return cache->gap.code;
    }
    return say_not_found(question, err);
}

lw_status lw_resource_cache_find(lw_resource_cache *cache, const lw_resource_question *question,
                                 lw_resource *out, lw_error *err)
{
    lw_mutex_lock(&cache->mu);
    lw_status st = find_locked(cache, question, out, err);
    lw_mutex_unlock(&cache->mu);
    return st;
}

void lw_resource_cache_replace_take(lw_resource_cache *cache, lw_resource_set *set,
                                    const lw_error *gap)
{
    lw_resource_set *dropped[2] = { NULL, NULL };
    lw_mutex_lock(&cache->mu);
    bool had_gap = cache->gap.code < 0;
    if (gap && !had_gap) {
        dropped[0] = cache->old;
        cache->old = cache->set;
    } else {
        dropped[0] = cache->set;
    }
    if (!gap) {
        dropped[1] = cache->old;
        cache->old = NULL;
    }
    cache->set = set;
    cache->gap = gap ? *gap : (lw_error)LW_ERROR_INIT;
    lw_mutex_unlock(&cache->mu);
    lw_resource_set_free(dropped[0]);
    lw_resource_set_free(dropped[1]);
}
