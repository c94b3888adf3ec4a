/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c -- a recursive descent parser of CEL's grammar.
 *
 * The position of an expression in errors is that of cel-go: the operator, the '.' of a selection,
 * the '(' of a call. */
#include "cel/parse.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

enum {
    MESSAGE_SIZE = 512,
    ROOM_FIRST = 4,
};

static lw_cel_expr *parse_expr(lw_cel_parser *p);

lw_cel_expr *lw_cel_parse_error(lw_cel_parser *p, uint32_t offset, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (!p->is_over)
        lw_cel_add_error(p->errors, offset, "%s", text);
    p->is_over = true;
    return NULL;
}

static void advance(lw_cel_parser *p)
{
    p->token = lw_cel_lex(&p->lexer);
    if (p->token.kind == LW_CEL_TOKEN_BAD || p->arena->st < 0)
        p->is_over = true;
}

static bool is_mark(const lw_cel_parser *p, const char *mark)
{
    return !p->is_over && p->token.kind == LW_CEL_TOKEN_MARK &&
           lw_str_equal(p->token.text, lw_str_of(mark));
}

static bool is_word(const lw_cel_parser *p, const char *word)
{
    return !p->is_over && p->token.kind == LW_CEL_TOKEN_IDENT &&
           lw_str_equal(p->token.text, lw_str_of(word));
}

static bool accept(lw_cel_parser *p, const char *mark)
{
    if (!is_mark(p, mark))
        return false;
    advance(p);
    return true;
}

static lw_cel_expr *unexpected(lw_cel_parser *p, const char *wanted)
{
    lw_str found = p->token.kind == LW_CEL_TOKEN_END ? LW_STR("<EOF>") : p->token.text;
    return lw_cel_parse_error(p, p->token.offset,
                              "Syntax error: mismatched input '%.*s' expecting %s",
                              LW_STR_ARG(found), wanted);
}

static void expect(lw_cel_parser *p, const char *mark)
{
    char wanted[8];
    if (p->is_over || accept(p, mark))
        return;
    (void)snprintf(wanted, sizeof(wanted), "'%s'", mark);
    (void)unexpected(p, wanted);
}

lw_cel_expr *lw_cel_expr_new(lw_cel_parser *p, lw_cel_form form, uint32_t offset,
                             lw_cel_expr **args, size_t count)
{
    lw_cel_expr *expr = p->is_over ? NULL : lw_arena_take_zero(p->arena, 1, sizeof(*expr));
    if (!expr) {
        p->is_over = true;
        return NULL;
    }
    expr->form = form;
    expr->offset = offset;
    expr->args = args;
    expr->count = count;
    expr->depth = 1;
    for (size_t i = 0; i < count; i++)
        expr->depth = args[i]->depth >= expr->depth ? args[i]->depth + 1 : expr->depth;
    if (expr->depth > LW_CEL_DEPTH_MAX)
        return lw_cel_parse_error(p, offset,
                                  "expression recursion limit exceeded. limit: %d: simplify it",
                                  LW_CEL_DEPTH_MAX);
    return expr;
}

/* Appends |expr|; NULL ends the parse. */
static void append(lw_cel_parser *p, lw_cel_exprs *list, lw_cel_expr *expr, bool is_optional)
{
    if (!expr)
        p->is_over = true;
    if (p->is_over)
        return;
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : ROOM_FIRST;
        lw_cel_expr **at = lw_arena_take_zero(p->arena, room, sizeof(*at));
        bool *flags = lw_arena_take_zero(p->arena, room, sizeof(*flags));
        if (!at || !flags) {
            p->is_over = true;
            return;
        }
        if (list->count > 0) {
            memcpy(at, list->at, list->count * sizeof(*at));
            memcpy(flags, list->is_optional, list->count * sizeof(*flags));
        }
        list->at = at;
        list->is_optional = flags;
        list->room = room;
    }
    list->is_optional[list->count] = is_optional;
    list->has_optional = list->has_optional || is_optional;
    list->at[list->count++] = expr;
}

/* Makes a call of |name| with one or two arguments. */
static lw_cel_expr *make_call(lw_cel_parser *p, const char *name, uint32_t offset, lw_cel_expr *a,
                              lw_cel_expr *b)
{
    lw_cel_exprs args = { 0 };
    append(p, &args, a, false);
    if (b)
        append(p, &args, b, false);
    lw_cel_expr *call = lw_cel_expr_new(p, LW_CEL_EXPR_CALL, offset, args.at, args.count);
    if (call)
        call->name = lw_str_of(name);
    return call;
}

/* Parses the arguments of a call, up to its ')'. */
static void parse_args(lw_cel_parser *p, lw_cel_exprs *args)
{
    if (accept(p, ")"))
        return;
    do {
        append(p, args, parse_expr(p), false);
    } while (accept(p, ","));
    expect(p, ")");
}

