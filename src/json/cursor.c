/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c -- traverses a valid JSON text.
 *
 * The text is trusted to be JSON, but not to be complete: no byte at or after |end| is read, and
 * each skip advances while bytes are left, so that a traversal ends whatever the bytes are. */
#include "json/cursor.h"

#include <string.h>

#include "json/simd.h"
#include "json/special.h"
#include "json/text.h"

lw_json_cursor lw_json_cursor_on(lw_str json)
{
    if (json.len == 0)
        json = lw_str_of("");
    return (lw_json_cursor){ .at = json.ptr, .end = json.ptr + json.len };
}

/* Finds |byte| in |word|, eight bytes in memory order: sets the highest bit of each such byte; only
 * the lowest set bit is reliable. */
static uint64_t find_byte(uint64_t word, unsigned char byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t zero = word ^ ones * byte;
    return (zero - ones) & ~zero & ones << 7;
}

const char *lw_json_find_special_plain(const char *from, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - from >= 8; from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof(word));
        uint64_t found = find_byte(word, '"') | find_byte(word, '\\');
        if (found)
            return from + __builtin_ctzll(found) / 8;
    }
#endif
    while (from < end && *from != '"' && *from != '\\')
        from++;
    return from;
}

/* Returns the end of the string whose first byte after the quote is |begin|: its closing quote, or
 * |end|. */
static const char *string_end(const char *begin, const char *end, bool *is_escaped)
{
    const char *at = lw_json_find_special(begin, end);
    *is_escaped = at < end && *at == '\\';
    while (at < end && *at == '\\')
        at = lw_json_find_special(end - at > 2 ? at + 2 : end, end);
    return at;
}

/* Skips the string at the cursor, which is at its opening quote. */
static void skip_string(lw_json_cursor *c)
{
    bool is_escaped;
    const char *quote = string_end(c->at + 1, c->end, &is_escaped);
    c->at = quote < c->end ? quote + 1 : c->end;
}

static void skip_scalar(lw_json_cursor *c)
{
    const char *begin = c->at;
    while (c->at < c->end && !lw_char_is_blank(*c->at) && *c->at != ',' && *c->at != ']' &&
           *c->at != '}')
        c->at++;
    if (c->at == begin && c->at < c->end)
        c->at++;
}

lw_str lw_json_cursor_skip(lw_json_cursor *c)
{
    lw_json_type type = lw_json_cursor_type(c);
    const char *begin = c->at;
    if (type == LW_JSON_STRING)
        skip_string(c);
    else if (type == LW_JSON_ARRAY || type == LW_JSON_OBJECT)
        c->at = lw_simd_best()->skip_container(c->at, c->end);
    else
        skip_scalar(c);
    return lw_str_make(begin, (size_t)(c->at - begin));
}

lw_str lw_json_cursor_any_text(lw_json_cursor *c, bool *is_escaped)
{
    if (lw_json_cursor_type(c) != LW_JSON_STRING) {
        (void)lw_json_cursor_skip(c);
        *is_escaped = false;
        return lw_str_make(NULL, 0);
    }
    const char *begin = c->at + 1;
    const char *quote = string_end(begin, c->end, is_escaped);
    c->at = quote < c->end ? quote + 1 : c->end;
    return lw_str_make(begin, (size_t)(quote - begin));
}

/* Moves both cursors past what is written alike. */
static void pass_equal(lw_json_cursor *a, lw_json_cursor *b)
{
    enum {
        BLOCK = 32
    };
    while (a->end - a->at >= BLOCK && b->end - b->at >= BLOCK && memcmp(a->at, b->at, BLOCK) == 0) {
        a->at += BLOCK;
        b->at += BLOCK;
    }
    while (a->at < a->end && b->at < b->end && *a->at == *b->at) {
        a->at++;
        b->at++;
    }
}

/* Returns the quote in front of the string in which |at| is; NULL: it is in none.  |from| is before
 * it and in none. */
static const char *string_around(const char *from, const char *at)
{
    bool is_escaped;
    while ((from = memchr(from, '"', (size_t)(at - from)))) {
        const char *quote = string_end(from + 1, at, &is_escaped);
        if (quote == at)
            return from;
        from = quote + 1;
    }
    return NULL;
}

/* Compares what two strings say. */
static bool texts_equal(lw_str a, lw_str b)
{
    char in_a[4], in_b[4];
    lw_str x = LW_STR(""), y = LW_STR("");
    for (;;) {
        bool has_x = x.len > 0 || lw_json_text_next(&a, in_a, &x);
        bool has_y = y.len > 0 || lw_json_text_next(&b, in_b, &y);
        size_t len = x.len < y.len ? x.len : y.len;
        if (!has_x || !has_y)
            return has_x == has_y;
        if (memcmp(x.ptr, y.ptr, len) != 0)
            return false;
        x = lw_str_skip(x, len);
        y = lw_str_skip(y, len);
    }
}

bool lw_json_cursor_pass(lw_json_cursor *c, lw_str compact)
{
    lw_json_cursor a = *c, b = lw_json_cursor_on(compact);
    for (const char *from = b.at;; from = b.at) { /* outside of strings */
        pass_equal(&a, &b);
        if (b.at == b.end)
            break;
        const char *quote = string_around(from, b.at), *before = a.at;
        if (quote) {
            a.at -= b.at - quote;
            b.at = quote;
            lw_str x = lw_json_cursor_string(&a), y = lw_json_cursor_string(&b);
            if (!texts_equal(x, y))
                return false;
        } else {
            lw_json_cursor_skip_blanks(&a);
            if (a.at == before)
                return false;
        }
    }
    *c = a;
    return true;
}

bool lw_json_cursor_any_key(lw_json_cursor *c, lw_str *raw_key, bool *is_escaped)
{
    if (!lw_json_cursor_next(c, '}'))
        return false;
    *raw_key = lw_json_cursor_any_text(c, is_escaped);
    lw_json_cursor_pass_colon(c);
    return true;
}

/* Returns true if |name| needs no escapes in JSON. */
static bool is_plain(lw_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == '"' || name.ptr[i] == '\\')
            return false;
    return true;
}

/* Compares key by key, each decoded. */
static bool walk_to_member(lw_json_cursor *c, lw_str name)
{
    lw_json_cursor walk = *c;
    bool is_found = false;
    lw_str raw_key;
    lw_json_cursor_enter(&walk);
    while (lw_json_cursor_next_member(&walk, &raw_key)) {
        if (lw_json_text_equal(raw_key, name)) {
            *c = walk;
            is_found = true;
        }
        (void)lw_json_cursor_skip(&walk);
    }
    return is_found;
}

bool lw_json_cursor_find_member(lw_json_cursor *c, lw_str name)
{
    const char *colon = NULL;
    if (lw_json_cursor_type(c) != LW_JSON_OBJECT)
        return false;
    if (!is_plain(name) || !lw_simd_best()->find_member(c->at, c->end, name, &colon))
        return walk_to_member(c, name);
    if (!colon)
        return false;
    c->at = colon + 1;
    lw_json_cursor_skip_blanks(c);
    return true;
}
