/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c -- the upper bound of the cost of an expression, from the sizes that the schema
 * declares. */
#include "cel/estimate.h"

#include "base/str.h"
#include "cel/price.h"

enum {
    ACCUMULATOR = 1, /* cost of reading the accumulator of a macro */
};

static lw_cel_estimate of_expr(lw_cel_estimator *estimator, const lw_cel_expr *expr);

static const lw_cel_range one = { 1, 1 };

lw_cel_range lw_cel_range_of(const lw_cel_estimate *e)
{
    return e->has_size ? e->size : (lw_cel_range){ 0, LW_CEL_UNBOUNDED };
}

lw_cel_range lw_cel_range_add(lw_cel_range a, lw_cel_range b)
{
    return (lw_cel_range){ lw_cel_cost_add(a.min, b.min), lw_cel_cost_add(a.max, b.max) };
}

lw_cel_range lw_cel_range_union(lw_cel_range a, lw_cel_range b)
{
    return (lw_cel_range){ a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max };
}

/* As in cel-go, a path starts at self even if its first step is from a computed value. */
static lw_cel_path path_step(const lw_cel_estimator *estimator, lw_cel_path path,
                             const lw_cel_type *next)
{
    return (lw_cel_path){ true, path.is_path ? next : estimator->root };
}

static lw_cel_path path_field(const lw_cel_estimator *estimator, lw_cel_path path, lw_str name)
{
    const lw_cel_field *field = NULL;
    if (path.type && path.type->kind == LW_CEL_OBJECT)
        field = lw_cel_field_exact(path.type, name);
    return path_step(estimator, path, field ? field->type : NULL);
}

lw_cel_path lw_cel_path_items(const lw_cel_estimator *estimator, lw_cel_path path)
{
    bool has_items = path.type && (path.type->kind == LW_CEL_LIST || path.type->kind == LW_CEL_MAP);
    return path_step(estimator, path, has_items ? path.type->elem : NULL);
}

static lw_cel_path path_keys(const lw_cel_estimator *estimator, lw_cel_path path)
{
    bool has_keys = path.type && path.type->kind == LW_CEL_MAP;
    return path_step(estimator, path, has_keys ? path.type->key : NULL);
}

/* Objects and scalars have no size: only values that can be long are traversed. */
bool lw_cel_path_size(lw_cel_path path, lw_cel_range *size)
{
    if (!path.is_path || !path.type)
        return false;
    switch (path.type->kind) {
    case LW_CEL_DYN:
    case LW_CEL_STRING:
    case LW_CEL_BYTES:
    case LW_CEL_DURATION:
    case LW_CEL_TIMESTAMP:
    case LW_CEL_LIST:
    case LW_CEL_MAP: *size = (lw_cel_range){ 0, path.type->max_size }; break;
    default: *size = (lw_cel_range){ 0, 0 }; break;
    }
    return true;
}

static bool is_scalar(const lw_cel_type *type)
{
    switch (type->kind) {
    case LW_CEL_BOOL:
    case LW_CEL_INT:
    case LW_CEL_UINT:
    case LW_CEL_DOUBLE:
    case LW_CEL_DURATION:
    case LW_CEL_TIMESTAMP: return true;
    case LW_CEL_OPTIONAL: return type->elem && is_scalar(type->elem);
    default: return false;
    }
}

/* Sets the size of a value that was not computed, from its path or its type. */
static lw_cel_estimate with_size(const lw_cel_expr *expr, lw_cel_estimate e)
{
    if (e.has_size)
        return e;
    e.has_size = lw_cel_path_size(e.path, &e.size);
    if (!e.has_size && is_scalar(expr->type)) {
        e.has_size = true;
        e.size = one;
    }
    return e;
}

static void add_item(lw_cel_estimate *list, bool is_first, const lw_cel_estimate *item)
{
    lw_cel_range size = lw_cel_range_of(item);
    list->cost = lw_cel_cost_add(list->cost, item->cost);
    list->value = is_first ? size : lw_cel_range_union(list->value, size);
}

