/* SPDX-License-Identifier: Apache-2.0 */
/* relations.c -- comparison, membership, indexing. */
#include "base/str.h"
#include "cel/functions.h"

lw_cel_value lw_cel_op_not(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(!args[0].boolean);
}

lw_cel_value lw_cel_op_equal(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_of_bool(lw_cel_equal(run, &args[0], &args[1]));
}

lw_cel_value lw_cel_op_unequal(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_of_bool(!lw_cel_equal(run, &args[0], &args[1]));
}

/* Comparisons with NaN are false. */
static bool order_is(const lw_cel_value *args, int low, int high)
{
    int order;
    if (!lw_cel_order(&args[0], &args[1], &order))
        return false;
    order = order < 0 ? -1 : order > 0;
    return order >= low && order <= high;
}

lw_cel_value lw_cel_op_less(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(order_is(args, -1, -1));
}

lw_cel_value lw_cel_op_less_equal(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(order_is(args, -1, 0));
}

lw_cel_value lw_cel_op_greater(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(order_is(args, 1, 1));
}

lw_cel_value lw_cel_op_greater_equal(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(order_is(args, 0, 1));
}

lw_cel_value lw_cel_op_in(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value found;
    (void)count;
    if (args[1].kind == LW_CEL_MAP)
        return lw_cel_of_bool(lw_cel_lookup(run, &args[1], &args[0], &found));
    for (size_t i = 0; i < lw_cel_size(&args[1]) && !lw_cel_is_over(run); i++) {
        lw_cel_value item = lw_cel_item(run, &args[1], i);
        if (lw_cel_equal(run, &item, &args[0]))
            return lw_cel_of_bool(true);
    }
    return lw_cel_of_bool(false);
}

/* Converts |index| to a position in a list; all integer kinds are allowed. */
static bool place_of(const lw_cel_value *index, size_t size, size_t *place)
{
    lw_cel_value zero = lw_cel_of_int(0), end = lw_cel_of_int((int64_t)size);
    int low, high;
    if (!lw_cel_order(index, &zero, &low) || !lw_cel_order(index, &end, &high) || low < 0 ||
        high >= 0)
        return false;
    if (index->kind == LW_CEL_DOUBLE) {
        *place = (size_t)index->real;
        return (double)*place == index->real;
    }
    *place = (size_t)index->natural;
    return true;
}

/* Finds the element or entry at |index|; false: |*out| is an error. */
static bool at_index(lw_cel_run *run, const lw_cel_value *container, const lw_cel_value *index,
                     lw_cel_value *out)
{
    size_t place;
    lw_buf text;
    if (container->kind == LW_CEL_LIST && place_of(index, lw_cel_size(container), &place)) {
        *out = lw_cel_item(run, container, place);
        return true;
    }
    if (container->kind == LW_CEL_MAP && lw_cel_lookup(run, container, index, out))
        return true;
    lw_buf_init(&text, LW_CEL_TEXT_MAX);
    (void)lw_cel_append_text(&text, index);
    if (text.st < 0 && run->st == LW_OK)
        run->st = text.st;
    *out = lw_cel_fail(run,
                       container->kind == LW_CEL_LIST ? "index out of bounds: %.*s"
                                                      : "no such key: %.*s",
                       LW_STR_ARG(lw_buf_view(&text)));
    lw_buf_done(&text);
    return false;
}

lw_cel_value lw_cel_op_index(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value found;
    if (args[0].kind == LW_CEL_OPTIONAL)
        return lw_cel_op_opt_index(run, args, count);
    (void)at_index(run, &args[0], &args[1], &found);
    return found;
}

lw_cel_value lw_cel_op_opt_index(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value found;
    const lw_cel_value *container = &args[0];
    (void)count;
    if (container->kind == LW_CEL_OPTIONAL)
        container = container->inner;
    if (!container || !at_index(run, container, &args[1], &found))
        return lw_cel_none();
    return lw_cel_is_error(&found) ? found : lw_cel_some(run, found);
}

lw_cel_value lw_cel_fn_size(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    if (args[0].kind == LW_CEL_STRING)
        (void)lw_cel_charge_work(run, args[0].text.len / 16);
    return lw_cel_of_int((int64_t)lw_cel_size(&args[0]));
}
