/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c -- functions of lists. */
#include <stdlib.h>

#include "cel/functions.h"

lw_cel_value lw_cel_fn_is_sorted(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    for (size_t i = 1; i < lw_cel_size(&args[0]) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value a = lw_cel_item(run, &args[0], i - 1), b = lw_cel_item(run, &args[0], i);
        int order;
        if (!lw_cel_order(&a, &b, &order))
            return lw_cel_no_overload(run);
        if (order > 0)
            return lw_cel_of_bool(false);
    }
    return lw_cel_of_bool(true);
}

static lw_cel_value sum(lw_cel_run *run, const lw_cel_value *list, lw_cel_kind kind)
{
    lw_cel_value pair[2] = { { .kind = (uint8_t)kind } };
    if (kind == LW_CEL_DOUBLE)
        pair[0].real = 0;
    for (size_t i = 0; i < lw_cel_size(list) && lw_cel_charge_work(run, 1); i++) {
        pair[1] = lw_cel_item(run, list, i);
        if (pair[1].kind != kind)
            return lw_cel_no_overload(run);
        pair[0] = lw_cel_op_add(run, pair, 2);
        if (lw_cel_is_error(&pair[0]))
            break;
    }
    return pair[0];
}

/* A list without a declared type matches every overload of sum: its first element decides. */
static lw_cel_value sum_of(lw_cel_run *run, const lw_cel_value *list, lw_cel_kind kind)
{
    if (lw_cel_size(list) > 0)
        kind = (lw_cel_kind)lw_cel_item(run, list, 0).kind;
    if (kind != LW_CEL_INT && kind != LW_CEL_UINT && kind != LW_CEL_DOUBLE &&
        kind != LW_CEL_DURATION)
        return lw_cel_no_overload(run);
    return sum(run, list, kind);
}

lw_cel_value lw_cel_fn_sum_ints(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return sum_of(run, &args[0], LW_CEL_INT);
}

lw_cel_value lw_cel_fn_sum_uints(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return sum_of(run, &args[0], LW_CEL_UINT);
}

lw_cel_value lw_cel_fn_sum_doubles(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return sum_of(run, &args[0], LW_CEL_DOUBLE);
}

lw_cel_value lw_cel_fn_sum_durations(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return sum_of(run, &args[0], LW_CEL_DURATION);
}

/* Returns the smallest element, or the largest if |sign| is -1. */
static lw_cel_value extreme(lw_cel_run *run, const lw_cel_value *list, int sign)
{
    size_t count = lw_cel_size(list);
    if (count == 0)
        return lw_cel_fail(run, "%s called on empty list", sign > 0 ? "min" : "max");
    lw_cel_value best = lw_cel_item(run, list, 0);
    for (size_t i = 1; i < count && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value item = lw_cel_item(run, list, i);
        int order;
        if (!lw_cel_order(&item, &best, &order))
            return lw_cel_no_overload(run);
        if (sign * order < 0)
            best = item;
    }
    return best;
}

lw_cel_value lw_cel_fn_min(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return extreme(run, &args[0], 1);
}

lw_cel_value lw_cel_fn_max(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return extreme(run, &args[0], -1);
}

lw_cel_value lw_cel_fn_list_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    for (size_t i = 0; i < lw_cel_size(&args[0]) && !lw_cel_is_over(run); i++) {
        lw_cel_value item = lw_cel_item(run, &args[0], i);
        if (lw_cel_equal(run, &item, &args[1]))
            return lw_cel_of_int((int64_t)i);
    }
    return lw_cel_of_int(-1);
}

lw_cel_value lw_cel_fn_list_last_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    for (size_t i = lw_cel_size(&args[0]); i-- > 0 && !lw_cel_is_over(run);) {
        lw_cel_value item = lw_cel_item(run, &args[0], i);
        if (lw_cel_equal(run, &item, &args[1]))
            return lw_cel_of_int((int64_t)i);
    }
    return lw_cel_of_int(-1);
}

/* Copies elements of |list| to the arena; NULL: out of memory. */
static lw_cel_value *copy_items(lw_cel_run *run, const lw_cel_value *list, size_t from,
                                size_t count)
{
    lw_cel_value *items = lw_arena_take_zero(&run->arena, count + 1, sizeof(*items));
    if (!items || !lw_cel_charge_work(run, count))
        return NULL;
    for (size_t i = 0; i < count; i++)
        items[i] = lw_cel_item(run, list, from + i);
    return items;
}

lw_cel_value lw_cel_fn_slice(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    int64_t from = args[1].integer, to = args[2].integer;
    (void)count;
    if (from < 0 || to < 0 || from > to || to > (int64_t)lw_cel_size(&args[0]))
        return lw_cel_fail(run, "cannot slice(%lld, %lld), list is length %zu", (long long)from,
                           (long long)to, lw_cel_size(&args[0]));
    lw_cel_value *items = copy_items(run, &args[0], (size_t)from, (size_t)(to - from));
    return items ? lw_cel_of_list(items, (size_t)(to - from)) : lw_cel_over(run);
}

/* Flattens |list| |depth| levels into |out|; returns the number of elements. */
static size_t flatten(lw_cel_run *run, const lw_cel_value *list, int64_t depth, lw_cel_value *out)
{
    size_t made = 0;
    for (size_t i = 0; i < lw_cel_size(list) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value item = lw_cel_item(run, list, i);
        if (item.kind == LW_CEL_LIST && depth > 0) {
            made += flatten(run, &item, depth - 1, out ? out + made : NULL);
            continue;
        }
        if (out)
            out[made] = item;
        made++;
    }
    return made;
}

