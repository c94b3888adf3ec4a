/* SPDX-License-Identifier: Apache-2.0 */
/* expr.h -- a parsed expression.  parse.c makes it, check.c adds types and variable slots, eval*.c
 * and estimate.c read it.  All nodes are in the arena of the program. */
#ifndef LW_CEL_EXPR_H
#define LW_CEL_EXPR_H

#include "base/regex/regex.h"
#include "cel/value.h"

typedef enum lw_cel_form {
    LW_CEL_EXPR_LITERAL,
    LW_CEL_EXPR_IDENT,
    LW_CEL_EXPR_SELECT, /* a.b, and has(a.b) */
    LW_CEL_EXPR_CALL,   /* functions and operators */
    LW_CEL_EXPR_AND,    /* args */
    LW_CEL_EXPR_OR,
    LW_CEL_EXPR_COND,   /* three args */
    LW_CEL_EXPR_LIST,   /* args */
    LW_CEL_EXPR_MAP,    /* args: key, value, key, value ... */
    LW_CEL_EXPR_FOLD,   /* a macro that iterates over a list or map */
    LW_CEL_EXPR_STRUCT, /* Object{a: 1}: |name| is the type, args are the values */
    LW_CEL_EXPR_BIND,   /* cel.bind: a variable for the value args[0], used in args[1] */
} lw_cel_form;

typedef enum lw_cel_macro {
    LW_CEL_FOLD_ALL,
    LW_CEL_FOLD_EXISTS,
    LW_CEL_FOLD_EXISTS_ONE,
    LW_CEL_FOLD_MAP,             /* a list of the value of args[1] for each element */
    LW_CEL_FOLD_FILTER,          /* a list of the elements for which args[1] is true */
    LW_CEL_FOLD_TRANSFORM_MAP,   /* a map with the same keys, and the value of args[1] for each */
    LW_CEL_FOLD_TRANSFORM_ENTRY, /* a map of the entries that args[1] returns */
} lw_cel_macro;

typedef struct lw_cel_expr lw_cel_expr;
struct lw_cel_overload;

struct lw_cel_expr {
    lw_cel_form form;
    uint32_t offset; /* position in the text, for errors */
    unsigned depth;
    const lw_cel_type *type;
    lw_cel_expr **args;
    size_t count;
    lw_str name; /* IDENT, SELECT, CALL: the name; FOLD, BIND: the variable */
    union {
        lw_cel_value literal;
        size_t slot; /* IDENT, BIND */
        struct {
            bool is_test;     /* has() */
            bool is_optional; /* a.?b */
        } select;
        struct {
            bool is_member; /* args[0] is the receiver, before the '.' */
            const struct lw_cel_overload
                *overloads; /* all overloads of the name, after the check */
            size_t overload_count;
            const lw_regex *pattern; /* compiled constant argument; NULL: none */
        } call;
        struct {
            bool *is_optional; /* for each element or entry: [?a]; NULL: none is optional */
        } items;
        struct {
            bool *is_optional;   /* the same: {?a: b} */
            const lw_str *names; /* of the fields */
            const uint32_t *offsets;
        } made;
        struct {
            lw_cel_macro macro;
            bool has_two; /* it has a second variable */
            lw_str second;
            lw_cel_expr *when; /* the condition of map(x, when, ...) and transform...; NULL: none */
            size_t slot;       /* of the first variable; the second one follows */
        } fold;
    };
};

struct lw_cel_program {
    lw_arena arena;
    lw_str text;
    lw_cel_expr *root;
    const lw_cel_variable *variables;
    size_t variable_count;
    unsigned features; /* LW_CEL_FEATURE_ */
    bool *is_used;     /* for each variable */
    size_t slot_count;
    uint64_t max_cost;
    lw_regex **patterns; /* freed with the program */
    size_t pattern_count;
};

/* The errors of an expression being compiled. */
typedef struct lw_cel_errors {
    lw_str text;
    lw_buf *why;
    size_t count;
} lw_cel_errors;

enum {
    LW_CEL_ERRORS_MAX = 20, /* reported errors of an expression */
};

/* Adds an error at |offset|. */
void lw_cel_add_error(lw_cel_errors *errors, uint32_t offset, const char *format, ...)
    LW_PRINTF(3, 4);

/* Parses program->text.  LW_ERR_SYNTAX, LW_ERR_LIMIT: the errors are reported; LW_ERR_NOMEM. */
lw_status lw_cel_parse(lw_cel_program *program, lw_cel_errors *errors);

/* Finds types, overloads and slots.  The same errors. */
lw_status lw_cel_check(lw_cel_program *program, lw_cel_errors *errors);

/* Sets program->max_cost. */
void lw_cel_estimate_cost(lw_cel_program *program);

/* Evaluates |expr|.  An error is a value of kind ERROR. */
lw_cel_value lw_cel_eval_expr(lw_cel_run *run, const lw_cel_expr *expr);
lw_cel_value lw_cel_eval_fold(lw_cel_run *run, const lw_cel_expr *expr);
lw_cel_value lw_cel_eval_struct(lw_cel_run *run, const lw_cel_expr *expr);

/* Runs the whole of |program| with |values| for its variables; run->st tells whether the evaluation
 * has ended early. */
lw_cel_value lw_cel_run_program(lw_cel_run *run, const lw_cel_program *program,
                                const lw_cel_binding *values);

/* Sets |outcome| from the value of a finished run.  LW_ERR_NOMEM: it is not set. */
LW_MUST_CHECK lw_status lw_cel_conclude(lw_cel_run *run, const lw_cel_value *value,
                                        lw_cel_outcome *outcome);

#endif
