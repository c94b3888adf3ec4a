/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.c -- lw_object_list, an array of references with a limit; the metadata of a list,
 * whose strings are in one block; and the items of a list, which get apiVersion and kind from the
 * list. */
#include "object/object_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "json/text.h"

enum {
    FIRST_CAPACITY = 16,
    PREFETCH = 8, /* objects are scattered in memory: number of objects to prefetch */
};

struct lw_object_list {
    lw_object **items;
    size_t count, capacity;
    size_t limit; /* |count| never exceeds this */
    lw_list_metadata_copy metadata;
};

lw_status lw_object_list_new(lw_object_list **out, size_t max_count)
{
    lw_object_list *list = lw_alloc_zero(1, sizeof(*list));
    if (!list)
        return LW_ERR_NOMEM;
    list->limit = max_count ? max_count : LW_OBJECT_LIST_MAX_COUNT;
    lw_list_metadata__init(&list->metadata);
    *out = list;
    return LW_OK;
}

void lw_object_list_free(lw_object_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++) {
        if (i + PREFETCH < list->count)
            __builtin_prefetch(list->items[i + PREFETCH], 1);
        lw_object_unref(list->items[i]);
    }
    lw_free(list->items);
    lw_list_metadata__done(&list->metadata);
    lw_free(list);
}

static lw_status list_grow(lw_object_list *list)
{
    size_t capacity = list->capacity ? list->capacity + list->capacity / 2 : FIRST_CAPACITY;
    if (capacity > list->limit)
        capacity = list->limit;
    lw_object **items = lw_realloc_array(list->items, capacity, sizeof(*items));
    if (!items)
        return LW_ERR_NOMEM;
    list->items = items;
    list->capacity = capacity;
    return LW_OK;
}

lw_status lw_object_list__append_take(lw_object_list *list, lw_object *obj)
{
    lw_status st = LW_OK;
    if (list->count == list->limit)
        st = LW_ERR_LIMIT;
    else if (list->count == list->capacity)
        st = list_grow(list);
    if (st < 0) {
        lw_object_unref(obj);
        return st;
    }
    list->items[list->count++] = obj;
    return LW_OK;
}

lw_status lw_object_list_append(lw_object_list *list, const lw_object *obj)
{
    return lw_object_list__append_take(list, lw_object_ref(obj));
}

lw_status lw_object_list__collect(const lw_object *obj, void *list, lw_error *err)
{
    lw_object_list *into = list;
    lw_status st = lw_object_list_append(into, obj);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "the list has more than %zu objects", into->limit);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

size_t lw_object_list_count(const lw_object_list *list)
{
    return list ? list->count : 0;
}

const lw_object *lw_object_list_at(const lw_object_list *list, size_t index)
{
    assert(index < list->count);
    return list->items[index];
}

static int compare_objects(const void *a, const void *b)
{
    static const lw_object_field order[] = { LW_OBJECT_NAMESPACE, LW_OBJECT_NAME, LW_OBJECT_KIND,
                                             LW_OBJECT_API_VERSION, LW_OBJECT_UID };
    const lw_object *x = *(lw_object *const *)a, *y = *(lw_object *const *)b;
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof(order) / sizeof(order[0]); i++)
        result = lw_str_compare(lw_object__field(x, order[i]), lw_object__field(y, order[i]));
    return result;
}

void lw_object_list_sort(lw_object_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(list->items[0]), compare_objects);
}

const lw_list_metadata *lw_object_list_metadata(const lw_object_list *list)
{
    return &list->metadata.view;
}

lw_status lw_object_list__set_metadata(lw_object_list *list, const lw_list_metadata *metadata)
{
    return lw_list_metadata__set(&list->metadata, metadata);
}

void lw_list_metadata__init(lw_list_metadata_copy *copy)
{
    *copy = (lw_list_metadata_copy){
        .view = { .api_version = "",
                  .kind = "",
                  .resource_version = "",
                  .continue_token = "",
                  .remaining_item_count = -1 },
    };
}

void lw_list_metadata__done(lw_list_metadata_copy *copy)
{
    lw_free(copy->block);
    lw_list_metadata__init(copy);
}

