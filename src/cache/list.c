/* SPDX-License-Identifier: Apache-2.0 */
/* list.c -- lists from the index.
 *
 * The lock is held only while the snapshot is taken; the walk is over that snapshot, which never
 * changes. */
#include "cache/list.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cache/filter.h"
#include "cache/index/index.h"
#include "cache/resource.h"
#include "object/compact/compact.h"
#include "object/object.h"

enum {
    FEWEST_SLOTS = 16,
    SAMPLES = 64, /* objects whose size is read to estimate that of a list */
};

void lw_list_builder_init(lw_list_builder *builder, const lw_cache_filter *filter, size_t limit)
{
    *builder = (lw_list_builder){
        .filter = filter,
        .scope = lw_scope_of(filter),
        .has_selectors = lw_filter_has_selectors(filter),
        .limit = limit,
    };
}

void lw_list_builder_done(lw_list_builder *builder)
{
    lw_cache_list_done(&builder->list);
    builder->cap = 0;
}

bool lw_list_builder_is_full(const lw_list_builder *builder)
{
    return builder->limit > 0 && builder->list.count == builder->limit;
}

/* Allocates space for |count| objects. */
static lw_status builder_reserve(lw_list_builder *builder, size_t count)
{
    if (count <= builder->cap)
        return LW_OK;
    lw_object **grown = lw_realloc_array(builder->list.objects, count, sizeof(lw_object *));
    if (!grown)
        return LW_ERR_NOMEM;
    builder->list.objects = grown;
    builder->cap = count;
    return LW_OK;
}

/* Sets |*out| to a reference to |obj|, which is packed and in scope, or to its open copy; NULL: it
 * is not selected. */
static lw_status select_packed(const lw_list_builder *builder, const lw_object *obj,
                               lw_object **out)
{
    bool selects = true;
    *out = NULL;
    if (builder->has_selectors && lw_filter_check(builder->filter, obj, &selects, out) < 0)
        return LW_ERR_NOMEM;
    if (!selects || *out)
        return LW_OK;
    *out = builder->filter->takes_packed ? lw_object_ref(obj) : lw_compact_open_ref(obj);
    return *out ? LW_OK : LW_ERR_NOMEM;
}

lw_status lw_list_builder_offer(lw_list_builder *builder, const lw_object *obj)
{
    lw_cache_list *list = &builder->list;
    lw_object *taken = NULL;
    if (!lw_scope_has(&builder->scope, obj))
        return LW_OK;
    if (obj->is_packed) {
        lw_status st = select_packed(builder, obj, &taken);
        if (st < 0 || !taken)
            return st;
    } else if (builder->has_selectors && !lw_filter_selects(builder->filter, obj)) {
        return LW_OK;
    }
    if (lw_list_builder_is_full(builder)) {
        list->has_more = true;
        list->remaining++;
        lw_object_unref(taken);
        return LW_OK;
    }
    if (list->count == builder->cap &&
        builder_reserve(builder, builder->cap ? builder->cap * 2 : FEWEST_SLOTS) < 0) {
        lw_object_unref(taken);
        return LW_ERR_NOMEM;
    }
    list->objects[list->count++] = taken ? taken : lw_object_ref(obj);
    return LW_OK;
}

bool lw_list_builder_is_done(const lw_list_builder *builder)
{
    if (!lw_list_builder_is_full(builder))
        return false;
    return builder->has_selectors ? builder->list.has_more : builder->scope.name.len == 0;
}

static lw_status build_from(lw_list_builder *builder, const lw_index *objects, lw_str start)
{
    size_t begin, end, first = lw_index_rank(objects, start);
    lw_scope_ranks(&builder->scope, objects, &begin, &end);
    if (begin < first)
        begin = first < end ? first : end;
    if (!builder->has_selectors && builder->scope.name.len == 0) {
        size_t count = end - begin;
        if (builder->limit > 0 && count > builder->limit)
            count = builder->limit;
        if (builder_reserve(builder, count) < 0)
            return LW_ERR_NOMEM;
    }
    lw_status st = LW_OK;
    lw_index_cursor at = lw_index_seek(objects, begin);
    while (st == LW_OK && at.rank < end && !lw_list_builder_is_done(builder))
        st = lw_list_builder_offer(builder, lw_index_next(objects, &at));
    if (st == LW_OK && !builder->has_selectors && at.rank < end) {
        builder->list.has_more = true;
        builder->list.remaining += end - at.rank;
    }
    if (builder->has_selectors)
        builder->list.remaining = 0;
    return st;
}

