/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h -- a parse under way; for parse*.c alone. */
#ifndef LW_CEL_PARSE_H
#define LW_CEL_PARSE_H

#include "cel/lex.h"

typedef struct lw_cel_parser {
    lw_cel_lexer lexer;
    lw_cel_token token; /* the one at hand */
    lw_arena *arena;
    lw_cel_faults *faults;
    unsigned depth;
    bool is_over; /* a fault was told, or memory ran out */
} lw_cel_parser;

/* A list of expressions in the making. */
typedef struct lw_cel_exprs {
    lw_cel_expr **at;
    bool *is_optional;
    size_t count, room;
    bool has_optional;
} lw_cel_exprs;

/* Tells a fault, and ends the parse.  Returns NULL. */
lw_cel_expr *lw_cel_parse_fault(lw_cel_parser *p, uint32_t offset, const char *format, ...)
    LW_PRINTF(3, 4);

/* A new expression with |count| arguments, whose depth counts. */
lw_cel_expr *lw_cel_expr_new(lw_cel_parser *p, lw_cel_form form, uint32_t offset,
                             lw_cel_expr **args, size_t count);

/* What |call|, which has just been parsed, stands for: a macro's expansion, or itself. */
lw_cel_expr *lw_cel_expand(lw_cel_parser *p, lw_cel_expr *call);

/* A literal: the token at hand, which is a number or text; |is_negative|: a '-' stood before. */
lw_cel_expr *lw_cel_parse_literal(lw_cel_parser *p, bool is_negative);

#endif