/* Parses a list, or a map as alternating keys and values. */
static lw_cel_expr *parse_items(lw_cel_parser *p, lw_cel_form form)
{
    bool is_map = form == LW_CEL_EXPR_MAP;
    const char *close = is_map ? "}" : "]";
    uint32_t offset = p->token.offset;
    lw_cel_exprs items = { 0 };
    advance(p);
    while (!p->is_over && !is_mark(p, close)) {
        bool is_optional = accept(p, "?");
        append(p, &items, parse_expr(p), is_optional);
        if (is_map) {
            expect(p, ":");
            append(p, &items, parse_expr(p), is_optional);
        }
        if (!accept(p, ","))
            break;
    }
    expect(p, close);
    lw_cel_expr *expr = lw_cel_expr_new(p, form, offset, items.at, items.count);
    if (expr)
        expr->items.is_optional = items.has_optional ? items.is_optional : NULL;
    return expr;
}

/* Parses a name, or the call of a function. */
static lw_cel_expr *parse_name(lw_cel_parser *p)
{
    lw_cel_token name = p->token;
    if (lw_cel_is_reserved(name.text))
        return lw_cel_parse_error(p, name.offset, "reserved identifier: %.*s",
                                  LW_STR_ARG(name.text));
    advance(p);
    uint32_t open = p->token.offset;
    if (!accept(p, "(")) {
        lw_cel_expr *ident = lw_cel_expr_new(p, LW_CEL_EXPR_IDENT, name.offset, NULL, 0);
        if (ident)
            ident->name = name.text;
        return ident;
    }
    lw_cel_exprs args = { 0 };
    parse_args(p, &args);
    lw_cel_expr *call = lw_cel_expr_new(p, LW_CEL_EXPR_CALL, open, args.at, args.count);
    if (!call)
        return NULL;
    call->name = name.text;
    return lw_cel_expand(p, call);
}

static lw_cel_expr *parse_constant(lw_cel_parser *p, lw_cel_value value)
{
    lw_cel_expr *expr = lw_cel_expr_new(p, LW_CEL_EXPR_LITERAL, p->token.offset, NULL, 0);
    if (expr)
        expr->literal = value;
    advance(p);
    return expr;
}

static lw_cel_expr *parse_primary(lw_cel_parser *p)
{
    if (p->is_over)
        return NULL;
    if (is_word(p, "true") || is_word(p, "false"))
        return parse_constant(p, lw_cel_of_bool(is_word(p, "true")));
    if (is_word(p, "null"))
        return parse_constant(p, lw_cel_of_null());
    if (is_mark(p, ".")) {
        advance(p);
        if (p->token.kind != LW_CEL_TOKEN_IDENT)
            return unexpected(p, "IDENTIFIER");
    }
    if (p->token.kind == LW_CEL_TOKEN_IDENT && !is_word(p, "in"))
        return parse_name(p);
    if (accept(p, "(")) {
        lw_cel_expr *inner = parse_expr(p);
        expect(p, ")");
        return inner;
    }
    if (is_mark(p, "["))
        return parse_items(p, LW_CEL_EXPR_LIST);
    if (is_mark(p, "{"))
        return parse_items(p, LW_CEL_EXPR_MAP);
    if (p->token.kind == LW_CEL_TOKEN_MARK || p->token.kind == LW_CEL_TOKEN_END ||
        p->token.kind == LW_CEL_TOKEN_IDENT || p->token.kind == LW_CEL_TOKEN_QUOTED)
        return unexpected(p, "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, "
                             "NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
    lw_cel_expr *literal = lw_cel_parse_literal(p, false);
    advance(p);
    return literal;
}

/* Parses a selection or member call after a '.'. */
static lw_cel_expr *parse_select(lw_cel_parser *p, lw_cel_expr *operand, uint32_t offset)
{
    bool is_optional = accept(p, "?");
    lw_cel_token name = p->token;
    lw_cel_exprs args = { 0 };
    bool is_quoted = name.kind == LW_CEL_TOKEN_QUOTED;
    if (p->is_over || (name.kind != LW_CEL_TOKEN_IDENT && !is_quoted))
        return unexpected(p, "IDENTIFIER");
    advance(p);
    append(p, &args, operand, false);
    uint32_t open = p->token.offset;
    if (!is_optional && !is_quoted && accept(p, "(")) {
        parse_args(p, &args);
        lw_cel_expr *call = lw_cel_expr_new(p, LW_CEL_EXPR_CALL, open, args.at, args.count);
        if (!call)
            return NULL;
        call->name = name.text;
        call->call.is_member = true;
        return lw_cel_expand(p, call);
    }
    /* As in cel-go, some reserved words are not allowed as member names. */
    if (!is_quoted && lw_cel_is_reserved(name.text) &&
        (lw_str_equal(name.text, LW_STR("true")) || lw_str_equal(name.text, LW_STR("false")) ||
         lw_str_equal(name.text, LW_STR("null")) || lw_str_equal(name.text, LW_STR("in"))))
        return lw_cel_parse_error(p, name.offset,
                                  "Syntax error: no viable alternative at input '.%.*s'",
                                  LW_STR_ARG(name.text));
    lw_cel_expr *select = lw_cel_expr_new(p, LW_CEL_EXPR_SELECT, offset, args.at, args.count);
    if (!select)
        return NULL;
    select->name = name.text;
    select->select.is_optional = is_optional;
    return select;
}

/* Appends the dotted name that |expr| is; false: it is not a name. */
static bool append_name(const lw_cel_expr *expr, lw_buf *out)
{
    if (expr->form == LW_CEL_EXPR_IDENT) {
        lw_buf_append_str(out, expr->name);
        return true;
    }
    if (expr->form != LW_CEL_EXPR_SELECT || expr->select.is_test || expr->select.is_optional ||
        !append_name(expr->args[0], out))
        return false;
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, expr->name);
    return true;
}

