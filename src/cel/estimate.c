/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c -- what an expression costs at most, by the sizes that types declare: as cel-go counts
 * it, so that what Kubernetes takes is taken here too. */
#include "cel/expr.h"
#include "cel/price.h"

enum {
    NUMBER_SIZE = 64, /* characters of a number or moment as a text */
};

/* How much an expression costs, and how large what comes out of it is. */
typedef struct estimate {
    uint64_t cost;
    uint64_t size;
    uint64_t elem; /* the size of the elements of a list, where that is known better than by type */
} estimate;

static estimate of_expr(const lw_cel_expr *expr);

static bool is_scalar(const lw_cel_type *type)
{
    switch (type->kind) {
    case LW_CEL_BOOL:
    case LW_CEL_INT:
    case LW_CEL_UINT:
    case LW_CEL_DOUBLE:
    case LW_CEL_DURATION:
    case LW_CEL_TIMESTAMP:
    case LW_CEL_NULL: return true;
    case LW_CEL_OPTIONAL: return type->elem && is_scalar(type->elem);
    default: return type->kind >= LW_CEL_QUANTITY || type->kind == LW_CEL_TYPE;
    }
}

/* By what is declared. */
static uint64_t size_of_type(const lw_cel_type *type)
{
    if (!type)
        return LW_CEL_UNBOUNDED;
    if (is_scalar(type))
        return 1;
    return type->kind == LW_CEL_OPTIONAL && type->elem ? type->elem->max_size : type->max_size;
}

static uint64_t elem_of_type(const lw_cel_type *type)
{
    return type->kind == LW_CEL_LIST ? size_of_type(type->elem) : LW_CEL_UNBOUNDED;
}

static estimate of_type(const lw_cel_type *type, uint64_t cost)
{
    return (estimate){ cost, size_of_type(type), elem_of_type(type) };
}

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static estimate of_literal(const lw_cel_expr *expr)
{
    estimate e = { .size = lw_cel_size(&expr->literal), .elem = 1 };
    const lw_cel_value *literal = &expr->literal;
    for (size_t i = 0; literal->kind == LW_CEL_LIST && i < literal->list.count; i++)
        e.elem = max(e.elem, lw_cel_size(&literal->list.items[i]));
    return e;
}

/* The elements that count in prices are texts. */
static uint64_t text_elem(const lw_cel_expr *expr, const estimate *e)
{
    const lw_cel_type *elem = expr->type->elem;
    bool is_text = elem && (elem->kind == LW_CEL_STRING || elem->kind == LW_CEL_BYTES);
    return expr->type->kind == LW_CEL_LIST && is_text ? e->elem : 0;
}

/* How large the result of a call is. */
static uint64_t size_of_call(const lw_cel_expr *expr, const lw_cel_overload *overload,
                             const estimate *args)
{
    switch (overload->price) {
    case LW_CEL_PRICE_SUM: return lw_cel_cost_add(args[0].size, args[1].size);
    case LW_CEL_PRICE_FIRST:
    case LW_CEL_PRICE_FIRST_TWICE:
        return expr->count >= 3 && overload->price == LW_CEL_PRICE_FIRST_TWICE
                   ? lw_cel_cost_multiply(lw_cel_cost_add(args[0].size, 1), max(args[2].size, 1))
                   : args[0].size;
    case LW_CEL_PRICE_RESULT_TWICE:
        return lw_cel_cost_multiply(args[0].size,
                                    lw_cel_cost_add(args[0].elem,
                                                    expr->count > 1 ? args[1].size : 0));
    default: break;
    }
    if (expr->type->kind == LW_CEL_STRING && expr->count == 1 && is_scalar(expr->args[0]->type))
        return NUMBER_SIZE;
    bool is_lists = overload->signature[0] == 'l' && expr->count == 2;
    if (is_lists && expr->type->kind == LW_CEL_LIST)
        return lw_cel_cost_add(args[0].size, args[1].size);
    return size_of_type(expr->type);
}

/* Whether |overload| may be the one, by the kinds of the arguments. */
static bool may_be(const lw_cel_overload *overload, const lw_cel_expr *expr)
{
    const char *at = overload->signature;
    if ((*at == '.') != expr->call.is_member)
        return false;
    at += *at == '.';
    for (size_t i = 0; i < expr->count; i++, at = lw_cel_signature_skip(at)) {
        lw_cel_kind kind = lw_cel_signature_kind(*at), is = expr->args[i]->type->kind;
        if (*at == ':' || (kind != LW_CEL_DYN && is != LW_CEL_DYN && kind != is))
            return false;
    }
    return *at == ':';
}

