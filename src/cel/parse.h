/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h -- the state of the parser; private to parse*.c. */
#ifndef LW_CEL_PARSE_H
#define LW_CEL_PARSE_H

#include "cel/lex.h"

typedef struct lw_cel_parser {
    lw_cel_lexer lexer;
    lw_cel_token token; /* the one at hand */
    lw_arena *arena;
    lw_cel_errors *errors;
    unsigned depth;
    bool is_over; /* an error was reported, or memory ran out */
} lw_cel_parser;

/* A growing list of expressions. */
typedef struct lw_cel_exprs {
    lw_cel_expr **at;
    bool *is_optional;
    size_t count, room;
    bool has_optional;
} lw_cel_exprs;

/* Reports an error and ends the parse.  Returns NULL. */
lw_cel_expr *lw_cel_parse_error(lw_cel_parser *p, uint32_t offset, const char *format, ...)
    LW_PRINTF(3, 4);

/* Makes an expression with |count| arguments, and checks its depth. */
lw_cel_expr *lw_cel_expr_new(lw_cel_parser *p, lw_cel_form form, uint32_t offset,
                             lw_cel_expr **args, size_t count);

/* Returns the expansion of |call| if it is a macro, else |call|. */
lw_cel_expr *lw_cel_expand(lw_cel_parser *p, lw_cel_expr *call);

/* Parses the current token, a number or string literal; |is_negative|: it follows a '-'. */
lw_cel_expr *lw_cel_parse_literal(lw_cel_parser *p, bool is_negative);

#endif
