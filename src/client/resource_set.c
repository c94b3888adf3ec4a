/* SPDX-License-Identifier: Apache-2.0 */
/* resource_set.c -- resources in the order of preference, each in one block with its strings.
 *
 * A search is linear: there are a few hundred resources, and a program searches rarely. */
#include "client/resource_set.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"

typedef struct set_item {
    uint64_t rank;
    size_t arrival;
    lw_resource resource; /* the strings of all three follow the struct */
    lw_str singular;
    size_t short_name_count;
    lw_str short_names[];
} set_item;

struct lw_resource_set {
    set_item **items;
    size_t count;
    size_t cap;
};

lw_status lw_resource_set_new(lw_resource_set **out)
{
    lw_resource_set *set = lw_alloc_zero(1, sizeof(*set));
    if (!set)
        return LW_ERR_NOMEM;
    *out = set;
    return LW_OK;
}

void lw_resource_set_free(lw_resource_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        lw_free(set->items[i]);
    lw_free(set->items);
    lw_free(set);
}

static lw_status set_make_room(lw_resource_set *set)
{
    if (set->count < set->cap)
        return LW_OK;
    if (set->count >= LW_RESOURCE_SET_MAX)
        return LW_ERR_LIMIT;
    size_t cap = set->cap ? 2 * set->cap : 64;
    set_item **items = lw_realloc_array(set->items, cap, sizeof(set_item *));
    if (!items)
        return LW_ERR_NOMEM;
    set->items = items;
    set->cap = cap;
    return LW_OK;
}

/* Copies |text| to |*at| and advances it. */
static lw_str place(char **at, lw_str text)
{
    lw_str placed = lw_str_make(*at, text.len);
    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return placed;
}

static size_t bytes_of(const lw_resource_entry *entry)
{
    const lw_resource *resource = &entry->resource;
    size_t bytes = resource->gvr.group.len + resource->gvr.version.len +
                   resource->gvr.resource.len + resource->kind.len + entry->singular.len;
    for (size_t i = 0; i < entry->short_name_count; i++)
        bytes += entry->short_names[i].len;
    return bytes;
}

static set_item *item_new(const lw_resource_entry *entry)
{
    size_t head = sizeof(set_item) + entry->short_name_count * sizeof(lw_str);
    set_item *item = lw_alloc(head + bytes_of(entry));
    if (!item)
        return NULL;
    char *at = (char *)item + head;
    item->resource.gvr.group = place(&at, entry->resource.gvr.group);
    item->resource.gvr.version = place(&at, entry->resource.gvr.version);
    item->resource.gvr.resource = place(&at, entry->resource.gvr.resource);
    item->resource.kind = place(&at, entry->resource.kind);
    item->resource.is_namespaced = entry->resource.is_namespaced;
    item->singular = place(&at, entry->singular);
    item->short_name_count = entry->short_name_count;
    for (size_t i = 0; i < entry->short_name_count; i++)
        item->short_names[i] = place(&at, entry->short_names[i]);
    return item;
}

lw_status lw_resource_set_add(lw_resource_set *set, uint64_t rank, const lw_resource_entry *entry)
{
    lw_status st = set_make_room(set);
    if (st < 0)
        return st;
    set_item *item = item_new(entry);
    if (!item)
        return LW_ERR_NOMEM;
    item->rank = rank;
    item->arrival = set->count;
    set->items[set->count++] = item;
    return LW_OK;
}

static int compare_items(const void *a, const void *b)
{
    const set_item *x = *(set_item *const *)a;
    const set_item *y = *(set_item *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

void lw_resource_set_order(lw_resource_set *set)
{
    if (set->count > 0)
        qsort(set->items, set->count, sizeof(set_item *), compare_items);
}

size_t lw_resource_set_count(const lw_resource_set *set)
{
    return set->count;
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equals_any_case(lw_str a, lw_str b)
{
    if (a.len != b.len || a.len == 0)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (to_lower(a.ptr[i]) != to_lower(b.ptr[i]))
            return false;
    }
    return true;
}

/* The kinds of names of a resource, the strongest first: a short name never hides a resource with
 * that name. */
typedef enum name_use {
    BY_NAME,
    BY_SHORT_NAME,
    BY_KIND,
    NAME_USES
} name_use;

static bool item_is_called(const set_item *item, name_use use, lw_str name)
{
    if (use == BY_NAME)
        return equals_any_case(item->resource.gvr.resource, name) ||
               equals_any_case(item->singular, name);
    if (use == BY_KIND)
        return equals_any_case(item->resource.kind, name);
    for (size_t i = 0; i < item->short_name_count; i++) {
        if (equals_any_case(item->short_names[i], name))
            return true;
    }
    return false;
}

/* How the group was specified. */
typedef enum group_use {
    GROUP_ANY,
    GROUP_EXACT,
    GROUP_PREFIX
} group_use;

static bool item_is_of_group(const set_item *item, group_use use, lw_str group)
{
    if (use == GROUP_ANY)
        return true;
    lw_str of_item = item->resource.gvr.group;
    return use == GROUP_EXACT ? lw_str_equal(of_item, group) : lw_str_starts_with(of_item, group);
}

static const lw_resource *set_search(const lw_resource_set *set, lw_gvr gvr, group_use use)
{
    for (int by = 0; by < NAME_USES; by++) {
        for (size_t i = 0; i < set->count; i++) {
            const set_item *item = set->items[i];
            if (gvr.version.len > 0 && !lw_str_equal(item->resource.gvr.version, gvr.version))
                continue;
            if (item_is_of_group(item, use, gvr.group) &&
                item_is_called(item, (name_use)by, gvr.resource))
                return &item->resource;
        }
    }
    return NULL;
}

const lw_resource *lw_resource_set_find(const lw_resource_set *set, lw_str text)
{
    lw_gvr unversioned, versioned;
    const lw_resource *found = NULL;
    if (lw_gvr_parse(text, &unversioned, &versioned))
        found = set_search(set, versioned, GROUP_EXACT);
    if (!found && unversioned.group.len == 0)
        return set_search(set, unversioned, GROUP_ANY);
    if (!found)
        found = set_search(set, unversioned, GROUP_EXACT);
    return found ? found : set_search(set, unversioned, GROUP_PREFIX);
}

const lw_resource *lw_resource_set_find_kind(const lw_resource_set *set, lw_gvk gvk)
{
    for (size_t i = 0; i < set->count; i++) {
        const lw_resource *resource = &set->items[i]->resource;
        if (gvk.version.len > 0 && !lw_str_equal(resource->gvr.version, gvk.version))
            continue;
        if (lw_str_equal(resource->gvr.group, gvk.group) && lw_str_equal(resource->kind, gvk.kind))
            return resource;
    }
    return NULL;
}
