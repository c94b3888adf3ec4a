/* SPDX-License-Identifier: Apache-2.0 */
/* program.c -- compiles and evaluates programs. */
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cel/cel.h"
#include "cel/expr.h"
#include "cel/functions.h"
#include "cel/session_internal.h"
#include "json/writer.h"

enum {
    MESSAGE_SIZE = 1024,
    OUTCOME_MAX = 1024 * 1024, /* bytes of a string result */
};

/* Returns the line of |text| that contains |offset|, and its number. */
static lw_str line_at(lw_str text, uint32_t offset, size_t *number)
{
    size_t begin = 0;
    *number = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            begin = i + 1;
            ++*number;
        }
    }
    size_t end = begin;
    while (end < text.len && text.ptr[end] != '\n')
        end++;
    return lw_str_make(text.ptr + begin, end - begin);
}

void lw_cel_add_error(lw_cel_errors *errors, uint32_t offset, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list args;
    if (errors->count++ >= LW_CEL_ERRORS_MAX)
        return;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    size_t number, column = 0;
    lw_str line = line_at(errors->text, offset, &number);
    const char *place = errors->text.ptr + offset;
    for (const char *p = line.ptr; p < place; p++)
        column += ((unsigned char)*p & 0xc0) != 0x80;
    lw_buf_printf(errors->why, "%sERROR: <input>:%zu:%zu: %s\n | %.*s\n | ",
                  errors->count > 1 ? "\n" : "", number, column + 1, message, LW_STR_ARG(line));
    for (size_t i = 0; i < column; i++)
        lw_buf_append_char(errors->why, '.');
    lw_buf_append_char(errors->why, '^');
}

void lw_cel_program_free(lw_cel_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->pattern_count; i++)
        lw_regex_free(program->patterns[i]);
    lw_free(program->patterns);
    lw_arena_done(&program->arena);
    lw_free(program);
}

static lw_status compile(lw_cel_program *program, lw_str text, lw_buf *why)
{
    lw_cel_errors errors = { .why = why };
    program->text = errors.text = lw_arena_copy(&program->arena, text);
    program->is_used =
        lw_arena_take_zero(&program->arena, program->variable_count + 1, sizeof(bool));
    if (!program->is_used || program->arena.st < 0)
        return program->arena.st;
    lw_status st = lw_cel_parse(program, &errors);
    if (st == LW_OK)
        st = lw_cel_check(program, &errors);
    if (st == LW_OK)
        lw_cel_estimate_cost(program);
    return program->arena.st < 0 ? program->arena.st : st;
}

lw_status lw_cel_compile(lw_cel_program **out, lw_str text, const lw_cel_variable *variables,
                         size_t count, lw_buf *why)
{
    return lw_cel_compile_with(out, text, variables, count, 0, why);
}

