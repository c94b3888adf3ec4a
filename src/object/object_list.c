/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.c -- an array of references with a limit. */
#include "object/object_list.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"

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