static bool is_type_name(const lw_cel_expr *expr)
{
    while (expr->form == LW_CEL_EXPR_SELECT && !expr->select.is_test && !expr->select.is_optional)
        expr = expr->args[0];
    return expr->form == LW_CEL_EXPR_IDENT;
}

/* Parses the fields of Object.spec{...}; |operand| is the name of the type. */
static lw_cel_expr *parse_struct(lw_cel_parser *p, const lw_cel_expr *operand, uint32_t offset)
{
    lw_cel_exprs values = { 0 };
    lw_cel_exprs names = { 0 }; /* identifiers */
    lw_buf type;
    while (!p->is_over && !is_mark(p, "}")) {
        bool is_optional = accept(p, "?");
        lw_cel_token name = p->token;
        if (name.kind != LW_CEL_TOKEN_IDENT && name.kind != LW_CEL_TOKEN_QUOTED)
            return unexpected(p, "IDENTIFIER");
        advance(p);
        lw_cel_expr *ident = lw_cel_expr_new(p, LW_CEL_EXPR_IDENT, name.offset, NULL, 0);
        if (ident)
            ident->name = name.text;
        append(p, &names, ident, false);
        if (ident)
            ident->offset = p->token.offset; /* that of the ':', as in cel-go */
        expect(p, ":");
        append(p, &values, parse_expr(p), is_optional);
        if (!accept(p, ","))
            break;
    }
    expect(p, "}");
    lw_cel_expr *expr = lw_cel_expr_new(p, LW_CEL_EXPR_STRUCT, offset, values.at, values.count);
    lw_str *list = lw_arena_take_zero(p->arena, values.count + 1, sizeof(*list));
    if (!expr || !list) {
        p->is_over = true;
        return NULL;
    }
    uint32_t *offsets = lw_arena_take_zero(p->arena, values.count + 1, sizeof(*offsets));
    for (size_t i = 0; offsets && i < names.count; i++) {
        list[i] = names.at[i]->name;
        offsets[i] = names.at[i]->offset;
    }
    expr->made.names = list;
    expr->made.offsets = offsets;
    expr->made.is_optional = values.has_optional ? values.is_optional : NULL;
    lw_buf_init(&type, LW_CEL_TEXT_MAX);
    (void)append_name(operand, &type);
    expr->name = lw_arena_copy(p->arena, lw_buf_view(&type));
    if (type.st < 0 && p->arena->st == LW_OK)
        p->arena->st = type.st;
    lw_buf_done(&type);
    return expr;
}

static lw_cel_expr *parse_member(lw_cel_parser *p)
{
    lw_cel_expr *expr = parse_primary(p);
    while (expr && !p->is_over) {
        uint32_t offset = p->token.offset;
        if (accept(p, ".")) {
            expr = parse_select(p, expr, offset);
        } else if (accept(p, "[")) {
            bool is_optional = accept(p, "?");
            lw_cel_expr *index = parse_expr(p);
            expect(p, "]");
            expr = index ? make_call(p, is_optional ? "_[?_]" : "_[_]", offset, expr, index) : NULL;
        } else if (is_type_name(expr) && accept(p, "{")) {
            expr = parse_struct(p, expr, offset);
        } else {
            return expr;
        }
    }
    return NULL;
}

