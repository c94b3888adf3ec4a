/* SPDX-License-Identifier: Apache-2.0 */
/* eval_fold.c -- macros that iterate over a list or map.  An iteration costs as much as in cel-go's
 * expansion of the macro. */
#include "cel/expr.h"
#include "cel/price.h"

enum {
    ROOM_FIRST = 8,
};

/* A growing array of values. */
typedef struct values {
    lw_cel_value *at;
    size_t count, room;
} values;

typedef struct entries {
    lw_cel_entry *at;
    size_t count, room;
} entries;

/* Makes room for one more element in |at|, which has |count| elements of |size|. */
static void *grow(lw_cel_run *run, const void *at, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? *room * 2 : ROOM_FIRST;
    void *more = lw_arena_take_zero(&run->arena, wanted, size);
    if (!more)
        return NULL;
    if (count > 0)
        memcpy(more, at, count * size);
    *room = wanted;
    return more;
}

static void values_add(lw_cel_run *run, values *list, lw_cel_value value)
{
    if (list->count == list->room) {
        lw_cel_value *more = grow(run, list->at, list->count, &list->room, sizeof(*more));
        if (!more)
            return;
        list->at = more;
    }
    list->at[list->count++] = value;
}

static void entries_add(lw_cel_run *run, entries *list, lw_cel_entry entry)
{
    if (list->count == list->room) {
        lw_cel_entry *more = grow(run, list->at, list->count, &list->room, sizeof(*more));
        if (!more)
            return;
        list->at = more;
    }
    list->at[list->count++] = entry;
}

/* Sets the variables for iteration |index|. */
static lw_cel_value enter(lw_cel_run *run, const lw_cel_expr *expr, const lw_cel_value *range,
                          size_t index)
{
    lw_cel_value *slots = &run->slots[expr->fold.slot];
    bool is_map = range->kind == LW_CEL_MAP;
    if (!expr->fold.has_two) {
        slots[0] = is_map ? lw_cel_key_at(range, index) : lw_cel_item(run, range, index);
        return slots[0];
    }
    slots[0] = is_map ? lw_cel_key_at(range, index) : lw_cel_of_int((int64_t)index);
    slots[1] = is_map ? lw_cel_value_at(run, range, index) : lw_cel_item(run, range, index);
    return slots[1];
}

/* all and exists: && and || of all iterations. */
static lw_cel_value fold_logic(lw_cel_run *run, const lw_cel_expr *expr, const lw_cel_value *range,
                               bool decides)
{
    lw_cel_value result = lw_cel_of_bool(!decides);
    uint64_t turn = decides ? 4 : 3;
    for (size_t i = 0; i < lw_cel_size(range) && lw_cel_charge(run, turn); i++) {
        lw_cel_value item = enter(run, expr, range, i);
        lw_cel_value truth = lw_cel_is_error(&item) ? item : lw_cel_eval_expr(run, expr->args[1]);
        if (lw_cel_is_over(run))
            break;
        if (truth.kind == LW_CEL_BOOL && truth.boolean == decides)
            return truth;
        if (truth.kind != LW_CEL_BOOL && !lw_cel_is_error(&result))
            result = lw_cel_is_error(&truth) ? truth : lw_cel_no_overload(run);
    }
    return lw_cel_charge(run, 1) ? result : lw_cel_over(run);
}

/* True if |truth| is a bool; else |*error| is the result of the macro. */
static bool is_truth(lw_cel_run *run, const lw_cel_value *truth, lw_cel_value *error)
{
    if (truth->kind == LW_CEL_BOOL)
        return true;
    *error = lw_cel_is_error(truth) ? *truth : lw_cel_no_overload(run);
    return false;
}

static lw_cel_value fold_count(lw_cel_run *run, const lw_cel_expr *expr, const lw_cel_value *range)
{
    size_t count = 0;
    lw_cel_value error;
    for (size_t i = 0; i < lw_cel_size(range) && lw_cel_charge(run, 2); i++) {
        lw_cel_value item = enter(run, expr, range, i);
        lw_cel_value truth = lw_cel_is_error(&item) ? item : lw_cel_eval_expr(run, expr->args[1]);
        if (!is_truth(run, &truth, &error))
            return error;
        count += truth.boolean;
    }
    return lw_cel_charge(run, 2) ? lw_cel_of_bool(count == 1) : lw_cel_over(run);
}

