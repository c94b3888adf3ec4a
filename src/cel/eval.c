/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c -- evaluates an expression.
 *
 * An error is a value.  && and || ignore it if the other side decides; all other operations return
 * it.  Running out of memory or budget is not such an error: it ends the evaluation. */
#include "base/str.h"
#include "cel/expr.h"
#include "cel/functions.h"
#include "cel/price.h"

static lw_cel_value eval_ident(lw_cel_run *run, const lw_cel_expr *expr)
{
    if (!lw_cel_charge(run, LW_CEL_COST_SELECT))
        return lw_cel_over(run);
    return run->slots[expr->slot];
}

/* Finds the member |name| of |operand|: 1, or 0 if it is absent, or -1 with an error in |*out|. */
static int member_of(lw_cel_run *run, const lw_cel_value *operand, lw_str name, lw_cel_value *out)
{
    lw_cel_value key = lw_cel_of_text(name);
    if (operand->kind == LW_CEL_OBJECT)
        return lw_cel_member(run, operand, name, out);
    if (operand->kind == LW_CEL_MAP)
        return lw_cel_lookup(run, operand, &key, out);
    *out = lw_cel_fail(run, "no such key: %.*s", LW_STR_ARG(name));
    return -1;
}

static lw_cel_value eval_select(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value operand = lw_cel_eval_expr(run, expr->args[0]), member;
    bool is_test = expr->select.is_test;
    bool is_optional = expr->select.is_optional || operand.kind == LW_CEL_OPTIONAL;
    if (lw_cel_is_error(&operand))
        return operand;
    if (!is_test && !lw_cel_charge(run, LW_CEL_COST_SELECT))
        return lw_cel_over(run);
    if (operand.kind == LW_CEL_OPTIONAL) {
        if (!operand.inner)
            return is_test ? lw_cel_of_bool(false) : operand;
        operand = *operand.inner;
    }
    if (is_test && operand.kind != LW_CEL_OBJECT && operand.kind != LW_CEL_MAP)
        return lw_cel_of_bool(false); /* nothing can be selected from it */
    int found = member_of(run, &operand, expr->name, &member);
    if (found < 0 || (found == 1 && lw_cel_is_error(&member)))
        return member;
    if (is_test)
        return lw_cel_of_bool(found == 1);
    if (found == 0)
        return is_optional ? lw_cel_none()
                           : lw_cel_fail(run, "no such key: %.*s", LW_STR_ARG(expr->name));
    if (!is_optional || lw_cel_is_error(&member) || member.kind == LW_CEL_OPTIONAL)
        return member;
    return lw_cel_some(run, member);
}

static lw_cel_value eval_call(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value args[LW_CEL_ARGS_MAX];
    for (size_t i = 0; i < expr->count; i++) {
        args[i] = lw_cel_eval_expr(run, expr->args[i]);
        if (lw_cel_is_error(&args[i]))
            return args[i];
    }
    for (size_t i = 0; i < expr->call.overload_count; i++) {
        const lw_cel_overload *overload = &expr->call.overloads[i];
        if ((overload->signature[0] == '.') != expr->call.is_member ||
            !lw_cel_overload_takes(overload, args, expr->count))
            continue;
        if (!lw_cel_charge(run, lw_cel_price_of(overload->price, args, expr->count)))
            return lw_cel_over(run);
        run->pattern = expr->call.pattern;
        run->function = expr->name;
        lw_cel_value result = overload->fn(run, args, expr->count);
        if (overload->price == LW_CEL_PRICE_RESULT_TWICE)
            (void)lw_cel_charge(run, lw_cel_tenth(2 * (uint64_t)lw_cel_size(&result)));
        return lw_cel_is_over(run) ? lw_cel_over(run) : result;
    }
    return lw_cel_no_overload(run);
}

/* && and ||: returns the first term that decides; else the first error; else the opposite value. */
static lw_cel_value eval_logic(lw_cel_run *run, const lw_cel_expr *expr)
{
    bool decides = expr->form == LW_CEL_EXPR_OR;
    lw_cel_value result = lw_cel_of_bool(!decides);
    for (size_t i = 0; i < expr->count; i++) {
        lw_cel_value term = lw_cel_eval_expr(run, expr->args[i]);
        if (lw_cel_is_over(run))
            return lw_cel_over(run);
        if (term.kind == LW_CEL_BOOL && term.boolean == decides)
            return term;
        if (term.kind != LW_CEL_BOOL && !lw_cel_is_error(&result))
            result = lw_cel_is_error(&term) ? term : lw_cel_no_overload(run);
    }
    return result;
}