static lw_cel_estimate of_literal(const lw_cel_estimator *estimator, const lw_cel_value *literal)
{
    uint64_t count = lw_cel_size(literal);
    lw_cel_estimate e = { .has_size = true, .size = { count, count } };
    if (literal->kind == LW_CEL_TYPE) /* a name is a path too */
        return (lw_cel_estimate){ .cost = LW_CEL_COST_SELECT, .path = { true, estimator->root } };
    if (literal->kind != LW_CEL_LIST)
        return e;
    e.cost = LW_CEL_COST_LIST;
    e.has_entry = true;
    e.key = one;
    for (size_t i = 0; i < literal->list.count; i++) {
        lw_cel_estimate item = of_literal(estimator, &literal->list.items[i]);
        add_item(&e, i == 0, &item);
    }
    return e;
}

static lw_cel_estimate of_ident(const lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    const lw_cel_estimate *variable = &estimator->slots[expr->slot];
    lw_cel_estimate e = *variable;
    e.cost = LW_CEL_COST_SELECT;
    e.has_size = false;
    e = with_size(expr, e);
    if (!e.has_size) {
        e.has_size = variable->has_size;
        e.size = variable->size;
    }
    return e;
}

static lw_cel_estimate of_select(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate operand = of_expr(estimator, expr->args[0]), e = { .cost = operand.cost };
    lw_cel_kind kind = expr->args[0]->type->kind;
    if (expr->select.is_test)
        return e;
    if (expr->select.is_optional || kind == LW_CEL_MAP || kind == LW_CEL_OBJECT)
        e.cost = lw_cel_cost_add(e.cost, LW_CEL_COST_SELECT);
    if (!expr->select.is_optional)
        e.path = path_field(estimator, operand.path, expr->name);
    return e;
}

/* True if |overload| may match the kinds of the arguments. */
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

/* Any of the overloads may be called, so the bound covers all of them. */
static void add_overload(lw_cel_estimate *all, bool is_first, const lw_cel_estimate *each)
{
    uint64_t cost = all->cost > each->cost ? all->cost : each->cost;
    if (is_first) {
        *all = *each;
    } else if (each->has_size) {
        all->size = all->has_size ? lw_cel_range_union(all->size, each->size) : each->size;
        all->has_size = true;
    }
    all->cost = cost;
}

/* dyn() only hides the type. */
static lw_cel_estimate of_dyn(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate e = of_expr(estimator, expr->args[0]);
    e.cost = lw_cel_cost_add(e.cost, 1);
    e.path = (lw_cel_path){ false, NULL };
    return e;
}

static bool is_plain_index(const lw_cel_expr *expr)
{
    return lw_str_equal(expr->name, LW_STR("_[_]")) && expr->args[0]->type->kind != LW_CEL_OPTIONAL;
}

static lw_cel_estimate of_call(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate args[LW_CEL_ARGS_MAX] = { { .cost = 0 } };
    lw_cel_estimate all = { .cost = 0 };
    uint64_t cost = 0;
    bool is_first = true;
    if (lw_str_equal(expr->name, LW_STR("dyn")))
        return of_dyn(estimator, expr);
    for (size_t i = 0; i < expr->count; i++) {
        args[i] = of_expr(estimator, expr->args[i]);
        cost = lw_cel_cost_add(cost, args[i].cost);
    }
    for (size_t i = 0; i < expr->call.overload_count; i++) {
        lw_cel_estimate each = { .cost = 1 };
        if (!may_be(&expr->call.overloads[i], expr))
            continue;
        lw_cel_estimate_overload(estimator, expr, &expr->call.overloads[i], args, &each);
        add_overload(&all, is_first, &each);
        is_first = false;
    }
    all.cost = lw_cel_cost_add(cost, all.cost);
    if (is_plain_index(expr)) {
        all.path = lw_cel_path_items(estimator, args[0].path);
        all.has_size = args[0].has_entry;
        all.size = args[0].value;
    }
    return all;
}

static lw_cel_estimate of_logic(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate all = { .cost = 0 };
    for (size_t i = 0; i < expr->count; i++)
        all.cost = lw_cel_cost_add(all.cost, of_expr(estimator, expr->args[i]).cost);
    return all;
}

