/* SPDX-License-Identifier: Apache-2.0 */
/* equal.c -- equality and order of values. */
#include <math.h>

#include "base/str.h"
#include "cel/functions.h"

static int order_of(bool is_less, bool is_greater)
{
    return is_less ? -1 : is_greater;
}

static bool is_number(const lw_cel_value *value)
{
    return value->kind == LW_CEL_INT || value->kind == LW_CEL_UINT || value->kind == LW_CEL_DOUBLE;
}

/* Compares a double with an integer exactly; |b| is an INT or a UINT. */
static int order_real(double a, const lw_cel_value *b)
{
    static const double two63 = 9223372036854775808.0, two64 = 18446744073709551616.0;
    bool is_natural = b->kind == LW_CEL_UINT;
    if (a >= (is_natural ? two64 : two63))
        return 1;
    if (a < (is_natural ? 0.0 : -two63))
        return -1;
    /* The fraction counts if the integer parts are equal. */
    if (is_natural) {
        uint64_t left = (uint64_t)a;
        return left != b->natural ? order_of(left < b->natural, true) : a > (double)left;
    }
    int64_t left = (int64_t)a;
    if (left != b->integer)
        return order_of(left < b->integer, true);
    return order_of(a<(double)left, a>(double) left);
}

static int order_wholes(const lw_cel_value *a, const lw_cel_value *b)
{
    if (a->kind == LW_CEL_INT && b->kind == LW_CEL_INT)
        return order_of(a->integer<b->integer, a->integer> b->integer);
    if (a->kind == LW_CEL_INT && a->integer < 0)
        return -1;
    if (b->kind == LW_CEL_INT && b->integer < 0)
        return 1;
    return order_of(a->natural<b->natural, a->natural> b->natural);
}

static bool order_numbers(const lw_cel_value *a, const lw_cel_value *b, int *order)
{
    bool is_real = a->kind == LW_CEL_DOUBLE, is_other_real = b->kind == LW_CEL_DOUBLE;
    if ((is_real && isnan(a->real)) || (is_other_real && isnan(b->real)))
        return false;
    if (is_real && is_other_real)
        *order = order_of(a->real<b->real, a->real> b->real);
    else if (is_real)
        *order = order_real(a->real, b);
    else if (is_other_real)
        *order = -order_real(b->real, a);
    else
        *order = order_wholes(a, b);
    return true;
}

bool lw_cel_order(const lw_cel_value *a, const lw_cel_value *b, int *order)
{
    if (is_number(a) && is_number(b))
        return order_numbers(a, b, order);
    if (a->kind != b->kind)
        return false;
    switch ((lw_cel_kind)a->kind) {
    case LW_CEL_BOOL: *order = order_of(a->boolean<b->boolean, a->boolean> b->boolean); break;
    case LW_CEL_STRING:
    case LW_CEL_BYTES: *order = lw_str_compare(a->text, b->text); break;
    case LW_CEL_DURATION: *order = order_of(a->integer<b->integer, a->integer> b->integer); break;
    case LW_CEL_TIMESTAMP:
        *order = a->time.s != b->time.s ? order_of(a->time.s < b->time.s, true)
                                        : order_of(a->time.ns<b->time.ns, a->time.ns> b->time.ns);
        break;
    default: return false;
    }
    return true;
}

static bool has_item(lw_cel_run *run, const lw_cel_value *list, const lw_cel_value *item)
{
    for (size_t i = 0; i < lw_cel_size(list) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value other = lw_cel_item(run, list, i);
        if (lw_cel_equal(run, &other, item))
            return true;
    }
    return false;
}

static bool is_orderless(const lw_cel_value *list)
{
    return list->is_tree && list->tree.type->list_rule != LW_CEL_LIST_BY_PLACE;
}

static bool equal_lists(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b)
{
    bool is_same = lw_cel_size(a) == lw_cel_size(b);
    bool by_place = !is_orderless(a) && !is_orderless(b);
    for (size_t i = 0; is_same && i < lw_cel_size(a) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value left = lw_cel_item(run, a, i);
        lw_cel_value right = by_place ? lw_cel_item(run, b, i) : left;
        is_same = by_place ? lw_cel_equal(run, &left, &right) : has_item(run, b, &left);
    }
    return is_same;
}

static bool equal_maps(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b)
{
    bool is_same = lw_cel_size(a) == lw_cel_size(b);
    for (size_t i = 0; is_same && i < lw_cel_size(a) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value key = lw_cel_key_at(a, i), left = lw_cel_value_at(run, a, i), right;
        is_same = lw_cel_lookup(run, b, &key, &right) && lw_cel_equal(run, &left, &right);
    }
    return is_same;
}

static bool equal_objects(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b)
{
    const lw_cel_type *type = a->tree.type;
    if (!a->is_tree || !b->is_tree)
        return a->is_tree == b->is_tree;
    if (type != b->tree.type)
        return lw_node_equal(a->tree.node, b->tree.node);
    for (size_t i = 0; i < type->field_count && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value left, right;
        bool has_left = lw_cel_member(run, a, type->fields[i].name, &left);
        bool has_right = lw_cel_member(run, b, type->fields[i].name, &right);
        if (has_left != has_right || (has_left && !lw_cel_equal(run, &left, &right)))
            return false;
    }
    return true;
}

static bool equal_structs(lw_cel_run *run, const lw_cel_struct *a, const lw_cel_struct *b)
{
    bool is_same = a->count == b->count && lw_str_equal(a->type, b->type);
    for (size_t i = 0; is_same && i < a->count && lw_cel_charge_work(run, 1); i++) {
        const lw_cel_value map = { .kind = LW_CEL_MAP, .map = { b->fields, b->count } };
        lw_cel_value other;
        is_same = lw_cel_lookup(run, &map, &a->fields[i].key, &other) &&
                  lw_cel_equal(run, &a->fields[i].value, &other);
    }
    return is_same;
}

bool lw_cel_equal(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b)
{
    int order;
    if (!lw_cel_charge_work(run, 1))
        return false;
    if (lw_cel_order(a, b, &order))
        return order == 0;
    if (a->kind != b->kind)
        return false;
    switch ((lw_cel_kind)a->kind) {
    case LW_CEL_NULL: return true;
    case LW_CEL_TYPE: return a->integer == b->integer;
    case LW_CEL_LIST: return equal_lists(run, a, b);
    case LW_CEL_MAP: return equal_maps(run, a, b);
    case LW_CEL_OBJECT: return equal_objects(run, a, b);
    case LW_CEL_STRUCT: return equal_structs(run, a->made, b->made);
    case LW_CEL_OPTIONAL:
        return a->inner && b->inner ? lw_cel_equal(run, a->inner, b->inner) : a->inner == b->inner;
    case LW_CEL_QUANTITY: return a->quantity->nanos == b->quantity->nanos;
    case LW_CEL_IP:
    case LW_CEL_CIDR: return memcmp(a->address, b->address, sizeof(*a->address)) == 0;
    case LW_CEL_URL: return lw_str_equal(a->url->text, b->url->text);
    case LW_CEL_FORMAT: return a->format == b->format;
    case LW_CEL_SEMVER: return lw_cel_semver_compare(a->semver, b->semver) == 0;
    default: return false;
    }
}
