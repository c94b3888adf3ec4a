/* SPDX-License-Identifier: Apache-2.0 */
/* operators.c -- arithmetic.  Overflow is an error. */
#include <math.h>

#include "base/str.h"
#include "cel/functions.h"

static lw_cel_value overflow(lw_cel_run *run, lw_cel_kind kind)
{
    switch (kind) {
    case LW_CEL_UINT: return lw_cel_fail(run, "unsigned integer overflow");
    case LW_CEL_TIMESTAMP: return lw_cel_fail(run, "timestamp overflow");
    case LW_CEL_DURATION: return lw_cel_fail(run, "duration overflow");
    default: return lw_cel_fail(run, "integer overflow");
    }
}

static lw_cel_value add_texts(lw_cel_run *run, const lw_cel_value *args)
{
    size_t left = args[0].text.len, right = args[1].text.len;
    char *both = lw_arena_take_zero(&run->arena, left + right + 1, 1);
    if (!both || !lw_cel_charge_work(run, (left + right) / 16))
        return lw_cel_over(run);
    if (left > 0)
        memcpy(both, args[0].text.ptr, left);
    if (right > 0)
        memcpy(both + left, args[1].text.ptr, right);
    lw_cel_value sum = args[0];
    sum.text = lw_str_make(both, left + right);
    return sum;
}

static lw_cel_value shift_time(lw_cel_run *run, lw_time time, int64_t ns)
{
    lw_cel_value moved = { .kind = LW_CEL_TIMESTAMP };
    return lw_cel_time_add(time, ns, &moved.time) ? moved : overflow(run, LW_CEL_TIMESTAMP);
}

lw_cel_value lw_cel_op_add(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value sum = args[0];
    (void)count;
    switch ((lw_cel_kind)args[0].kind) {
    case LW_CEL_DOUBLE: sum.real = args[0].real + args[1].real; return sum;
    case LW_CEL_UINT:
        return __builtin_add_overflow(args[0].natural, args[1].natural, &sum.natural)
                   ? overflow(run, LW_CEL_UINT)
                   : sum;
    case LW_CEL_STRING:
    case LW_CEL_BYTES: return add_texts(run, args);
    case LW_CEL_TIMESTAMP: return shift_time(run, args[0].time, args[1].integer);
    case LW_CEL_DURATION:
        if (args[1].kind == LW_CEL_TIMESTAMP)
            return shift_time(run, args[1].time, args[0].integer);
        break;
    default: break;
    }
    return __builtin_add_overflow(args[0].integer, args[1].integer, &sum.integer)
               ? overflow(run, args[0].kind)
               : sum;
}

static lw_cel_value between(lw_cel_run *run, lw_time later, lw_time earlier)
{
    lw_cel_value span = { .kind = LW_CEL_DURATION };
    int64_t seconds = later.s - earlier.s, ns;
    if (__builtin_mul_overflow(seconds, (int64_t)1000000000, &ns) ||
        __builtin_add_overflow(ns, (int64_t)later.ns - earlier.ns, &span.integer))
        return overflow(run, LW_CEL_DURATION);
    return span;
}

lw_cel_value lw_cel_op_subtract(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value rest = args[0];
    (void)count;
    switch ((lw_cel_kind)args[0].kind) {
    case LW_CEL_DOUBLE: rest.real = args[0].real - args[1].real; return rest;
    case LW_CEL_UINT:
        return __builtin_sub_overflow(args[0].natural, args[1].natural, &rest.natural)
                   ? overflow(run, LW_CEL_UINT)
                   : rest;
    case LW_CEL_TIMESTAMP:
        if (args[1].kind == LW_CEL_TIMESTAMP)
            return between(run, args[0].time, args[1].time);
        if (args[1].integer == INT64_MIN)
            return overflow(run, LW_CEL_TIMESTAMP);
        return shift_time(run, args[0].time, -args[1].integer);
    default: break;
    }
    return __builtin_sub_overflow(args[0].integer, args[1].integer, &rest.integer)
               ? overflow(run, args[0].kind)
               : rest;
}

lw_cel_value lw_cel_op_multiply(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value product = args[0];
    (void)count;
    if (args[0].kind == LW_CEL_DOUBLE) {
        product.real = args[0].real * args[1].real;
        return product;
    }
    bool is_bad = args[0].kind == LW_CEL_UINT
                      ? __builtin_mul_overflow(args[0].natural, args[1].natural, &product.natural)
                      : __builtin_mul_overflow(args[0].integer, args[1].integer, &product.integer);
    return is_bad ? overflow(run, args[0].kind) : product;
}

