/* SPDX-License-Identifier: Apache-2.0 */
/* lex.h -- the tokens of an expression. */
#ifndef LW_CEL_LEX_H
#define LW_CEL_LEX_H

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

#endif
