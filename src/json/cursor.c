/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c -- the walk over a valid JSON text.
 * The text is trusted to be JSON, but never to end where it should: no byte at or past |end| is
 * read, and every step over a value moves on while bytes are left, so that a walk ends whatever
 * the bytes are. */
#include "json/cursor.h"

#include "base/str.h"
#include "json/simd.h"
#include "json/text.h"

lw_json_cursor lw_json_cursor_on(lw_str json)
{
    if (json.len == 0)
        json = lw_str_of("");
    return (lw_json_cursor){ .at = json.ptr, .end = json.ptr + json.len };
}

static void skip_blanks(lw_json_cursor *c)
{
    while (c->at < c->end && lw_char_is_blank(*c->at))
        c->at++;
}

static bool stands_on(const lw_json_cursor *c, char byte)
{
    return c->at < c->end && *c->at == byte;
}

lw_json_type lw_json_cursor_type(lw_json_cursor *c)
{
    skip_blanks(c);
    if (c->at == c->end)
        return LW_JSON_NULL;
    switch (*c->at) {
    case 'n': return LW_JSON_NULL;
    case 't':
    case 'f': return LW_JSON_BOOL;
    case '"': return LW_JSON_STRING;
    case '[': return LW_JSON_ARRAY;
    case '{': return LW_JSON_OBJECT;
    default: return LW_JSON_NUMBER;
    }
}

/* Where the string ends whose first byte after the quote is |begin|: at its closing quote, or at
 * |end|.  A quote closes unless an odd number of backslashes stands before it. */
static const char *string_end(const char *begin, const char *end)
{
    const char *from = begin;
    while (from < end) {
        const char *quote = memchr(from, '"', (size_t)(end - from));
        if (!quote)
            return end;
        const char *back = quote;
        while (back > from && back[-1] == '\\')
            back--;
        if ((quote - back) % 2 == 0)
            return quote;
        from = quote + 1;
    }
    return end;
}

/* Steps over the string under the cursor, which stands on its quote. */
static void skip_string(lw_json_cursor *c)
{
    const char *quote = string_end(c->at + 1, c->end);
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

lw_str lw_json_cursor_string(lw_json_cursor *c)
{
    if (lw_json_cursor_type(c) != LW_JSON_STRING) {
        (void)lw_json_cursor_skip(c);
        return lw_str_make(NULL, 0);
    }
    const char *begin = c->at + 1;
    const char *quote = string_end(begin, c->end);
    c->at = quote < c->end ? quote + 1 : c->end;
    return lw_str_make(begin, (size_t)(quote - begin));
}

void lw_json_cursor_enter(lw_json_cursor *c)
{
    skip_blanks(c);
    if (c->at < c->end)
        c->at++;
}

/* Inside a container that ends with |close|: stands on what comes next, or past the end. */
static bool next_item(lw_json_cursor *c, char close)
{
    skip_blanks(c);
    if (stands_on(c, ',')) {
        c->at++;
        skip_blanks(c);
    }
    if (stands_on(c, close)) {
        c->at++;
        return false;
    }
    return c->at < c->end;
}

bool lw_json_cursor_next_member(lw_json_cursor *c, lw_str *raw_key)
{
    if (!next_item(c, '}'))
        return false;
    *raw_key = lw_json_cursor_string(c);
    skip_blanks(c);
    if (stands_on(c, ':'))
        c->at++;
    skip_blanks(c);
    return true;
}

bool lw_json_cursor_next_element(lw_json_cursor *c)
{
    return next_item(c, ']');
}

/* True when |name| stands in JSON as it is. */
static bool is_plain(lw_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == '"' || name.ptr[i] == '\\')
            return false;
    return true;
}

/* Key by key, each decoded. */
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
    skip_blanks(c);
    return true;
}