static lw_cel_value eval_condition(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value when = lw_cel_eval_expr(run, expr->args[0]);
    if (lw_cel_is_error(&when))
        return when;
    if (when.kind != LW_CEL_BOOL)
        return lw_cel_no_overload(run);
    return lw_cel_eval_expr(run, expr->args[when.boolean ? 1 : 2]);
}

/* Evaluates a list element or the value of an entry.  False: it is [?a], and a has no value. */
static bool eval_item(lw_cel_run *run, const lw_cel_expr *expr, size_t index, lw_cel_value *out)
{
    *out = lw_cel_eval_expr(run, expr->args[index]);
    if (!expr->items.is_optional || !expr->items.is_optional[index] || lw_cel_is_error(out))
        return true;
    if (out->kind != LW_CEL_OPTIONAL) {
        *out = lw_cel_fail(run, "cannot initialize optional list element from non-optional value");
        return true;
    }
    if (!out->inner)
        return false;
    *out = *out->inner;
    return true;
}

static lw_cel_value eval_list(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value *items = lw_arena_take_zero(&run->arena, expr->count + 1, sizeof(*items));
    size_t count = 0;
    if (!items || !lw_cel_charge(run, LW_CEL_COST_LIST))
        return lw_cel_over(run);
    for (size_t i = 0; i < expr->count; i++) {
        lw_cel_value item;
        if (!eval_item(run, expr, i, &item))
            continue;
        if (lw_cel_is_error(&item))
            return item;
        items[count++] = item;
    }
    return lw_cel_of_list(items, count);
}

static bool is_key(const lw_cel_value *key)
{
    return key->kind == LW_CEL_STRING || key->kind == LW_CEL_INT || key->kind == LW_CEL_UINT ||
           key->kind == LW_CEL_BOOL;
}

static lw_cel_value eval_map(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_entry *entries = lw_arena_take_zero(&run->arena, expr->count / 2 + 1, sizeof(*entries));
    lw_cel_value map = { .kind = LW_CEL_MAP }, before;
    if (!entries || !lw_cel_charge(run, LW_CEL_COST_MAP))
        return lw_cel_over(run);
    map.map.entries = entries;
    for (size_t i = 0; i + 1 < expr->count; i += 2) {
        lw_cel_value key = lw_cel_eval_expr(run, expr->args[i]), value;
        if (lw_cel_is_error(&key))
            return key;
        if (!is_key(&key))
            return lw_cel_fail(run, "unsupported key type: %s", lw_cel_kind_name(key.kind));
        bool has_value = eval_item(run, expr, i + 1, &value);
        if (has_value && lw_cel_is_error(&value))
            return value;
        if (lw_cel_lookup(run, &map, &key, &before))
            return lw_cel_fail(run, "Failed with repeated key");
        if (has_value)
            entries[map.map.count++] = (lw_cel_entry){ key, value };
    }
    return lw_cel_is_over(run) ? lw_cel_over(run) : map;
}

static lw_cel_value eval_bind(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_value value = lw_cel_eval_expr(run, expr->args[0]);
    if (lw_cel_is_error(&value))
        return value;
    run->slots[expr->slot] = value;
    return lw_cel_eval_expr(run, expr->args[1]);
}

lw_cel_value lw_cel_eval_expr(lw_cel_run *run, const lw_cel_expr *expr)
{
    if (!lw_cel_charge_work(run, 1))
        return lw_cel_over(run);
    switch (expr->form) {
    case LW_CEL_EXPR_LITERAL: return expr->literal;
    case LW_CEL_EXPR_IDENT: return eval_ident(run, expr);
    case LW_CEL_EXPR_SELECT: return eval_select(run, expr);
    case LW_CEL_EXPR_CALL: return eval_call(run, expr);
    case LW_CEL_EXPR_AND:
    case LW_CEL_EXPR_OR: return eval_logic(run, expr);
    case LW_CEL_EXPR_COND: return eval_condition(run, expr);
    case LW_CEL_EXPR_LIST: return eval_list(run, expr);
    case LW_CEL_EXPR_MAP: return eval_map(run, expr);
    case LW_CEL_EXPR_FOLD: return lw_cel_eval_fold(run, expr);
    case LW_CEL_EXPR_STRUCT: return lw_cel_eval_struct(run, expr);
    case LW_CEL_EXPR_BIND: return eval_bind(run, expr);
    }
    return lw_cel_no_overload(run);
}