lw_cel_value lw_cel_fn_flatten(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    int64_t depth = count > 1 ? args[1].integer : 1;
    if (depth < 0)
        return lw_cel_fail(run, "level must be non-negative");
    size_t made = flatten(run, &args[0], depth, NULL);
    lw_cel_value *items =
        lw_cel_is_over(run) ? NULL : lw_arena_take_zero(&run->arena, made + 1, sizeof(*items));
    if (!items)
        return lw_cel_over(run);
    (void)flatten(run, &args[0], depth, items);
    return lw_cel_of_list(items, made);
}

lw_cel_value lw_cel_fn_reverse(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]);
    lw_cel_value *items = copy_items(run, &args[0], 0, size);
    (void)count;
    if (!items)
        return lw_cel_over(run);
    for (size_t i = 0; i < size / 2; i++) {
        lw_cel_value swap = items[i];
        items[i] = items[size - 1 - i];
        items[size - 1 - i] = swap;
    }
    return lw_cel_of_list(items, size);
}

lw_cel_value lw_cel_fn_distinct(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]), kept = 0;
    lw_cel_value *items = copy_items(run, &args[0], 0, size);
    (void)count;
    for (size_t i = 0; items && i < size && !lw_cel_is_over(run); i++) {
        bool is_new = true;
        for (size_t k = 0; is_new && k < kept; k++)
            is_new = !lw_cel_equal(run, &items[k], &items[i]);
        if (is_new)
            items[kept++] = items[i];
    }
    return items ? lw_cel_of_list(items, kept) : lw_cel_over(run);
}

static int compare(const void *a, const void *b)
{
    int order = 0;
    (void)lw_cel_order(a, b, &order);
    return order;
}

lw_cel_value lw_cel_fn_sort(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]);
    lw_cel_value *items = copy_items(run, &args[0], 0, size);
    int order;
    (void)count;
    if (!items || !lw_cel_charge_work(run, size * 16))
        return lw_cel_over(run);
    for (size_t i = 1; i < size; i++) {
        if (!lw_cel_order(&items[0], &items[i], &order))
            return lw_cel_fail(run, "list elements must have the same type");
    }
    qsort(items, size, sizeof(*items), compare);
    return lw_cel_of_list(items, size);
}

/* An element with its key and its place, which decides between equal keys. */
typedef struct keyed {
    lw_cel_value key, item;
    size_t place;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *left = a, *right = b;
    int order = compare(&left->key, &right->key);
    if (order != 0)
        return order;
    return left->place < right->place ? -1 : left->place > right->place;
}

lw_cel_value lw_cel_fn_sort_by(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]);
    lw_cel_value *items = copy_items(run, &args[0], 0, size);
    keyed *all = lw_arena_take_zero(&run->arena, size + 1, sizeof(*all));
    int order;
    (void)count;
    if (!items || !all || !lw_cel_charge_work(run, size * 16))
        return lw_cel_over(run);
    for (size_t i = 0; i < size; i++) {
        all[i] = (keyed){ lw_cel_item(run, &args[1], i), items[i], i };
        if (i > 0 && !lw_cel_order(&all[0].key, &all[i].key, &order))
            return lw_cel_fail(run, "list elements must have the same type");
    }
    qsort(all, size, sizeof(*all), compare_keyed);
    for (size_t i = 0; i < size; i++)
        items[i] = all[i].item;
    return lw_cel_of_list(items, size);
}

lw_cel_value lw_cel_fn_range(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = args[0].integer > 0 ? (size_t)args[0].integer : 0;
    lw_cel_value *items = lw_arena_take_zero(&run->arena, size + 1, sizeof(*items));
    (void)count;
    if (!items || !lw_cel_charge(run, size))
        return lw_cel_over(run);
    for (size_t i = 0; i < size; i++)
        items[i] = lw_cel_of_int((int64_t)i);
    return lw_cel_of_list(items, size);
}

lw_cel_value lw_cel_fn_includes(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    if (args[0].kind != LW_CEL_LIST)
        return lw_cel_of_bool(lw_cel_equal(run, &args[0], &args[1]));
    lw_cel_value place = lw_cel_fn_list_index_of(run, args, count);
    return lw_cel_of_bool(place.integer >= 0);
}

lw_cel_value lw_cel_fn_first(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_size(&args[0]) > 0 ? lw_cel_some(run, lw_cel_item(run, &args[0], 0))
                                     : lw_cel_none();
}

lw_cel_value lw_cel_fn_last(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]);
    (void)count;
    return size > 0 ? lw_cel_some(run, lw_cel_item(run, &args[0], size - 1)) : lw_cel_none();
}

/* True if |list| contains |wanted|. */
static bool has(lw_cel_run *run, const lw_cel_value *list, const lw_cel_value *wanted)
{
    lw_cel_value args[2] = { *list, *wanted };
    return lw_cel_fn_list_index_of(run, args, 2).integer >= 0;
}

/* Returns how many elements of |some| are in |list|. */
static size_t count_in(lw_cel_run *run, const lw_cel_value *list, const lw_cel_value *some)
{
    size_t found = 0;
    for (size_t i = 0; i < lw_cel_size(some) && !lw_cel_is_over(run); i++) {
        lw_cel_value item = lw_cel_item(run, some, i);
        found += has(run, list, &item);
    }
    return found;
}

lw_cel_value lw_cel_fn_set_contains(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_of_bool(count_in(run, &args[0], &args[1]) == lw_cel_size(&args[1]));
}

lw_cel_value lw_cel_fn_set_equivalent(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_of_bool(count_in(run, &args[0], &args[1]) == lw_cel_size(&args[1]) &&
                          count_in(run, &args[1], &args[0]) == lw_cel_size(&args[0]));
}

lw_cel_value lw_cel_fn_set_intersects(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_of_bool(count_in(run, &args[0], &args[1]) > 0);
}