lw_status lw_cel_compile_with(lw_cel_program **out, lw_str text, const lw_cel_variable *variables,
                              size_t count, unsigned features, lw_buf *why)
{
    if (text.len > LW_CEL_TEXT_MAX) {
        lw_buf_printf(why, "expression code point size exceeds limit: size: %zu, limit %d",
                      text.len, LW_CEL_TEXT_MAX);
        return LW_ERR_LIMIT;
    }
    lw_cel_program *program = lw_alloc_zero(1, sizeof(*program));
    if (!program)
        return LW_ERR_NOMEM;
    lw_arena_init(&program->arena, LW_CEL_PROGRAM_MAX);
    program->variables = variables;
    program->variable_count = count;
    program->features = features;
    lw_status st = compile(program, text, why);
    if (st == LW_ERR_LIMIT)
        lw_buf_append_text(why, "the expression is too large: simplify it");
    if (st == LW_OK && why->st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    if (st < 0)
        lw_cel_program_free(program);
    else
        *out = program;
    return st;
}

const lw_cel_type *lw_cel_program_type(const lw_cel_program *program)
{
    return program->root->type;
}

lw_cel_kind lw_cel_program_kind(const lw_cel_program *program)
{
    return program->root->type->kind;
}

bool lw_cel_program_uses(const lw_cel_program *program, size_t variable)
{
    return program->is_used[variable];
}

static bool selects(const lw_cel_expr *expr, lw_str variable, lw_str member)
{
    if (expr->form == LW_CEL_EXPR_SELECT && expr->args[0]->form == LW_CEL_EXPR_IDENT &&
        lw_str_equal(expr->args[0]->name, variable) && lw_str_equal(expr->name, member))
        return true;
    for (size_t i = 0; i < expr->count; i++) {
        if (selects(expr->args[i], variable, member))
            return true;
    }
    return expr->form == LW_CEL_EXPR_FOLD && expr->fold.when &&
           selects(expr->fold.when, variable, member);
}

bool lw_cel_program_selects(const lw_cel_program *program, lw_str variable, lw_str member)
{
    return selects(program->root, variable, member);
}

uint64_t lw_cel_program_max_cost(const lw_cel_program *program)
{
    return program->max_cost;
}

static bool bind(lw_cel_run *run, const lw_cel_program *program, const lw_cel_binding *values)
{
    run->slots = lw_arena_take_zero(&run->arena, program->slot_count + 1, sizeof(*run->slots));
    for (size_t i = 0; run->slots && i < program->variable_count; i++) {
        const lw_cel_type *type = program->variables[i].type;
        if (run->session && lw_cel_session_bind(run, i, type, &run->slots[i]))
            continue;
        if (type->kind != LW_CEL_OPTIONAL)
            run->slots[i] = lw_cel_of_node(run, values[i].node, type);
        else if (values[i].has_value)
            run->slots[i] = lw_cel_some(run, lw_cel_of_node(run, values[i].node, type->elem));
        else
            run->slots[i] = lw_cel_none();
    }
    return run->slots != NULL;
}

/* Appends the strings of a list as JSON.  False: not all of them are strings. */
static bool append_strings(lw_cel_run *run, const lw_cel_value *list, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_array_begin(&w);
    for (size_t i = 0; i < lw_cel_size(list); i++) {
        lw_cel_value item = lw_cel_item(run, list, i);
        if (item.kind != LW_CEL_STRING) {
            lw_buf_reset(out);
            return false;
        }
        lw_json_write_string(&w, item.text);
    }
    lw_json_write_array_end(&w);
    return true;
}

static lw_cel_rule_result conclude(lw_cel_run *run, const lw_cel_value *value,
                                   lw_cel_outcome *outcome)
{
    outcome->kind = value->kind;
    if (run->st == LW_ERR_LIMIT || lw_cel_is_error(value)) {
        lw_buf_append_str(&outcome->text, value->text);
        return run->st == LW_ERR_LIMIT ? LW_CEL_TOO_COSTLY : LW_CEL_FAILED;
    }
    outcome->boolean = value->kind == LW_CEL_BOOL && value->boolean;
    if (value->kind == LW_CEL_LIST)
        outcome->is_strings = append_strings(run, value, &outcome->text);
    else
        (void)lw_cel_append_text(&outcome->text, value);
    return LW_CEL_VALUE;
}

lw_cel_value lw_cel_run_program(lw_cel_run *run, const lw_cel_program *program,
                                const lw_cel_binding *values)
{
    lw_cel_value value =
        bind(run, program, values) ? lw_cel_eval_expr(run, program->root) : lw_cel_over(run);
    return lw_cel_is_over(run) ? lw_cel_over(run) : value;
}

lw_status lw_cel_conclude(lw_cel_run *run, const lw_cel_value *value, lw_cel_outcome *outcome)
{
    lw_cel_outcome found = { .verdict = LW_CEL_FAILED };
    lw_buf_init(&found.text, OUTCOME_MAX);
    found.verdict = conclude(run, value, &found);
    found.cost = run->cost;
    if (found.text.st == LW_ERR_NOMEM)
        run->st = LW_ERR_NOMEM;
    if (run->st == LW_ERR_NOMEM) {
        lw_buf_done(&found.text);
        return LW_ERR_NOMEM;
    }
    *outcome = found;
    return LW_OK;
}

lw_status lw_cel_eval(const lw_cel_program *program, const lw_cel_binding *values, uint64_t budget,
                      lw_cel_outcome *outcome)
{
    lw_cel_run run = { .budget = budget };
    lw_arena_init(&run.arena, LW_CEL_VALUES_MAX);
    lw_cel_value value = lw_cel_run_program(&run, program, values);
    lw_status st = lw_cel_conclude(&run, &value, outcome);
    lw_arena_done(&run.arena);
    return st;
}

void lw_cel_outcome_done(lw_cel_outcome *outcome)
{
    lw_buf_done(&outcome->text);
}