static estimate of_call(const lw_cel_expr *expr)
{
    estimate args[LW_CEL_ARGS_MAX] = { { 0, 0, 0 } };
    estimate all = of_type(expr->type, 0);
    uint64_t cost = 0, price = 0, size = 0;
    for (size_t i = 0; i < expr->count; i++) {
        args[i] = of_expr(expr->args[i]);
        cost = lw_cel_cost_add(cost, args[i].cost);
    }
    for (size_t i = 0; i < expr->call.overload_count; i++) {
        const lw_cel_overload *overload = &expr->call.overloads[i];
        if (!may_be(overload, expr))
            continue;
        uint64_t sizes[2] = { args[0].size, expr->count > 1 ? args[1].size : args[0].size };
        uint64_t elem = expr->count > 0 ? text_elem(expr->args[0], &args[0]) : 0;
        size = max(size, size_of_call(expr, overload, args));
        uint64_t each = lw_cel_price_of_sizes(overload->price, sizes, elem);
        if (overload->price == LW_CEL_PRICE_RESULT_TWICE)
            each = lw_cel_tenth(lw_cel_cost_multiply(size, 2));
        price = max(price, each);
    }
    all.cost = lw_cel_cost_add(cost, price);
    all.size = is_scalar(expr->type) ? 1 : size;
    if (expr->type->kind == LW_CEL_LIST && expr->count > 0)
        all.elem = max(args[0].elem, expr->count > 1 ? args[1].elem : 0);
    return all;
}

static estimate of_logic(const lw_cel_expr *expr)
{
    estimate all = { 0, 1, 0 };
    for (size_t i = 0; i < expr->count; i++)
        all.cost = lw_cel_cost_add(all.cost, of_expr(expr->args[i]).cost);
    return all;
}

static estimate of_condition(const lw_cel_expr *expr)
{
    estimate when = of_expr(expr->args[0]), yes = of_expr(expr->args[1]);
    estimate no = of_expr(expr->args[2]);
    return (estimate){ lw_cel_cost_add(when.cost, max(yes.cost, no.cost)), max(yes.size, no.size),
                       max(yes.elem, no.elem) };
}

static estimate of_items(const lw_cel_expr *expr)
{
    bool is_list = expr->form == LW_CEL_EXPR_LIST;
    estimate all = { is_list ? LW_CEL_COST_LIST : LW_CEL_COST_MAP,
                     is_list ? expr->count : expr->count / 2, 0 };
    for (size_t i = 0; i < expr->count; i++) {
        estimate item = of_expr(expr->args[i]);
        all.cost = lw_cel_cost_add(all.cost, item.cost);
        all.elem = max(all.elem, item.size);
    }
    return all;
}

/* What a turn costs besides its expressions; eval_fold.c says the same. */
static uint64_t turn_of(const lw_cel_expr *expr)
{
    switch (expr->fold.macro) {
    case LW_CEL_FOLD_ALL: return 3;
    case LW_CEL_FOLD_EXISTS: return 4;
    case LW_CEL_FOLD_EXISTS_ONE: return 2;
    case LW_CEL_FOLD_MAP:
    case LW_CEL_FOLD_FILTER: return 2 + LW_CEL_COST_LIST;
    default: return 2 + LW_CEL_COST_MAP;
    }
}

static estimate of_fold(const lw_cel_expr *expr)
{
    estimate range = of_expr(expr->args[0]), body = of_expr(expr->args[1]);
    estimate when = expr->fold.when ? of_expr(expr->fold.when) : (estimate){ 0, 0, 0 };
    uint64_t turn = lw_cel_cost_add(turn_of(expr), lw_cel_cost_add(body.cost, when.cost));
    uint64_t cost = lw_cel_cost_add(range.cost, lw_cel_cost_multiply(range.size, turn));
    bool is_truth = expr->type->kind == LW_CEL_BOOL;
    uint64_t elem = expr->fold.macro == LW_CEL_FOLD_FILTER ? range.elem : body.size;
    return (estimate){ lw_cel_cost_add(cost, 2), is_truth ? 1 : range.size, elem };
}

static estimate of_bind(const lw_cel_expr *expr)
{
    estimate value = of_expr(expr->args[0]), inner = of_expr(expr->args[1]);
    inner.cost = lw_cel_cost_add(inner.cost, value.cost);
    return inner;
}

static estimate of_select(const lw_cel_expr *expr)
{
    uint64_t cost = of_expr(expr->args[0]).cost;
    return of_type(expr->type,
                   lw_cel_cost_add(cost, expr->select.is_test ? 0 : LW_CEL_COST_SELECT));
}

static estimate of_expr(const lw_cel_expr *expr)
{
    switch (expr->form) {
    case LW_CEL_EXPR_LITERAL: return of_literal(expr);
    case LW_CEL_EXPR_IDENT: return of_type(expr->type, LW_CEL_COST_SELECT);
    case LW_CEL_EXPR_SELECT: return of_select(expr);
    case LW_CEL_EXPR_CALL: return of_call(expr);
    case LW_CEL_EXPR_AND:
    case LW_CEL_EXPR_OR: return of_logic(expr);
    case LW_CEL_EXPR_COND: return of_condition(expr);
    case LW_CEL_EXPR_LIST:
    case LW_CEL_EXPR_MAP: return of_items(expr);
    case LW_CEL_EXPR_FOLD: return of_fold(expr);
    case LW_CEL_EXPR_BIND: return of_bind(expr);
    }
    return (estimate){ 0, 0, 0 };
}

void lw_cel_estimate(lw_cel_program *program)
{
    program->max_cost = of_expr(program->root).cost;
}