lw_status lw_cache_list_now(lw_cache_resource *resource, const lw_cache_filter *filter,
                            lw_str start, size_t limit, lw_cache_list *out, lw_error *err)
{
    lw_list_builder builder;
    lw_status st = lw_resource_begin_read(resource, err);
    if (st < 0)
        return st;
    lw_index objects = lw_index_snapshot(&resource->index);
    uint64_t revision = lw_resource_revision_locked(resource);
    lw_resource_end_read(resource);

    lw_list_builder_init(&builder, filter, limit);
    st = build_from(&builder, &objects, start);
    lw_index_done(&objects);
    if (st < 0) {
        lw_list_builder_done(&builder);
        return lw_error_nomem(err);
    }
    builder.list.revision = revision;
    *out = builder.list;
    return LW_OK;
}

/* Finishes |builder|: moves its list to |*out|, or frees it if |st| is an error, and returns
 * |st|. */
static lw_status finish(lw_list_builder *builder, lw_status st, uint64_t revision,
                        lw_cache_list *out)
{
    if (st < 0) {
        lw_list_builder_done(builder);
        return st;
    }
    builder->list.revision = revision;
    *out = builder->list;
    return LW_OK;
}

bool lw_cache_list_try_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                          size_t limit, uint64_t revision, lw_cache_list *out, lw_status *st,
                          lw_error *err)
{
    lw_list_builder builder;
    *st = lw_resource_begin_read(resource, err);
    if (*st < 0)
        return true;
    uint64_t current = lw_resource_revision_locked(resource);
    bool is_unchanged = resource->revision <= revision && revision <= current;
    lw_index objects = { 0 };
    if (is_unchanged)
        objects = lw_index_snapshot(&resource->index);
    lw_resource_end_read(resource);
    if (revision > current) {
        *st = lw_error_set(err, LW_ERR_TOO_LARGE_RV,
                           "Too large resource version: %" PRIu64 ", current: %" PRIu64, revision,
                           current);
        return true;
    }
    if (!is_unchanged)
        return false;
    lw_list_builder_init(&builder, filter, limit);
    lw_status built = build_from(&builder, &objects, start);
    lw_index_done(&objects);
    if (built < 0)
        (void)lw_error_nomem(err);
    *st = finish(&builder, built, revision, out);
    return true;
}

lw_status lw_cache_list_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                           size_t limit, uint64_t revision, lw_cache_list *out, lw_error *err)
{
    lw_list_builder builder;
    lw_status st;
    if (lw_cache_list_try_at(resource, filter, start, limit, revision, out, &st, err))
        return st;
    lw_list_builder_init(&builder, filter, limit);
    st = lw_list_from_store(resource, &builder, start, revision, err);
    return finish(&builder, st, revision, out);
}

/* Estimates the size of the objects from rank |begin| to |end| (exclusive) by some of them, which
 * are spread evenly; exact if there are few. */
static size_t estimate_bytes(const lw_index *objects, size_t begin, size_t end)
{
    size_t count = end - begin, sampled = 0;
    size_t samples = count < SAMPLES ? count : SAMPLES;
    for (size_t i = 0; i < samples; i++) {
        lw_index_cursor at = lw_index_seek(objects, begin + i * count / samples);
        sampled += lw_object__body_len(lw_index_next(objects, &at));
    }
    return samples > 0 ? sampled / samples * count : 0;
}

void lw_cache_measure(lw_cache_resource *resource, lw_str ns, size_t *objects, size_t *bytes)
{
    const lw_filter_scope scope = { .ns = ns };
    size_t begin, end;
    *objects = *bytes = 0;
    if (lw_resource_begin_read(resource, NULL) < 0)
        return;
    lw_scope_ranks(&scope, &resource->index, &begin, &end);
    *objects = end - begin;
    *bytes = *objects == lw_index_count(&resource->index)
                 ? resource->object_bytes
                 : estimate_bytes(&resource->index, begin, end);
    lw_resource_end_read(resource);
}

void lw_cache_list_done(lw_cache_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        lw_object_unref(list->objects[i]);
    lw_free(list->objects);
    *list = (lw_cache_list){ 0 };
}
