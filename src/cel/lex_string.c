/* SPDX-License-Identifier: Apache-2.0 */
/* lex_string.c -- string and bytes literals: with one or three quotes, raw or with escapes. */
#include "cel/parse.h"

#include "base/str.h"

enum {
    RUNE_MAX = 0x10ffff,
};

void lw_cel_append_rune(lw_buf *out, uint32_t rune)
{
    if (rune < 0x80) {
        lw_buf_append_char(out, (char)rune);
        return;
    }
    unsigned more = rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    lw_buf_append_char(out, (char)(lead[more] | rune >> (6 * more)));
    while (more-- > 0)
        lw_buf_append_char(out, (char)(0x80 | (rune >> (6 * more) & 0x3f)));
}

/* Reads |count| digits in |base| at |at|. */
static bool read_digits(lw_str text, size_t at, size_t count, unsigned base, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = at + i < text.len ? lw_char_hex_value(text.ptr[at + i]) : -1;
        if (digit < 0 || (unsigned)digit >= base)
            return false;
        *out = *out * base + (uint32_t)digit;
    }
    return true;
}

static bool is_rune(uint32_t rune)
{
    return rune <= RUNE_MAX && !(rune >= 0xd800 && rune < 0xe000);
}

/* Returns the character of a simple escape. */
static char plain_escape(char c)
{
    static const char letters[] = "abfnrtv\"'\\?`", meanings[] = "\a\b\f\n\r\t\v\"'\\?`";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? meanings[at - letters] : '\0';
}

/* Decodes the escape after the '\' at |at|; returns its length without the '\', 0: invalid. */
static size_t read_escape(lw_str text, size_t at, bool is_bytes, lw_buf *out)
{
    uint32_t value = 0;
    char c = at < text.len ? text.ptr[at] : '\0';
    size_t len = 0;
    if (plain_escape(c)) {
        lw_buf_append_char(out, plain_escape(c));
        return 1;
    }
    if ((c == 'x' || c == 'X') && read_digits(text, at + 1, 2, 16, &value))
        len = 3;
    else if (c >= '0' && c <= '3' && read_digits(text, at, 3, 8, &value))
        len = 3;
    else if (!is_bytes && c == 'u' && read_digits(text, at + 1, 4, 16, &value) && is_rune(value))
        len = 5;
    else if (!is_bytes && c == 'U' && read_digits(text, at + 1, 8, 16, &value) && is_rune(value))
        len = 9;
    if (len == 0)
        return 0;
    if (is_bytes)
        lw_buf_append_char(out, (char)value);
    else
        lw_cel_append_rune(out, value);
    return len;
}

static lw_cel_token bad(lw_cel_lexer *l, size_t start, const char *what)
{
    lw_cel_add_error(l->errors, (uint32_t)start, "Syntax error: %s", what);
    return (lw_cel_token){ LW_CEL_TOKEN_BAD, (uint32_t)start, LW_STR("") };
}

/* True if the literal ends at |at|. */
static bool is_end(lw_str text, size_t at, lw_str quotes)
{
    return lw_str_starts_with(lw_str_skip(text, at), quotes);
}

lw_cel_token lw_cel_lex_string(lw_cel_lexer *l, size_t prefix, bool is_raw, bool is_bytes)
{
    lw_str text = l->text;
    size_t start = l->at, at = start + prefix;
    lw_str quotes = lw_str_make(text.ptr + at, 1);
    lw_str rest = lw_str_skip(text, at);
    if (lw_str_starts_with(rest, LW_STR("\"\"\"")) || lw_str_starts_with(rest, LW_STR("'''")))
        quotes.len = 3;
    lw_buf out;
    lw_buf_init(&out, LW_CEL_TEXT_MAX * 4);
    for (at += quotes.len; !is_end(text, at, quotes);) {
        char c = at < text.len ? text.ptr[at] : '\0';
        size_t escape = 0;
        bool is_open = at >= text.len || (quotes.len == 1 && (c == '\n' || c == '\r'));
        if (!is_open && c == '\\' && !is_raw) {
            escape = read_escape(text, at + 1, is_bytes, &out);
            is_open = escape == 0;
        }
        if (is_open) {
            lw_buf_done(&out);
            l->at = text.len;
            return bad(l, start,
                       at >= text.len || c != '\\'
                           ? "unterminated string literal"
                           : "unknown escape sequence in the string literal");
        }
        if (escape == 0)
            lw_buf_append_char(&out, c);
        at += 1 + escape;
    }
    l->at = at + quotes.len;
    lw_cel_token token = { is_bytes ? LW_CEL_TOKEN_BYTES : LW_CEL_TOKEN_STRING, (uint32_t)start,
                           lw_arena_copy(l->arena, lw_buf_view(&out)) };
    if (out.st < 0 && l->arena->st == LW_OK)
        l->arena->st = out.st;
    lw_buf_done(&out);
    return token;
}
