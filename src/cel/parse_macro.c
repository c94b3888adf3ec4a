/* SPDX-License-Identifier: Apache-2.0 */
/* parse_macro.c -- literals, and macros: has, all, exists, map, filter and others. */
#include "cel/parse.h"

#include "base/str.h"
#include "json/text.h"

typedef struct macro {
    const char *name;
    size_t count; /* number of arguments, without the receiver */
    lw_cel_macro fold;
    bool has_two;
    bool has_when;
} macro;

static const macro macros[] = {
    { "all", 2, LW_CEL_FOLD_ALL, false, false },
    { "exists", 2, LW_CEL_FOLD_EXISTS, false, false },
    { "exists_one", 2, LW_CEL_FOLD_EXISTS_ONE, false, false },
    { "existsOne", 2, LW_CEL_FOLD_EXISTS_ONE, false, false },
    { "map", 2, LW_CEL_FOLD_MAP, false, false },
    { "map", 3, LW_CEL_FOLD_MAP, false, true },
    { "filter", 2, LW_CEL_FOLD_FILTER, false, false },
    { "all", 3, LW_CEL_FOLD_ALL, true, false },
    { "exists", 3, LW_CEL_FOLD_EXISTS, true, false },
    { "existsOne", 3, LW_CEL_FOLD_EXISTS_ONE, true, false },
    { "exists_one", 3, LW_CEL_FOLD_EXISTS_ONE, true, false },
    { "transformList", 3, LW_CEL_FOLD_MAP, true, false },
    { "transformList", 4, LW_CEL_FOLD_MAP, true, true },
    { "transformMap", 3, LW_CEL_FOLD_TRANSFORM_MAP, true, false },
    { "transformMap", 4, LW_CEL_FOLD_TRANSFORM_MAP, true, true },
    { "transformMapEntry", 3, LW_CEL_FOLD_TRANSFORM_ENTRY, true, false },
    { "transformMapEntry", 4, LW_CEL_FOLD_TRANSFORM_ENTRY, true, true },
};

static lw_cel_expr *expand_has(lw_cel_parser *p, lw_cel_expr *call)
{
    lw_cel_expr *select = call->args[0];
    if (select->form != LW_CEL_EXPR_SELECT || select->select.is_test)
        return lw_cel_parse_error(p, select->offset, "invalid argument to has() macro");
    select->select.is_test = true;
    select->offset = call->offset; /* where cel-go reports errors */
    return select;
}

static bool is_name(lw_cel_parser *p, const lw_cel_expr *expr)
{
    if (expr->form == LW_CEL_EXPR_IDENT)
        return true;
    (void)lw_cel_parse_error(p, expr->offset, "argument must be a simple name");
    return false;
}

static lw_cel_expr *expand_fold(lw_cel_parser *p, lw_cel_expr *call, const macro *kind)
{
    size_t vars = kind->has_two ? 2 : 1;
    lw_cel_expr **args = lw_arena_take_zero(p->arena, 2, sizeof(*args));
    if (!args || !is_name(p, call->args[1]) || (kind->has_two && !is_name(p, call->args[2]))) {
        p->is_over = true;
        return NULL;
    }
    args[0] = call->args[0];
    args[1] = call->args[call->count - 1];
    lw_cel_expr *fold = lw_cel_expr_new(p, LW_CEL_EXPR_FOLD, call->offset, args, 2);
    if (!fold)
        return NULL;
    fold->name = call->args[1]->name;
    fold->fold.macro = kind->fold;
    fold->fold.has_two = kind->has_two;
    fold->fold.second = kind->has_two ? call->args[2]->name : LW_STR("");
    fold->fold.when = kind->has_when ? call->args[1 + vars] : NULL;
    if (fold->fold.when && fold->fold.when->depth >= fold->depth)
        fold->depth = fold->fold.when->depth + 1;
    if (fold->depth > LW_CEL_DEPTH_MAX)
        return lw_cel_parse_error(p, call->offset, "expression recursion limit exceeded");
    return fold;
}

/* cel.bind(name, value, expression), and a.optMap(name, expression), where |name| is the value of
 * the optional. */
