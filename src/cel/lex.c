/* SPDX-License-Identifier: Apache-2.0 */
/* lex.c -- splits an expression into tokens. */
#include "cel/parse.h"

#include "base/str.h"

static char peek(const lw_cel_lexer *l, size_t ahead)
{
    return l->at + ahead < l->text.len ? l->text.ptr[l->at + ahead] : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Skips whitespace and comments. */
static void skip_blanks(lw_cel_lexer *l)
{
    while (l->at < l->text.len) {
        char c = l->text.ptr[l->at];
        if (lw_char_is_blank(c) || c == '\f') {
            l->at++;
        } else if (c == '/' && peek(l, 1) == '/') {
            while (l->at < l->text.len && l->text.ptr[l->at] != '\n')
                l->at++;
        } else {
            return;
        }
    }
}

static lw_cel_token take(lw_cel_lexer *l, lw_cel_token_kind kind, size_t len)
{
    lw_cel_token token = { kind, (uint32_t)l->at, lw_str_make(l->text.ptr + l->at, len) };
    l->at += len;
    return token;
}

static size_t digits_from(const lw_cel_lexer *l, size_t ahead)
{
    size_t len = 0;
    while (lw_char_is_digit(peek(l, ahead + len)))
        len++;
    return len;
}

/* Returns the length of an exponent at |ahead|; 0: there is none. */
static size_t exponent_from(const lw_cel_lexer *l, size_t ahead)
{
    size_t len = 1;
    if (peek(l, ahead) != 'e' && peek(l, ahead) != 'E')
        return 0;
    len += peek(l, ahead + 1) == '+' || peek(l, ahead + 1) == '-';
    size_t digits = digits_from(l, ahead + len);
    return digits > 0 ? len + digits : 0;
}

/* Makes a token of |len| bytes; a 'u' after it makes it unsigned. */
static lw_cel_token take_whole(lw_cel_lexer *l, size_t len)
{
    bool is_unsigned = peek(l, len) == 'u' || peek(l, len) == 'U';
    lw_cel_token token = take(l, is_unsigned ? LW_CEL_TOKEN_UINT : LW_CEL_TOKEN_INT, len);
    l->at += is_unsigned;
    return token;
}

static lw_cel_token lex_number(lw_cel_lexer *l)
{
    if (peek(l, 0) == '0' && peek(l, 1) == 'x' && lw_char_hex_value(peek(l, 2)) >= 0) {
        size_t len = 2;
        while (lw_char_hex_value(peek(l, len)) >= 0)
            len++;
        return take_whole(l, len);
    }
    size_t whole = digits_from(l, 0), len = whole;
    size_t fraction = peek(l, whole) == '.' ? digits_from(l, whole + 1) : 0;
    len += fraction > 0 ? 1 + fraction : 0;
    size_t exponent = exponent_from(l, len);
    if (fraction == 0 && exponent == 0)
        return take_whole(l, whole);
    return take(l, LW_CEL_TOKEN_DOUBLE, len + exponent);
}

/* True if a string literal begins here; |*prefix| is the number of prefix letters before the
 * quote. */
static bool is_text(const lw_cel_lexer *l, size_t *prefix, bool *is_raw, bool *is_bytes)
{
    for (size_t i = 0; i < 3; i++) {
        char c = peek(l, i);
        if (c == '"' || c == '\'') {
            *prefix = i;
            return true;
        }
        if ((c == 'r' || c == 'R') && !*is_raw)
            *is_raw = true;
        else if ((c == 'b' || c == 'B') && !*is_bytes)
            *is_bytes = true;
        else
            return false;
    }
    return false;
}

static lw_cel_token lex_quoted(lw_cel_lexer *l)
{
    size_t len = 1;
    char c;
    while ((c = peek(l, len)) != '\0' && c != '`' && c != '\n')
        len++;
    lw_cel_token token = take(l, LW_CEL_TOKEN_QUOTED, len);
    if (c != '`' || len == 1) {
        lw_cel_add_error(l->errors, token.offset, "Syntax error: token recognition error at: '`'");
        token.kind = LW_CEL_TOKEN_BAD;
        return token;
    }
    l->at++;
    token.text = lw_str_skip(token.text, 1);
    return token;
}

static lw_cel_token lex_mark(lw_cel_lexer *l)
{
    static const char *const pairs[] = { "==", "!=", "<=", ">=", "&&", "||" };
    lw_str rest = lw_str_skip(l->text, l->at);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (lw_str_starts_with(rest, lw_str_of(pairs[i])))
            return take(l, LW_CEL_TOKEN_MARK, 2);
    }
    if (strchr("<>[]{}().,-!?:+*/%", rest.ptr[0]))
        return take(l, LW_CEL_TOKEN_MARK, 1);
    lw_cel_token token = take(l, LW_CEL_TOKEN_BAD, 1);
    lw_cel_add_error(l->errors, token.offset, "Syntax error: token recognition error at: '%c'",
                     (unsigned char)rest.ptr[0] < 0x80 && rest.ptr[0] >= ' ' ? rest.ptr[0] : '?');
    return token;
}

lw_cel_token lw_cel_lex(lw_cel_lexer *l)
{
    size_t prefix = 0;
    bool is_raw = false, is_bytes = false;
    skip_blanks(l);
    if (l->at == l->text.len)
        return take(l, LW_CEL_TOKEN_END, 0);
    char c = peek(l, 0);
    if (is_text(l, &prefix, &is_raw, &is_bytes))
        return lw_cel_lex_string(l, prefix, is_raw, is_bytes);
    if (is_letter(c)) {
        size_t len = 1;
        while (is_letter(peek(l, len)) || lw_char_is_digit(peek(l, len)))
            len++;
        return take(l, LW_CEL_TOKEN_IDENT, len);
    }
    if (lw_char_is_digit(c) || (c == '.' && lw_char_is_digit(peek(l, 1))))
        return lex_number(l);
    if (c == '`')
        return lex_quoted(l);
    if (c == '\0') {
        lw_cel_add_error(l->errors, (uint32_t)l->at, "Syntax error: token recognition error");
        return take(l, LW_CEL_TOKEN_BAD, 1);
    }
    return lex_mark(l);
}