static lw_cel_estimate of_condition(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate when = of_expr(estimator, expr->args[0]);
    lw_cel_estimate yes = of_expr(estimator, expr->args[1]);
    lw_cel_estimate no = of_expr(estimator, expr->args[2]);
    return (lw_cel_estimate){
        .cost = lw_cel_cost_add(when.cost, yes.cost > no.cost ? yes.cost : no.cost),
        .has_size = true,
        .size = lw_cel_range_union(lw_cel_range_of(&yes), lw_cel_range_of(&no)),
        .has_entry = yes.has_entry && no.has_entry,
        .key = lw_cel_range_union(yes.key, no.key),
        .value = lw_cel_range_union(yes.value, no.value),
    };
}

static lw_cel_estimate of_list(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate e = { .cost = LW_CEL_COST_LIST,
                          .has_size = true,
                          .size = { expr->count, expr->count },
                          .has_entry = true,
                          .key = one };
    for (size_t i = 0; i < expr->count; i++) {
        lw_cel_estimate item = of_expr(estimator, expr->args[i]);
        add_item(&e, i == 0, &item);
    }
    return e;
}

static lw_cel_estimate of_map(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    size_t count = expr->count / 2;
    lw_cel_estimate e = {
        .cost = LW_CEL_COST_MAP, .has_size = true, .size = { count, count }, .has_entry = true
    };
    for (size_t i = 0; i + 1 < expr->count; i += 2) {
        lw_cel_estimate key = of_expr(estimator, expr->args[i]);
        lw_cel_estimate value = of_expr(estimator, expr->args[i + 1]);
        lw_cel_range size = lw_cel_range_of(&key);
        e.cost = lw_cel_cost_add(e.cost, key.cost);
        e.key = i == 0 ? size : lw_cel_range_union(e.key, size);
        add_item(&e, i == 0, &value);
    }
    return e;
}

static lw_cel_estimate of_struct(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate e = { .cost = LW_CEL_COST_STRUCT };
    for (size_t i = 0; i < expr->count; i++)
        e.cost = lw_cel_cost_add(e.cost, of_expr(estimator, expr->args[i]).cost);
    return e;
}

/* The cost of cel-go's expansion of a macro, without the expressions in it. */
typedef struct macro_cost {
    uint64_t once, turn;
} macro_cost;

static macro_cost cost_of_macro(lw_cel_macro macro)
{
    switch (macro) {
    case LW_CEL_FOLD_ALL: return (macro_cost){ ACCUMULATOR, ACCUMULATOR + 2 };
    case LW_CEL_FOLD_EXISTS: return (macro_cost){ ACCUMULATOR, ACCUMULATOR + 3 };
    case LW_CEL_FOLD_EXISTS_ONE: return (macro_cost){ ACCUMULATOR + 1, ACCUMULATOR + 1 };
    case LW_CEL_FOLD_MAP:
        return (macro_cost){ LW_CEL_COST_LIST + ACCUMULATOR, ACCUMULATOR + LW_CEL_COST_LIST + 1 };
    case LW_CEL_FOLD_FILTER:
        return (macro_cost){ LW_CEL_COST_LIST + ACCUMULATOR,
                             ACCUMULATOR + LW_CEL_COST_LIST + LW_CEL_COST_SELECT + 1 };
    case LW_CEL_FOLD_TRANSFORM_MAP:
        return (macro_cost){ LW_CEL_COST_MAP + ACCUMULATOR, ACCUMULATOR + LW_CEL_COST_SELECT + 1 };
    case LW_CEL_FOLD_TRANSFORM_ENTRY:
        return (macro_cost){ LW_CEL_COST_MAP + ACCUMULATOR, ACCUMULATOR + 1 };
    }
    return (macro_cost){ 0, 0 };
}

/* Sets the slots of the variables of a macro over |range|. */
static void enter_fold(lw_cel_estimator *estimator, const lw_cel_expr *expr,
                       const lw_cel_estimate *range)
{
    lw_cel_estimate *slots = &estimator->slots[expr->fold.slot];
    bool is_list = expr->args[0]->type->kind == LW_CEL_LIST;
    lw_cel_estimate key = { .has_size = range->has_entry,
                            .size = range->key,
                            .path = path_keys(estimator, range->path) };
    lw_cel_estimate value = { .has_size = range->has_entry,
                              .size = range->value,
                              .path = lw_cel_path_items(estimator, range->path) };
    if (!expr->fold.has_two) {
        slots[0] = is_list ? value : key;
        return;
    }
    slots[0] = key;
    slots[1] = value;
}