static lw_cel_expr *expand_bind(lw_cel_parser *p, lw_cel_expr *call, lw_cel_expr *name,
                                lw_cel_expr *value, lw_cel_expr *inner)
{
    lw_cel_expr **args = lw_arena_take_zero(p->arena, 2, sizeof(*args));
    if (!args || !is_name(p, name)) {
        p->is_over = true;
        return NULL;
    }
    args[0] = value;
    args[1] = inner;
    lw_cel_expr *bind = lw_cel_expr_new(p, LW_CEL_EXPR_BIND, call->offset, args, 2);
    if (bind)
        bind->name = name->name;
    return bind;
}

static lw_cel_expr *simple_call(lw_cel_parser *p, const lw_cel_expr *at, const char *name,
                                bool is_member, lw_cel_expr *only)
{
    lw_cel_expr **args = lw_arena_take_zero(p->arena, 1, sizeof(*args));
    if (!args) {
        p->is_over = true;
        return NULL;
    }
    args[0] = only;
    lw_cel_expr *call = lw_cel_expr_new(p, LW_CEL_EXPR_CALL, at->offset, args, 1);
    if (!call)
        return NULL;
    call->name = lw_str_of(name);
    call->call.is_member = is_member;
    return call;
}

static lw_cel_expr *make_ident(lw_cel_parser *p, uint32_t offset, const char *name)
{
    lw_cel_expr *ident = lw_cel_expr_new(p, LW_CEL_EXPR_IDENT, offset, NULL, 0);
    if (ident)
        ident->name = lw_str_of(name);
    return ident;
}

/* @opt.hasValue() ? optional.of(e with x for @opt.value()) : optional.none() */
static lw_cel_expr *opt_map_body(lw_cel_parser *p, lw_cel_expr *call, bool is_flat)
{
    lw_cel_expr *opt = make_ident(p, call->offset, "@opt");
    lw_cel_expr *has = opt ? simple_call(p, call, "hasValue", true, opt) : NULL;
    lw_cel_expr *value = has ? simple_call(p, call, "value", true, opt) : NULL;
    lw_cel_expr *bind = value ? expand_bind(p, call, call->args[1], value, call->args[2]) : NULL;
    lw_cel_expr *some = bind && !is_flat ? simple_call(p, call, "optional.of", false, bind) : bind;
    lw_cel_expr *none = some ? lw_cel_expr_new(p, LW_CEL_EXPR_CALL, call->offset, NULL, 0) : NULL;
    lw_cel_expr **args = none ? lw_arena_take_zero(p->arena, 3, sizeof(*args)) : NULL;
    if (!args) {
        p->is_over = true;
        return NULL;
    }
    none->name = LW_STR("optional.none");
    args[0] = has;
    args[1] = some;
    args[2] = none;
    return lw_cel_expr_new(p, LW_CEL_EXPR_COND, call->offset, args, 3);
}

/* a.optMap(x, e): binds the receiver to a variable, so that it is evaluated once. */
static lw_cel_expr *expand_opt_map(lw_cel_parser *p, lw_cel_expr *call, bool is_flat)
{
    lw_cel_expr *name = make_ident(p, call->offset, "@opt");
    lw_cel_expr *body = name ? opt_map_body(p, call, is_flat) : NULL;
    return body ? expand_bind(p, call, name, call->args[0], body) : NULL;
}

/* a.sortBy(x, e): sorts a by the values of e for its elements. */
static lw_cel_expr *expand_sort_by(lw_cel_parser *p, lw_cel_expr *call)
{
    static const macro map = { "map", 2, LW_CEL_FOLD_MAP, false, false };
    static const char input[] = "@__sortBy_input__";
    lw_cel_expr *list = call->args[0], *name = make_ident(p, call->offset, input);
    lw_cel_expr *first = make_ident(p, call->offset, input);
    lw_cel_expr **args = lw_arena_take_zero(p->arena, 2, sizeof(*args));
    if (!name || !first || !args) {
        p->is_over = true;
        return NULL;
    }
    call->args[0] = make_ident(p, call->offset, input);
    lw_cel_expr *keys = call->args[0] ? expand_fold(p, call, &map) : NULL;
    if (!keys)
        return NULL;
    args[0] = first;
    args[1] = keys;
    lw_cel_expr *sort = lw_cel_expr_new(p, LW_CEL_EXPR_CALL, call->offset, args, 2);
    if (!sort)
        return NULL;
    sort->name = LW_STR("@sortByAssociatedKeys");
    sort->call.is_member = true;
    return expand_bind(p, call, name, list, sort);
}

