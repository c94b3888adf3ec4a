/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_order.c -- sorts the wanted elements and the others separately and merges the two. */
#include "schema/strategicpatch/strategic_order.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/strategicpatch/strategic_error.h"

typedef struct place {
    lw_node *element;
    bool is_wanted;
    size_t rank;   /* position among the wanted elements, or in the live list */
    size_t server; /* position in the live list */
    size_t at;     /* current position: the sort is stable */
} place;

static int compare_numbers(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->is_wanted != b->is_wanted)
        return a->is_wanted ? -1 : 1;
    int by_rank = compare_numbers(a->rank, b->rank);
    return by_rank ? by_rank : compare_numbers(a->at, b->at);
}

static lw_status find_place(lw_strategic_run *run, const lw_strategic_order *order, place *p)
{
    if (order->key.len > 0 && !lw_node_is(p->element, LW_JSON_OBJECT))
        return lw_strategic__bad_type(run, LW_GO_MAP, p->element);
    const lw_node *value = lw_element_value(p->element, order->key);
    if (!value)
        return lw_strategic__no_key(run, p->element, order->key);
    size_t wanted = lw_element_index_find(order->wanted, value);
    /* As in Kubernetes, the search stops at the first element that is not a map. */
    if (wanted >= order->wanted_bad && order->wanted_bad != LW_NO_POSITION)
        return lw_strategic__no_map(run, order->wanted_bad);
    p->server = lw_element_index_find(order->server, value);
    p->is_wanted = wanted != LW_NO_POSITION;
    p->rank = p->is_wanted ? wanted : p->server;
    return LW_OK;
}

static bool stood_before(const place *other, const place *wanted)
{
    return wanted->server != LW_NO_POSITION && other->server < wanted->server;
}

static void zip(lw_node *list, const place *places, size_t count)
{
    size_t wanted = 0, others = 0;
    while (others < count && places[others].is_wanted)
        others++;
    size_t wanted_end = others;
    for (size_t i = 0; i < count; i++) {
        bool takes_other = others < count &&
                           (wanted == wanted_end || stood_before(&places[others], &places[wanted]));
        lw_node_set_at(list, i, places[takes_other ? others++ : wanted++].element);
    }
}

lw_status lw_strategic__arrange(lw_strategic_run *run, lw_node *list,
                                const lw_strategic_order *order)
{
    size_t count = lw_node_count(list);
    lw_status st = LW_OK;
    place *places = lw_alloc_zero(count + 1, sizeof(*places));
    if (!places)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        places[i].element = lw_node_at(list, i);
        places[i].at = i;
        st = find_place(run, order, &places[i]);
    }
    if (st == LW_OK) {
        qsort(places, count, sizeof(*places), compare_places);
        zip(list, places, count);
    }
    lw_free(places);
    return st;
}

static bool is_marked(const lw_node *element)
{
    return lw_node_is(element, LW_JSON_OBJECT) && lw_node_get(element, LW_PATCH_DIRECTIVE);
}

/* Returns the position of the first element of |patch| at or after |at| that is not a deletion. */
static size_t skip_deletions(const lw_node *patch, size_t at, lw_str key)
{
    while (key.len > 0 && at < lw_node_count(patch)) {
        const lw_node *mark = lw_node_get(lw_node_at(patch, at), LW_PATCH_DIRECTIVE);
        if (!lw_node_is(mark, LW_JSON_STRING) ||
            !lw_str_equal(lw_node_text(mark), LW_STR("delete")))
            break;
        at++;
    }
    return at;
}

static lw_status same_element(lw_strategic_run *run, const lw_node *a, const lw_node *b, lw_str key,
                              bool *is_same)
{
    if (key.len > 0 && !lw_node_is(b, LW_JSON_OBJECT))
        return lw_strategic__bad_type(run, LW_GO_MAP, b);
    const lw_node *left = lw_element_value(a, key), *right = lw_element_value(b, key);
    if (!left || !right)
        return lw_strategic__no_key(run, left ? b : a, key);
    *is_same = lw_go_equal(left, right);
    return LW_OK;
}

lw_status lw_strategic__check_order(lw_strategic_run *run, const lw_node *patch,
                                    const lw_node *order, lw_str key)
{
    size_t count = lw_node_count(patch), order_count = lw_node_count(order);
    if (count == 0 || order_count == 0)
        return LW_OK;
    for (size_t i = 0; i < count && key.len > 0; i++) {
        if (!lw_node_is(lw_node_at(patch, i), LW_JSON_OBJECT))
            return lw_strategic__bad_type(run, LW_GO_MAP, lw_node_at(patch, i));
    }
    size_t at = skip_deletions(patch, 0, key), named = 0;
    while (at < count && named < order_count) {
        bool is_passed = is_marked(lw_node_at(patch, at));
        if (!is_passed) {
            lw_status st =
                same_element(run, lw_node_at(patch, at), lw_node_at(order, named), key, &is_passed);
            if (st < 0)
                return st;
            named++;
        }
        if (is_passed)
            at = skip_deletions(patch, at + 1, key);
    }
    return at < count ? lw_strategic__other_order(run, patch, order) : LW_OK;
}

lw_status lw_strategic__check_keys(lw_strategic_run *run, const lw_node *list, lw_str key)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *element = lw_node_at(list, i);
        if (!lw_node_is(element, LW_JSON_OBJECT))
            return lw_strategic__bad_type(run, LW_GO_MAP, element);
        if (!lw_node_get(element, key))
            return lw_strategic__no_key(run, element, key);
    }
    return LW_OK;
}
