/* SPDX-License-Identifier: Apache-2.0 */
/* expr.h -- an expression, taken apart.  parse.c makes it, check.c finds out the types and where
 * variables are, eval*.c and estimate.c read it.  All of it is of the program's arena. */
#ifndef LW_CEL_EXPR_H
#define LW_CEL_EXPR_H

#include "base/regex.h"
#include "cel/value.h"

typedef enum lw_cel_form {
    LW_CEL_EXPR_LITERAL,
    LW_CEL_EXPR_IDENT,
    LW_CEL_EXPR_SELECT, /* a.b, and has(a.b) */
    LW_CEL_EXPR_CALL,   /* functions and operators */
    LW_CEL_EXPR_AND,    /* args */
    LW_CEL_EXPR_OR,
    LW_CEL_EXPR_COND, /* three args */
    LW_CEL_EXPR_LIST, /* args */
    LW_CEL_EXPR_MAP,  /* args: key, value, key, value ... */
    LW_CEL_EXPR_FOLD, /* a macro that goes through a list or map */
    LW_CEL_EXPR_BIND, /* a name for a value: args[0], in args[1] */
} lw_cel_form;

typedef enum lw_cel_macro {
    LW_CEL_FOLD_ALL,
    LW_CEL_FOLD_EXISTS,
    LW_CEL_FOLD_EXISTS_ONE,
    LW_CEL_FOLD_MAP,             /* a list of what args[1] makes of each */
    LW_CEL_FOLD_FILTER,          /* a list of those that args[1] is true of */
    LW_CEL_FOLD_TRANSFORM_MAP,   /* a map: its keys, and what args[1] makes of each */
    LW_CEL_FOLD_TRANSFORM_ENTRY, /* a map of the entries that args[1] makes */
} lw_cel_macro;

typedef struct lw_cel_expr lw_cel_expr;
struct lw_cel_overload;

struct lw_cel_expr {
    lw_cel_form form;
    uint32_t offset; /* in the text: where a fault of it is shown */
    unsigned depth;
    const lw_cel_type *type;
    lw_cel_expr **args;
    size_t count;
    lw_str name; /* of an IDENT, SELECT, CALL; the variable of a FOLD or BIND */
    union {
        lw_cel_value literal;
        size_t slot; /* IDENT, BIND */
        struct {
            bool is_test;     /* has() */
            bool is_optional; /* a.?b */
        } select;
        struct {
            bool is_member;                          /* args[0] stood before the '.' */
            const struct lw_cel_overload *overloads; /* of its name, once it is checked */
            size_t overload_count;
            const lw_regex *pattern; /* made once of a constant argument; NULL: none */
        } call;
        struct {
            bool *is_optional; /* of each element or entry: [?a]; NULL: none is */
        } items;
        struct {
            lw_cel_macro macro;
            bool has_two; /* a second variable */
            lw_str second;
            lw_cel_expr *when; /* of map(x, when, ...) and transform...; NULL: always */
            size_t slot;       /* of the first; the second one follows */
        } fold;
    };
};

struct lw_cel_program {
    lw_arena arena;
    lw_str text;
    lw_cel_expr *root;
    const lw_cel_variable *variables;
    size_t variable_count;
    bool *is_used; /* of each variable */
    size_t slot_count;
    uint64_t max_cost;
    lw_regex **patterns; /* to be freed with it */
    size_t pattern_count;
};

/* Faults of a text in the making. */
typedef struct lw_cel_faults {
    lw_str text;
    lw_buf *why;
    size_t count;
} lw_cel_faults;

enum {
    LW_CEL_FAULTS_MAX = 20, /* of an expression that are named */
};

/* Adds a fault at |offset|. */
void lw_cel_fault(lw_cel_faults *faults, uint32_t offset, const char *format, ...) LW_PRINTF(3, 4);

/* Parses program->text.  LW_ERR_SYNTAX, LW_ERR_LIMIT with faults told; LW_ERR_NOMEM. */
lw_status lw_cel_parse(lw_cel_program *program, lw_cel_faults *faults);

/* Finds the types, overloads and slots.  The same. */
lw_status lw_cel_check(lw_cel_program *program, lw_cel_faults *faults);

/* Sets program->max_cost. */
void lw_cel_estimate_cost(lw_cel_program *program);

/* Evaluates; an ERROR is a value too. */
lw_cel_value lw_cel_eval_expr(lw_cel_run *run, const lw_cel_expr *expr);
lw_cel_value lw_cel_eval_fold(lw_cel_run *run, const lw_cel_expr *expr);

#endif