static bool is_bind(const lw_cel_expr *call)
{
    return call->call.is_member && call->count == 4 && lw_str_equal(call->name, LW_STR("bind")) &&
           call->args[0]->form == LW_CEL_EXPR_IDENT &&
           lw_str_equal(call->args[0]->name, LW_STR("cel"));
}

lw_cel_expr *lw_cel_expand(lw_cel_parser *p, lw_cel_expr *call)
{
    if (!call->call.is_member)
        return call->count == 1 && lw_str_equal(call->name, LW_STR("has")) ? expand_has(p, call)
                                                                           : call;
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
        if (call->count == macros[i].count + 1 &&
            lw_str_equal(call->name, lw_str_of(macros[i].name)))
            return expand_fold(p, call, &macros[i]);
    }
    if (is_bind(call))
        return expand_bind(p, call, call->args[1], call->args[2], call->args[3]);
    if (call->count == 3 && lw_str_equal(call->name, LW_STR("sortBy")))
        return expand_sort_by(p, call);
    if (call->count == 3 && lw_str_equal(call->name, LW_STR("optMap")))
        return expand_opt_map(p, call, false);
    if (call->count == 3 && lw_str_equal(call->name, LW_STR("optFlatMap")))
        return expand_opt_map(p, call, true);
    return call;
}

/* Parses an integer, decimal or hexadecimal; false: too large. */
static bool read_whole(lw_str text, uint64_t *out)
{
    if (!lw_str_starts_with(text, LW_STR("0x")))
        return lw_str_to_uint64(text, out);
    *out = 0;
    for (size_t i = 2; i < text.len; i++) {
        if (*out >> 60 != 0)
            return false;
        *out = *out << 4 | (uint64_t)lw_char_hex_value(text.ptr[i]);
    }
    return true;
}

static bool read_int(lw_str text, bool is_negative, int64_t *out)
{
    uint64_t magnitude;
    if (!read_whole(text, &magnitude) || magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *out = is_negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return true;
}

/* JSON numbers have no leading '.'. */
static double read_double(lw_cel_parser *p, lw_str text, bool is_negative)
{
    lw_buf number;
    lw_buf_init(&number, LW_CEL_TEXT_MAX + 2);
    lw_buf_append_text(&number, is_negative ? "-0" : "0");
    lw_buf_append_str(&number, text);
    if (number.st < 0 && p->arena->st == LW_OK)
        p->arena->st = number.st;
    double value = number.st < 0 ? 0 : lw_json_number_to_double(lw_buf_view(&number));
    lw_buf_done(&number);
    return value;
}

lw_cel_expr *lw_cel_parse_literal(lw_cel_parser *p, bool is_negative)
{
    lw_cel_value value = { 0 };
    lw_str text = p->token.text;
    switch (p->token.kind) {
    case LW_CEL_TOKEN_INT:
        value.kind = LW_CEL_INT;
        if (!read_int(text, is_negative, &value.integer))
            return lw_cel_parse_error(p, p->token.offset, "invalid int literal");
        break;
    case LW_CEL_TOKEN_UINT:
        value.kind = LW_CEL_UINT;
        if (!read_whole(text, &value.natural))
            return lw_cel_parse_error(p, p->token.offset, "invalid uint literal");
        break;
    case LW_CEL_TOKEN_DOUBLE: value = lw_cel_of_double(read_double(p, text, is_negative)); break;
    case LW_CEL_TOKEN_BYTES:
        value.kind = LW_CEL_BYTES;
        value.text = text;
        break;
    default: value = lw_cel_of_text(text); break;
    }
    lw_cel_expr *literal = lw_cel_expr_new(p, LW_CEL_EXPR_LITERAL, p->token.offset, NULL, 0);
    if (literal)
        literal->literal = value;
    return literal;
}