/* The result of map, filter and the transformations. */
typedef struct collection {
    values list;
    entries map;
} collection;

static lw_cel_value add_entries(lw_cel_run *run, collection *out, const lw_cel_value *map)
{
    if (map->kind != LW_CEL_MAP)
        return lw_cel_no_overload(run);
    for (size_t i = 0; i < lw_cel_size(map) && !lw_cel_is_over(run); i++) {
        lw_cel_value so_far = { .kind = LW_CEL_MAP, .map = { out->map.at, out->map.count } };
        lw_cel_entry entry = { lw_cel_key_at(map, i), lw_cel_value_at(run, map, i) };
        lw_cel_value before;
        if (lw_cel_lookup(run, &so_far, &entry.key, &before))
            return lw_cel_fail(run, "insert failed: key already exists");
        entries_add(run, &out->map, entry);
    }
    return lw_cel_of_null();
}

/* Runs one iteration; an ERROR ends the macro. */
static lw_cel_value collect(lw_cel_run *run, const lw_cel_expr *expr, const lw_cel_value *item,
                            collection *out)
{
    const lw_cel_value *slots = &run->slots[expr->fold.slot];
    const lw_cel_expr *when =
        expr->fold.macro == LW_CEL_FOLD_FILTER ? expr->args[1] : expr->fold.when;
    lw_cel_value error;
    if (when) {
        lw_cel_value truth = lw_cel_eval_expr(run, when);
        if (!is_truth(run, &truth, &error))
            return error;
        if (!truth.boolean)
            return truth;
    }
    if (expr->fold.macro == LW_CEL_FOLD_FILTER) {
        values_add(run, &out->list, *item);
        return *item;
    }
    lw_cel_value key = slots[0], made = lw_cel_eval_expr(run, expr->args[1]);
    if (lw_cel_is_error(&made))
        return made;
    if (expr->fold.macro == LW_CEL_FOLD_MAP)
        values_add(run, &out->list, made);
    else if (expr->fold.macro == LW_CEL_FOLD_TRANSFORM_MAP)
        entries_add(run, &out->map, (lw_cel_entry){ key, made });
    else
        return add_entries(run, out, &made);
    return made;
}

static lw_cel_value fold_collect(lw_cel_run *run, const lw_cel_expr *expr,
                                 const lw_cel_value *range)
{
    collection out = { { 0 }, { 0 } };
    bool is_list = expr->fold.macro == LW_CEL_FOLD_MAP || expr->fold.macro == LW_CEL_FOLD_FILTER;
    /* In cel-go each iteration makes a list or map with one element and adds it. */
    uint64_t turn = 2 + (is_list ? LW_CEL_COST_LIST : LW_CEL_COST_MAP);
    for (size_t i = 0; i < lw_cel_size(range) && lw_cel_charge(run, turn); i++) {
        lw_cel_value item = enter(run, expr, range, i);
        lw_cel_value made = lw_cel_is_error(&item) ? item : collect(run, expr, &item, &out);
        if (lw_cel_is_error(&made))
            return made;
    }
    if (!lw_cel_charge(run, 1))
        return lw_cel_over(run);
    if (is_list)
        return lw_cel_of_list(out.list.at, out.list.count);
    return (lw_cel_value){ .kind = LW_CEL_MAP, .map = { out.map.at, out.map.count } };
}

lw_cel_value lw_cel_eval_fold(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value range = lw_cel_eval_expr(run, expr->args[0]);
    if (lw_cel_is_error(&range))
        return range;
    if (range.kind != LW_CEL_LIST && range.kind != LW_CEL_MAP)
        return lw_cel_no_overload(run);
    switch (expr->fold.macro) {
    case LW_CEL_FOLD_ALL: return fold_logic(run, expr, &range, false);
    case LW_CEL_FOLD_EXISTS: return fold_logic(run, expr, &range, true);
    case LW_CEL_FOLD_EXISTS_ONE: return fold_count(run, expr, &range);
    default: return fold_collect(run, expr, &range);
    }
}
