/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h -- the lexer and the state of the parser; private to lex*.c and parse*.c. */
#ifndef LW_CEL_PARSE_H
#define LW_CEL_PARSE_H

#include "cel/expr.h"

typedef enum lw_cel_token_kind {
    LW_CEL_TOKEN_END,
    LW_CEL_TOKEN_IDENT,  /* including reserved words */
    LW_CEL_TOKEN_QUOTED, /* `a-b`, a name that is not an identifier */
    LW_CEL_TOKEN_INT,    /* the digits; may begin with 0x */
    LW_CEL_TOKEN_UINT,   /* without the u */
    LW_CEL_TOKEN_DOUBLE,
    LW_CEL_TOKEN_STRING, /* decoded, in the arena */
    LW_CEL_TOKEN_BYTES,
    LW_CEL_TOKEN_MARK, /* an operator or a bracket */
    LW_CEL_TOKEN_BAD,  /* the error was reported */
} lw_cel_token_kind;

typedef struct lw_cel_token {
    lw_cel_token_kind kind;
    uint32_t offset;
    lw_str text;
} lw_cel_token;

typedef struct lw_cel_lexer {
    lw_str text;
    size_t at;
    lw_arena *arena;
    lw_cel_errors *errors;
} lw_cel_lexer;

/* Returns the next token. */
lw_cel_token lw_cel_lex(lw_cel_lexer *lexer);

/* Appends the character |rune| as UTF-8. */
void lw_cel_append_rune(lw_buf *out, uint32_t rune);

/* Decodes the string or bytes literal at lexer->at, which has |prefix| letters before its quote. */
lw_cel_token lw_cel_lex_string(lw_cel_lexer *lexer, size_t prefix, bool is_raw, bool is_bytes);

typedef struct lw_cel_parser {
    lw_cel_lexer lexer;
    lw_cel_token token; /* the current one */
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