static lw_cel_estimate of_fold(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate range = of_expr(estimator, expr->args[0]);
    macro_cost macro = cost_of_macro(expr->fold.macro);
    enter_fold(estimator, expr, &range);
    lw_cel_estimate item = estimator->slots[expr->fold.slot];
    lw_cel_estimate when = { .cost = 0 };
    if (expr->fold.when)
        when = of_expr(estimator, expr->fold.when);
    lw_cel_estimate body = of_expr(estimator, expr->args[1]);
    uint64_t turn = lw_cel_cost_add(macro.turn, lw_cel_cost_add(body.cost, when.cost));
    uint64_t turns = lw_cel_cost_multiply(lw_cel_range_of(&range).max, turn);
    lw_cel_estimate e = { .cost = lw_cel_cost_add(lw_cel_cost_add(range.cost, macro.once), turns) };
    if (expr->type->kind == LW_CEL_BOOL)
        return e;
    e.has_size = true;
    e.size = lw_cel_range_of(&range);
    if (expr->type->kind == LW_CEL_LIST) {
        bool is_filter = expr->fold.macro == LW_CEL_FOLD_FILTER;
        if (!lw_cel_path_size(item.path, &item.size) && !item.has_size)
            item.size = (lw_cel_range){ 0, LW_CEL_UNBOUNDED };
        e.has_entry = true;
        e.key = one;
        e.value = (lw_cel_range){ 0, is_filter ? item.size.max : lw_cel_range_of(&body).max };
    }
    return e;
}

/* In cel-go, cel.bind is a comprehension over an empty list, which costs something. */
static lw_cel_estimate of_bind(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    lw_cel_estimate value = of_expr(estimator, expr->args[0]);
    estimator->slots[expr->slot] = value;
    lw_cel_estimate inner = of_expr(estimator, expr->args[1]);
    inner.cost = lw_cel_cost_add(inner.cost, lw_cel_cost_add(value.cost, LW_CEL_COST_LIST));
    inner.path = (lw_cel_path){ false, NULL };
    return inner;
}

static lw_cel_estimate of_form(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    switch (expr->form) {
    case LW_CEL_EXPR_LITERAL: return of_literal(estimator, &expr->literal);
    case LW_CEL_EXPR_IDENT: return of_ident(estimator, expr);
    case LW_CEL_EXPR_SELECT: return of_select(estimator, expr);
    case LW_CEL_EXPR_CALL: return of_call(estimator, expr);
    case LW_CEL_EXPR_AND:
    case LW_CEL_EXPR_OR: return of_logic(estimator, expr);
    case LW_CEL_EXPR_COND: return of_condition(estimator, expr);
    case LW_CEL_EXPR_LIST: return of_list(estimator, expr);
    case LW_CEL_EXPR_MAP: return of_map(estimator, expr);
    case LW_CEL_EXPR_FOLD: return of_fold(estimator, expr);
    case LW_CEL_EXPR_STRUCT: return of_struct(estimator, expr);
    case LW_CEL_EXPR_BIND: return of_bind(estimator, expr);
    }
    return (lw_cel_estimate){ .cost = 0 };
}

static lw_cel_estimate of_expr(lw_cel_estimator *estimator, const lw_cel_expr *expr)
{
    return with_size(expr, of_form(estimator, expr));
}

static const lw_cel_type *unwrap(const lw_cel_type *type)
{
    return type->kind == LW_CEL_OPTIONAL && type->elem ? type->elem : type;
}

void lw_cel_estimate_cost(lw_cel_program *program)
{
    size_t count = program->variable_count;
    lw_cel_estimator estimator = {
        .root = count > 0 ? unwrap(program->variables[0].type) : &lw_cel_dyn,
        .slots =
            lw_arena_take_zero(&program->arena, program->slot_count + 1, sizeof(lw_cel_estimate)),
    };
    if (!estimator.slots)
        return;
    for (size_t i = 0; i < count; i++)
        estimator.slots[i].path = (lw_cel_path){ true, unwrap(program->variables[i].type) };
    program->max_cost = of_expr(&estimator, program->root).cost;
}