lw_cel_value lw_cel_op_divide(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value quotient = args[0];
    (void)count;
    if (args[0].kind == LW_CEL_DOUBLE) {
        /* IEEE 754 defines division by zero; C does not. */
        double over = args[0].real, under = args[1].real;
        if (under == 0)
            quotient.real = over == 0 || isnan(over)        ? (double)NAN
                            : (over > 0) == !signbit(under) ? (double)INFINITY
                                                            : -(double)INFINITY;
        else
            quotient.real = over / under;
        return quotient;
    }
    if (args[1].natural == 0)
        return lw_cel_fail(run, "division by zero");
    if (args[0].kind == LW_CEL_UINT) {
        quotient.natural = args[0].natural / args[1].natural;
        return quotient;
    }
    if (args[0].integer == INT64_MIN && args[1].integer == -1)
        return overflow(run, LW_CEL_INT);
    quotient.integer = args[0].integer / args[1].integer;
    return quotient;
}

lw_cel_value lw_cel_op_modulo(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value rest = args[0];
    (void)count;
    if (args[1].natural == 0)
        return lw_cel_fail(run, "modulus by zero");
    if (args[0].kind == LW_CEL_UINT) {
        rest.natural = args[0].natural % args[1].natural;
        return rest;
    }
    if (args[0].integer == INT64_MIN && args[1].integer == -1)
        return overflow(run, LW_CEL_INT);
    rest.integer = args[0].integer % args[1].integer;
    return rest;
}

lw_cel_value lw_cel_op_negate(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value other = args[0];
    (void)count;
    if (args[0].kind == LW_CEL_DOUBLE) {
        other.real = -args[0].real;
        return other;
    }
    if (args[0].integer == INT64_MIN)
        return overflow(run, LW_CEL_INT);
    other.integer = -args[0].integer;
    return other;
}

/* True if two elements have the same identity, by the list rule of |type|. */
static bool is_same_element(lw_cel_run *run, const lw_cel_type *type, const lw_cel_value *a,
                            const lw_cel_value *b)
{
    if (type->list_rule != LW_CEL_LIST_BY_KEYS || !a->is_tree || !b->is_tree)
        return lw_cel_equal(run, a, b);
    for (size_t i = 0; i < type->list_key_count; i++) {
        const lw_node *left = lw_node_get(a->tree.node, type->list_keys[i]);
        const lw_node *right = lw_node_get(b->tree.node, type->list_keys[i]);
        if (!left != !right || (left && !lw_node_equal(left, right)))
            return false;
    }
    return true;
}

/* Appends |item| to |items|, or replaces the element with the same identity. */
static size_t unite(lw_cel_run *run, const lw_cel_type *rule, lw_cel_value *items, size_t count,
                    const lw_cel_value *item)
{
    for (size_t i = 0; rule && i < count && lw_cel_charge_work(run, 1); i++) {
        if (!is_same_element(run, rule, &items[i], item))
            continue;
        items[i] = *item;
        return count;
    }
    items[count] = *item;
    return count + 1;
}

/* For lists that the schema declares as set or map, + is the union: an element of the right list
 * replaces the element of the left list with the same identity. */
lw_cel_value lw_cel_op_add_lists(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t left = lw_cel_size(&args[0]), right = lw_cel_size(&args[1]), made = 0;
    bool has_rule = args[0].is_tree && args[0].tree.type->list_rule != LW_CEL_LIST_BY_PLACE;
    const lw_cel_type *rule = has_rule ? args[0].tree.type : NULL;
    lw_cel_value *items = lw_arena_take_zero(&run->arena, left + right + 1, sizeof(*items));
    (void)count;
    if (!items || !lw_cel_charge_work(run, left + right))
        return lw_cel_over(run);
    for (size_t i = 0; i < left; i++)
        items[made++] = lw_cel_item(run, &args[0], i);
    for (size_t i = 0; i < right && !lw_cel_is_over(run); i++) {
        lw_cel_value item = lw_cel_item(run, &args[1], i);
        made = unite(run, rule, items, made, &item);
    }
    return lw_cel_of_list(items, made);
}
