/* SPDX-License-Identifier: Apache-2.0 */
/* list_past.c -- lists at past revisions, read from the store.
 *
 * The store is read in portions: a selector may drop most objects, and a long read would block the
 * store's writers. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cache/index/index.h"
#include "cache/list.h"
#include "cache/resource.h"
#include "cache/state.h"
#include "cache/value_parser.h"

enum {
    PORTION = 512, /* records per read */
    KEY_ROOM = 2 * LW_STORE_KEY_MAX + 1,
};

typedef struct past_read {
    lw_cache_resource *resource;
    lw_list_builder *builder;
    lw_value_parser parser;
    char start[KEY_ROOM]; /* start of the range */
    char end[KEY_ROOM];
    char last[LW_STORE_KEY_MAX]; /* last key read */
    size_t last_len;
    lw_store_range range;
} past_read;

/* Sets |*key| to the resource's prefix followed by |rest|, written to |storage|.  If it does not
 * fit, it is cut; the result is then longer than any key in the store. */
static void set_key(const past_read *read, lw_str rest, char *storage, lw_str *key)
{
    lw_str prefix = read->resource->prefix;
    size_t len = rest.len < LW_STORE_KEY_MAX ? rest.len : LW_STORE_KEY_MAX;
    memcpy(storage, prefix.ptr, prefix.len);
    if (len > 0)
        memcpy(storage + prefix.len, rest.ptr, len);
    *key = lw_str_make(storage, prefix.len + len);
}

/* Sets the range to the keys in scope, beginning with |start|.  False: there are none. */
static bool set_range(past_read *read, lw_str start)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key, under;
    lw_scope_extent extent =
        lw_scope_extent_of(&read->builder->scope, read->resource->is_namespaced, storage, &key);
    if (extent == LW_SCOPE_NOTHING)
        return false;
    set_key(read, lw_str_compare(start, key) > 0 ? start : key, read->start, &read->range.start);
    set_key(read, key, read->end, &under);
    if (extent == LW_SCOPE_ONE) {
        read->end[under.len] = '\0';
        read->range.end = lw_str_make(read->end, under.len + 1);
    } else {
        lw_store_prefix_end(under, read->end, &read->range.end);
    }
    return lw_str_compare(read->range.start, read->range.end) < 0;
}

static lw_status offer_record(const lw_store_record *record, void *arg, lw_error *err)
{
    past_read *read = arg;
    lw_object *obj = NULL;
    lw_status st = lw_value_parse(&read->parser, record, &obj, err);
    if (st < 0)
        return st;
    st = lw_list_builder_offer(read->builder, obj);
    lw_object_unref(obj);
    memcpy(read->last, record->key.ptr, record->key.len);
    read->last_len = record->key.len;
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Reads one portion.  Sets |*is_last| if nothing is left to read. */
static lw_status read_portion(past_read *read, bool *is_last, lw_error *err)
{
    lw_list_builder *builder = read->builder;
    lw_store_range_result result = { 0 };
    /* If every object in the range matches, the count of the store is the count of the list. */
    bool is_plain = builder->limit > 0 && !builder->has_selectors && builder->scope.name.len == 0;
    size_t room = builder->limit - builder->list.count;
    read->range.limit = is_plain && room < PORTION ? room : PORTION;
    read->range.is_counting = is_plain && read->range.limit == room;
    lw_status st =
        lw_store_read(read->resource->cache->store, &read->range, offer_record, read, &result, err);
    if (st < 0)
        return st;
    *is_last = !result.has_more || lw_list_builder_is_done(builder);
    if (result.has_more && is_plain && lw_list_builder_is_full(builder)) {
        builder->list.has_more = true;
        builder->list.remaining = result.remaining;
    }
    /* The next portion begins with the smallest possible key after the last one. */
    memcpy(read->start, read->last, read->last_len);
    read->start[read->last_len] = '\0';
    read->range.start = lw_str_make(read->start, read->last_len + 1);
    return LW_OK;
}

lw_status lw_list_from_store(lw_cache_resource *resource, lw_list_builder *builder, lw_str start,
                             uint64_t revision, lw_error *err)
{
    past_read read = { .resource = resource, .builder = builder };
    read.range.revision = revision;
    if (revision == 0) /* the store takes revision 0 as "now" */
        return lw_error_set(
            err, LW_ERR_EXPIRED,
            "resource version 0 is before the first change: there is no state to list");
    if (!set_range(&read, start))
        return LW_OK;
    lw_status st = lw_value_parser_init(&read.parser, err);
    bool is_last = false;
    while (st == LW_OK && !is_last)
        st = read_portion(&read, &is_last, err);
    lw_value_parser_done(&read.parser);
    if (builder->has_selectors)
        builder->list.remaining = 0;
    return st;
}