/* Copies |text|, decoded if |is_escaped|, to |*at| and advances it. */
static const char *put_text(char **at, lw_str text, bool is_escaped)
{
    char *start = *at;
    size_t len = text.len;
    if (is_escaped)
        len = lw_json_unescape(start, text);
    else if (len > 0)
        memcpy(start, text.ptr, len);
    start[len] = '\0';
    *at += len + 1;
    return start;
}

lw_status lw_list_metadata__set(lw_list_metadata_copy *copy, const lw_list_metadata *metadata)
{
    const lw_str texts[] = { lw_str_of(metadata->api_version), lw_str_of(metadata->kind),
                             lw_str_of(metadata->resource_version),
                             lw_str_of(metadata->continue_token) };
    size_t size = 0;
    for (size_t i = 0; i < 4; i++)
        size += texts[i].len + 1;
    char *block = lw_alloc(size), *at = block;
    if (!block)
        return LW_ERR_NOMEM;
    lw_list_metadata view = {
        .api_version = put_text(&at, texts[0], false),
        .kind = put_text(&at, texts[1], false),
        .resource_version = put_text(&at, texts[2], false),
        .continue_token = put_text(&at, texts[3], false),
        .remaining_item_count = metadata->remaining_item_count,
    };
    lw_free(copy->block);
    *copy = (lw_list_metadata_copy){ .view = view, .block = block };
    return LW_OK;
}

static const char *put_scanned(char **at, const lw_scan_envelope *envelope, lw_scan_text text)
{
    lw_str raw = text.is_present ? lw_str_make(envelope->json.ptr + text.at, text.len)
                                 : lw_str_make(NULL, 0);
    return put_text(at, raw, text.is_escaped);
}

lw_status lw_list_metadata__read(lw_list_metadata_copy *copy, const lw_scan_envelope *envelope)
{
    size_t size = (size_t)envelope->api_version.len + envelope->kind.len +
                  envelope->resource_version.len + envelope->continue_token.len + 4;
    char *block = lw_alloc(size), *at = block;
    if (!block)
        return LW_ERR_NOMEM;
    lw_list_metadata view = {
        .api_version = put_scanned(&at, envelope, envelope->api_version),
        .kind = put_scanned(&at, envelope, envelope->kind),
        .resource_version = put_scanned(&at, envelope, envelope->resource_version),
        .continue_token = put_scanned(&at, envelope, envelope->continue_token),
        .remaining_item_count = envelope->remaining_item_count,
    };
    lw_free(copy->block);
    *copy = (lw_list_metadata_copy){ .view = view, .block = block };
    return LW_OK;
}

void lw_list_items__init(lw_list_items *items)
{
    *items = (lw_list_items){ 0 };
    lw_list_metadata__init(&items->metadata);
}

void lw_list_items__done(lw_list_items *items)
{
    lw_list_metadata__done(&items->metadata);
    lw_list_items__init(items);
}

void lw_list_items__reset(lw_list_items *items)
{
    lw_list_items__done(items);
}

/* Returns "Pod" for a "PodList".  A plain "List" does not determine the kind of its items. */
static lw_str kind_of_items(const char *list_kind)
{
    const lw_str suffix = LW_STR("List");
    lw_str kind = lw_str_of(list_kind);
    if (!lw_str_ends_with(kind, suffix))
        return lw_str_make(NULL, 0);
    return lw_str_make(kind.ptr, kind.len - suffix.len);
}

/* Stores the metadata of the list before its first item. */
static lw_status items_begin(lw_list_items *items, const lw_scan_envelope *envelope)
{
    lw_status st = lw_list_metadata__read(&items->metadata, envelope);
    items->is_begun = st == LW_OK;
    return st;
}

lw_status lw_list_items__next(lw_list_items *items, const lw_scan_item *item,
                              lw_object_spare *spare, lw_object **out, lw_error *err)
{
    lw_status st = LW_OK;
    if (!items->is_begun)
        st = items_begin(items, item->envelope);
    if (st == LW_OK)
        st = lw_object__from_list_item(item, lw_str_of(items->metadata.view.api_version),
                                       kind_of_items(items->metadata.view.kind), spare, out);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_list_items__end(lw_list_items *items, const lw_scan_envelope *envelope, lw_error *err)
{
    items->is_begun = false;
    if (lw_list_metadata__read(&items->metadata, envelope) < 0)
        return lw_error_nomem(err);
    return LW_OK;
}
