/* SPDX-License-Identifier: Apache-2.0 */
/* estimate_call.c -- upper bounds of calls, as cel-go counts its functions and Kubernetes counts
 * those of its libraries. */
#include "base/str.h"
#include "cel/estimate.h"
#include "cel/price.h"

enum {
    FORMAT_REGEX_STEPS = 128 / 4, /* for the longest pattern of a named format */
    FORMAT_NAME_SIZE = 64,
    ADDRESS_COST = 4, /* compares two IPv6 addresses */
    PREFIX_COST = 3,  /* and masks one */
};

/* A call with the sizes of its first three arguments. */
typedef struct call {
    const lw_cel_estimator *estimator;
    const lw_cel_expr *expr;
    const lw_cel_estimate *args;
    lw_cel_range first, second, third;
} call;

static bool is_named(const call *c, const char *name)
{
    return lw_str_equal(c->expr->name, lw_str_of(name));
}

static void set_size(lw_cel_estimate *out, uint64_t min, uint64_t max)
{
    out->has_size = true;
    out->size = (lw_cel_range){ min, max };
}

/* Returns the declared size of the elements of the first argument; a computed list has none. */
static lw_cel_range item_size(const call *c)
{
    lw_cel_range size = { 0, LW_CEL_UNBOUNDED };
    if (c->args[0].path.is_path)
        (void)lw_cel_path_size(lw_cel_path_items(c->estimator, c->args[0].path), &size);
    return size;
}

/* Returns the integer literal at argument |index|; |otherwise| if it is not a literal. */
static uint64_t literal_or(const call *c, size_t index, uint64_t otherwise)
{
    if (index >= c->expr->count || c->expr->args[index]->form != LW_CEL_EXPR_LITERAL ||
        c->expr->args[index]->literal.kind != LW_CEL_INT)
        return otherwise;
    int64_t value = c->expr->args[index]->literal.integer;
    return value < 0 ? 0 : (uint64_t)value;
}

/* Visits each element, and traverses it if it is a string. */
static uint64_t cost_of_elements(const call *c)
{
    const lw_cel_type *type = c->expr->args[0]->type;
    bool is_text = type->kind == LW_CEL_LIST && type->elem &&
                   (type->elem->kind == LW_CEL_STRING || type->elem->kind == LW_CEL_BYTES);
    uint64_t each = is_text ? lw_cel_cost_add(1, lw_cel_tenth(item_size(c).max)) : 1;
    return lw_cel_cost_multiply(c->first.max, each);
}

/* slice, flatten, reverse: make a new list. */
static void copy_list(const call *c, lw_cel_estimate *out)
{
    uint64_t count = c->first.max, times = 1;
    if (is_named(c, "slice")) {
        uint64_t end = literal_or(c, 2, count), begin = literal_or(c, 1, 0);
        count = end > begin ? end - begin : 0;
    } else if (is_named(c, "flatten") && c->expr->count > 1) {
        times = literal_or(c, 1, LW_CEL_UNBOUNDED);
    } else if (is_named(c, "lists.range")) {
        count = literal_or(c, 0, LW_CEL_UNBOUNDED);
    }
    out->cost = lw_cel_cost_add(lw_cel_cost_multiply(count, times), 1 + LW_CEL_COST_LIST);
    set_size(out, 0, count);
}

/* distinct, sort and the set functions: compare each element with each. */
static void pair_lists(const call *c, lw_cel_estimate *out)
{
    bool is_set = c->expr->count == 2;
    uint64_t pairs = lw_cel_cost_multiply(c->first.max, is_set ? c->second.max : c->first.max);
    bool is_twice = !is_set || is_named(c, "sets.equivalent");
    out->cost = lw_cel_cost_multiply(pairs, is_twice ? 2 : 1);
    out->cost = lw_cel_cost_add(out->cost, 1);
    const lw_cel_type *elem = c->expr->args[0]->type->elem;
    if (is_named(c, "sort") && elem && elem->kind == LW_CEL_STRING)
        out->cost = lw_cel_cost_add(out->cost, lw_cel_tenth(pairs));
    if (is_set)
        return;
    out->cost = lw_cel_cost_add(out->cost, LW_CEL_COST_LIST);
    set_size(out, 0, pairs);
}

/* Returns the longest result: the longest replacement for each shortest match. */
static uint64_t size_of_replaced(const call *c)
{
    uint64_t text = c->first.max, with = c->third.max;
    if (c->second.min == 0)
        return lw_cel_cost_add(lw_cel_cost_multiply(lw_cel_cost_add(text, 1), with), text);
    if (with <= c->second.min)
        return text;
    uint64_t times = text / c->second.min + (text % c->second.min != 0);
    return lw_cel_cost_multiply(times, with);
}

static void go_through_twice(const call *c, lw_cel_estimate *out)
{
    out->cost = lw_cel_tenth(lw_cel_cost_multiply(c->first.max, 2));
    if (is_named(c, "replace"))
        set_size(out, 0, size_of_replaced(c));
    else if (is_named(c, "split"))
        set_size(out, 0, literal_or(c, 2, c->first.max));
}

