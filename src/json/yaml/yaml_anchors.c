/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_anchors.c -- anchors by name: a sorted table, small because the number of anchors is
 * bounded. */
#include "json/yaml/yaml_anchors.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    FIRST_CAPACITY = 16,
};

void lw_yaml_anchors_init(lw_yaml_anchors *a)
{
    *a = (lw_yaml_anchors){ 0 };
}

void lw_yaml_anchors_done(lw_yaml_anchors *a)
{
    lw_free(a->all);
    lw_free(a->sorted);
    lw_yaml_anchors_init(a);
}

void lw_yaml_anchors_reset(lw_yaml_anchors *a)
{
    a->count = a->sorted_count = 0;
    a->nodes = a->aliased_nodes = 0;
}

/* Returns the index of |name| in |sorted|, or where to insert it. */
static int sorted_place(const lw_yaml_anchors *a, lw_str name, bool *is_there)
{
    int low = 0;
    int high = a->sorted_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = lw_str_compare(a->all[a->sorted[middle]].name, name);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *is_there = false;
    return low;
}

static lw_status anchors_grow(lw_yaml_anchors *a)
{
    if (a->count < a->cap)
        return LW_OK;
    if (a->count == LW_YAML_ANCHORS)
        return LW_ERR_LIMIT;
    int cap = a->cap ? a->cap * 2 : FIRST_CAPACITY;
    lw_yaml_anchor *all = lw_realloc_array(a->all, (size_t)cap, sizeof(*all));
    if (!all)
        return LW_ERR_NOMEM;
    a->all = all;
    int *sorted = lw_realloc_array(a->sorted, (size_t)cap, sizeof(*sorted));
    if (!sorted)
        return LW_ERR_NOMEM;
    a->sorted = sorted;
    a->cap = cap;
    return LW_OK;
}

lw_status lw_yaml_anchors_add(lw_yaml_anchors *a, lw_str name, int *out)
{
    lw_status st = anchors_grow(a);
    if (st < 0)
        return st;
    bool is_there;
    int place = sorted_place(a, name, &is_there);
    if (!is_there) {
        memmove(a->sorted + place + 1, a->sorted + place,
                (size_t)(a->sorted_count - place) * sizeof(*a->sorted));
        a->sorted_count++;
    }
    a->sorted[place] = a->count;
    a->all[a->count] = (lw_yaml_anchor){ .name = name };
    *out = a->count++;
    return LW_OK;
}

const lw_yaml_anchor *lw_yaml_anchors_find(const lw_yaml_anchors *a, lw_str name)
{
    bool is_there;
    int place = sorted_place(a, name, &is_there);
    return is_there ? &a->all[a->sorted[place]] : NULL;
}

/* Returns the share of |nodes| that may come from aliases. */
static double allowed_share(uint64_t nodes)
{
    static const double low = 400000;
    static const double high = 4000000;
    if ((double)nodes <= low)
        return 0.99;
    if ((double)nodes >= high)
        return 0.10;
    return 0.99 - 0.89 * (((double)nodes - low) / (high - low));
}

bool lw_yaml_anchors_count(lw_yaml_anchors *a, uint64_t nodes, bool is_aliased)
{
    a->nodes += nodes;
    if (is_aliased)
        a->aliased_nodes += nodes;
    return a->aliased_nodes <= 100 || a->nodes <= 1000 ||
           (double)a->aliased_nodes / (double)a->nodes <= allowed_share(a->nodes);
}