static lw_cel_expr *parse_unary(lw_cel_parser *p)
{
    const char *mark = is_mark(p, "!") ? "!" : "-";
    uint32_t offset = p->token.offset;
    if (!is_mark(p, mark))
        return parse_member(p);
    bool is_odd = false;
    lw_cel_token last = p->token;
    while (is_mark(p, mark)) {
        last = p->token;
        advance(p);
        is_odd = !is_odd;
    }
    bool is_number = p->token.kind == LW_CEL_TOKEN_INT || p->token.kind == LW_CEL_TOKEN_DOUBLE;
    if (mark[0] == '-' && is_odd && is_number && last.offset == offset) {
        lw_cel_expr *literal = lw_cel_parse_literal(p, true);
        advance(p);
        /* -1.a is as good as (-1).a: nothing more is made of it. */
        return literal;
    }
    lw_cel_expr *operand = parse_member(p);
    if (!is_odd || !operand)
        return operand;
    return make_call(p, mark[0] == '!' ? "!_" : "-_", offset, operand, NULL);
}

/* A level of operator precedence. */
typedef struct level {
    const char *const marks[8];
    const char *const names[8];
} level;

static const level levels[] = {
    { { "<", "<=", ">=", ">", "==", "!=", "in" },
      { "_<_", "_<=_", "_>=_", "_>_", "_==_", "_!=_", "@in" } },
    { { "+", "-" }, { "_+_", "_-_" } },
    { { "*", "/", "%" }, { "_*_", "_/_", "_%_" } },
};

enum {
    LEVELS = sizeof(levels) / sizeof(levels[0]),
};

static const char *operator_at(const lw_cel_parser *p, size_t number)
{
    for (size_t i = 0; levels[number].marks[i]; i++) {
        if (is_mark(p, levels[number].marks[i]) ||
            (levels[number].marks[i][0] == 'i' && is_word(p, "in")))
            return levels[number].names[i];
    }
    return NULL;
}

static lw_cel_expr *parse_level(lw_cel_parser *p, size_t number)
{
    if (number == LEVELS)
        return parse_unary(p);
    lw_cel_expr *left = parse_level(p, number + 1);
    for (const char *name; left && (name = operator_at(p, number));) {
        uint32_t offset = p->token.offset;
        advance(p);
        lw_cel_expr *right = parse_level(p, number + 1);
        left = right ? make_call(p, name, offset, left, right) : NULL;
    }
    return left;
}

/* Parses a chain of && or || as one expression of any length. */
static lw_cel_expr *parse_chain(lw_cel_parser *p, bool is_or)
{
    const char *mark = is_or ? "||" : "&&";
    lw_cel_expr *first = is_or ? parse_chain(p, false) : parse_level(p, 0);
    lw_cel_exprs terms = { 0 };
    uint32_t offset = p->token.offset;
    if (!first || !is_mark(p, mark))
        return first;
    append(p, &terms, first, false);
    while (accept(p, mark))
        append(p, &terms, is_or ? parse_chain(p, false) : parse_level(p, 0), false);
    return lw_cel_expr_new(p, is_or ? LW_CEL_EXPR_OR : LW_CEL_EXPR_AND, offset, terms.at,
                           terms.count);
}

static lw_cel_expr *parse_conditional(lw_cel_parser *p)
{
    lw_cel_expr *when = parse_chain(p, true);
    lw_cel_exprs args = { 0 };
    uint32_t offset = p->token.offset;
    if (!when || !accept(p, "?"))
        return when;
    append(p, &args, when, false);
    append(p, &args, parse_chain(p, true), false);
    expect(p, ":");
    append(p, &args, parse_expr(p), false);
    return lw_cel_expr_new(p, LW_CEL_EXPR_COND, offset, args.at, args.count);
}

static lw_cel_expr *parse_expr(lw_cel_parser *p)
{
    if (p->is_over)
        return NULL;
    if (++p->depth > LW_CEL_DEPTH_MAX)
        return lw_cel_parse_error(p, p->token.offset,
                                  "expression recursion limit exceeded. limit: %d: simplify it",
                                  LW_CEL_DEPTH_MAX);
    lw_cel_expr *expr = parse_conditional(p);
    p->depth--;
    return p->is_over ? NULL : expr;
}

lw_status lw_cel_parse(lw_cel_program *program, lw_cel_errors *errors)
{
    lw_cel_parser p = { .arena = &program->arena, .errors = errors };
    p.lexer = (lw_cel_lexer){ program->text, 0, &program->arena, errors };
    advance(&p);
    program->root = parse_expr(&p);
    if (!p.is_over && p.token.kind != LW_CEL_TOKEN_END)
        (void)lw_cel_parse_error(&p, p.token.offset,
                                 "Syntax error: extraneous input '%.*s' expecting <EOF>",
                                 LW_STR_ARG(p.token.text));
    if (program->arena.st < 0)
        return program->arena.st;
    return p.is_over || !program->root ? LW_ERR_SYNTAX : LW_OK;
}