static void join_texts(const call *c, lw_cel_estimate *out)
{
    uint64_t size = lw_cel_cost_multiply(c->first.max, item_size(c).max);
    uint64_t gaps = c->first.max > 0 ? c->first.max - 1 : 0;
    if (c->expr->count > 1)
        size = lw_cel_cost_add(size, lw_cel_cost_multiply(c->second.max, gaps));
    out->cost = lw_cel_tenth(size);
    set_size(out, 0, size);
}

/* Functions that traverse a string once; most return it changed. */
static void go_through(const call *c, lw_cel_estimate *out)
{
    lw_cel_kind kind = c->expr->type->kind;
    uint64_t size = c->first.max;
    out->cost = lw_cel_tenth(size);
    if (is_named(c, "strings.quote"))
        set_size(out, 0, lw_cel_cost_add(lw_cel_cost_multiply(size, 2), 2));
    else if (is_named(c, "bytes"))
        set_size(out, c->first.min, lw_cel_cost_multiply(size, 4));
    else if ((kind == LW_CEL_STRING || kind == LW_CEL_URL) && !is_named(c, "format"))
        set_size(out, is_named(c, "string") ? 0 : c->first.min, size);
}

/* Some types of Kubernetes compare in constant time, but only for "==". */
static uint64_t cost_of_equality(const call *c)
{
    uint64_t shorter = c->first.max < c->second.max ? c->first.max : c->second.max;
    lw_cel_kind kind = c->expr->args[0]->type->kind;
    bool is_same = kind == c->expr->args[1]->type->kind && is_named(c, "_==_");
    if (is_same && (kind == LW_CEL_QUANTITY || kind == LW_CEL_IP || kind == LW_CEL_CIDR ||
                    kind == LW_CEL_SEMVER))
        return 1;
    if (is_same && kind == LW_CEL_FORMAT)
        return lw_cel_tenth(FORMAT_NAME_SIZE);
    if (is_same && kind == LW_CEL_URL)
        return c->args[1].has_size ? lw_cel_tenth(c->second.max) : 1;
    return lw_cel_tenth(shorter);
}

static void add_texts(const call *c, lw_cel_estimate *out)
{
    lw_cel_range sum = lw_cel_range_add(c->first, c->second);
    out->cost = lw_cel_tenth(sum.max);
    set_size(out, sum.min, sum.max);
}

static void add_lists(const call *c, lw_cel_estimate *out)
{
    lw_cel_range sum = lw_cel_range_add(c->first, c->second);
    set_size(out, sum.min, sum.max);
    out->has_entry = c->args[0].has_entry && c->args[1].has_entry;
    out->key = lw_cel_range_union(c->args[0].key, c->args[1].key);
    out->value = lw_cel_range_union(c->args[0].value, c->args[1].value);
}

void lw_cel_estimate_overload(const lw_cel_estimator *estimator, const lw_cel_expr *expr,
                              const lw_cel_overload *overload, const lw_cel_estimate *args,
                              lw_cel_estimate *out)
{
    call c = { estimator, expr, args, lw_cel_range_of(&args[0]), { 0, 0 }, { 0, 0 } };
    c.second = expr->count > 1 ? lw_cel_range_of(&args[1]) : c.first;
    c.third = expr->count > 2 ? lw_cel_range_of(&args[2]) : c.first;
    uint64_t sizes[2] = { c.first.max, c.second.max };
    out->cost = lw_cel_price_of_sizes(overload->price, sizes, 0);
    switch (overload->price) {
    case LW_CEL_PRICE_ONE:
        if (overload->fn == lw_cel_op_add_lists)
            add_lists(&c, out);
        break;
    case LW_CEL_PRICE_FIRST: go_through(&c, out); break;
    case LW_CEL_PRICE_FIRST_TWICE: go_through_twice(&c, out); break;
    case LW_CEL_PRICE_SUM: add_texts(&c, out); break;
    case LW_CEL_PRICE_MIN: out->cost = cost_of_equality(&c); break;
    case LW_CEL_PRICE_REGEX:
        if (expr->type->kind != LW_CEL_BOOL)
            set_size(out, 0, c.first.max);
        break;
    case LW_CEL_PRICE_ELEMENTS: out->cost = cost_of_elements(&c); break;
    case LW_CEL_PRICE_COPY: copy_list(&c, out); break;
    case LW_CEL_PRICE_PAIRS: pair_lists(&c, out); break;
    case LW_CEL_PRICE_RESULT_TWICE: join_texts(&c, out); break;
    case LW_CEL_PRICE_ADDRESS:
        out->cost = ADDRESS_COST + (is_named(&c, "containsCIDR") ? PREFIX_COST : 0);
        if (expr->args[1]->type->kind == LW_CEL_STRING)
            out->cost = lw_cel_cost_add(out->cost, lw_cel_tenth(c.second.max));
        break;
    case LW_CEL_PRICE_FORMAT:
        out->cost = lw_cel_cost_multiply(lw_cel_tenth(c.second.max), FORMAT_REGEX_STEPS);
        break;
    case LW_CEL_PRICE_CHECK:
    case LW_CEL_PRICE_SELECTOR:
    case LW_CEL_PRICE_SECOND:
    case LW_CEL_PRICE_PRODUCT:
    case LW_CEL_PRICE_IN: break;
    }
}
