/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.h -- traverses a valid JSON text without building anything.
 *
 * It is for documents that lw_scan has validated: the cursor trusts its text and never fails.  Use
 * lw_json_validate for untrusted bytes. */
#ifndef LW_JSON_CURSOR_H
#define LW_JSON_CURSOR_H

#include <listwatch/str.h>

#include "base/str.h"
#include "json/special.h"

typedef enum lw_json_type {
    LW_JSON_NULL,
    LW_JSON_BOOL,
    LW_JSON_NUMBER,
    LW_JSON_STRING,
    LW_JSON_ARRAY,
    LW_JSON_OBJECT,
} lw_json_type;

/* The position in a text.  Copy it to remember a position. */
typedef struct lw_json_cursor {
    const char *at;  /* next byte to read */
    const char *end; /* one past the last byte of the text */
} lw_json_cursor;

/* Returns a cursor at the first value of the valid text |json|. */
lw_json_cursor lw_json_cursor_on(lw_str json);

/* Skips the value at the cursor and returns its text, with quotes and brackets and without
 * surrounding white space. */
lw_str lw_json_cursor_skip(lw_json_cursor *c);

/* Moves past the value at the cursor if it is the object or array |compact|, valid JSON without
 * white space: with the same order of members and the same text of numbers, but whatever white
 * space and escapes.  Returns false if it is another one; then the cursor stays. */
bool lw_json_cursor_pass(lw_json_cursor *c, lw_str compact);

/* Skips the string at the cursor and returns the text between its quotes, still escaped;
 * |*is_escaped| is true if it contains escapes. */
lw_str lw_json_cursor_any_text(lw_json_cursor *c, bool *is_escaped);

/* The same, inlined for a string that begins at once and has no escapes. */
static inline lw_str lw_json_cursor_text(lw_json_cursor *c, bool *is_escaped)
{
    if (c->end - c->at > 1 && *c->at == '"') {
        const char *begin = c->at + 1, *quote = lw_json_find_special(begin, c->end);
        if (quote < c->end && *quote == '"') {
            c->at = quote + 1;
            *is_escaped = false;
            return lw_str_make(begin, (size_t)(quote - begin));
        }
    }
    bool is_text_escaped; /* so that the caller's may be in a register */
    lw_str text = lw_json_cursor_any_text(c, &is_text_escaped);
    *is_escaped = is_text_escaped;
    return text;
}

/* As lw_json_cursor_any_text, without |is_escaped|. */
static inline lw_str lw_json_cursor_string(lw_json_cursor *c)
{
    bool is_escaped;
    return lw_json_cursor_any_text(c, &is_escaped);
}

static inline void lw_json_cursor_skip_blanks(lw_json_cursor *c)
{
    while (c->at < c->end && lw_char_is_blank(*c->at))
        c->at++;
}

/* Returns the type of the value at the cursor. */
static inline lw_json_type lw_json_cursor_type(lw_json_cursor *c)
{
    lw_json_cursor_skip_blanks(c);
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

/* Enters the object or array at the cursor. */
static inline void lw_json_cursor_enter(lw_json_cursor *c)
{
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end)
        c->at++;
}

/* Inside a container that ends with |close|: moves to the next item, or past the end. */
static inline bool lw_json_cursor_next(lw_json_cursor *c, char close)
{
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end && *c->at == ',') {
        c->at++;
        lw_json_cursor_skip_blanks(c);
    }
    if (c->at < c->end && *c->at == close) {
        c->at++;
        return false;
    }
    return c->at < c->end;
}

/* After a key: moves to its value. */
static inline void lw_json_cursor_pass_colon(lw_json_cursor *c)
{
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end && *c->at == ':')
        c->at++;
    lw_json_cursor_skip_blanks(c);
}

/* Inside an object: moves to the value of the next member and sets |*raw_key| (still escaped).
 * Returns false, with the cursor past the '}', if there is none.  The value must be skipped (or
 * entered and left) before the next call. */
static inline bool lw_json_cursor_next_member(lw_json_cursor *c, lw_str *raw_key)
{
    if (!lw_json_cursor_next(c, '}'))
        return false;
    *raw_key = lw_json_cursor_string(c);
    lw_json_cursor_pass_colon(c);
    return true;
}

/* The same; |*is_escaped| is true if the key contains escapes. */
bool lw_json_cursor_any_key(lw_json_cursor *c, lw_str *raw_key, bool *is_escaped);

/* The same, inlined for compact JSON and a key without escapes. */
static inline bool lw_json_cursor_next_key(lw_json_cursor *c, lw_str *raw_key, bool *is_escaped)
{
    const char *at = c->at, *end = c->end;
    if (end - at > 1) {
        at += *at == ',';
        if (*at == '}') {
            c->at = at + 1;
            return false;
        }
        if (*at == '"') {
            const char *begin = at + 1, *quote = lw_json_find_special(begin, end);
            if (end - quote > 2 && *quote == '"' && quote[1] == ':' &&
                (unsigned char)quote[2] > ' ') {
                *raw_key = lw_str_make(begin, (size_t)(quote - begin));
                *is_escaped = false;
                c->at = quote + 2;
                return true;
            }
        }
    }
    lw_str key; /* so that the caller's may be in a register */
    bool is_key_escaped;
    if (!lw_json_cursor_any_key(c, &key, &is_key_escaped))
        return false;
    *raw_key = key;
    *is_escaped = is_key_escaped;
    return true;
}

/* True if the next member of an object, in compact JSON, is |name|, which needs no escapes: then
 * lw_json_cursor_pass_key moves to its value.  False if that is not known. */
static inline bool lw_json_cursor_is_next(const lw_json_cursor *c, lw_str name)
{
    const char *at = c->at;
    if ((size_t)(c->end - at) < name.len + sizeof(",\"\":1") - 1)
        return false;
    at += *at == ',';
    return at[name.len + 1] == '"' && *at == '"' && at[name.len + 2] == ':' &&
           (unsigned char)at[name.len + 3] > ' ' && lw_str_same(name.ptr, at + 1, name.len);
}

static inline void lw_json_cursor_pass_key(lw_json_cursor *c, lw_str name)
{
    c->at += (*c->at == ',') + name.len + sizeof("\"\":") - 1;
}

/* Inside an array: moves to the next element, or past the ']'. */
static inline bool lw_json_cursor_next_element(lw_json_cursor *c)
{
    return lw_json_cursor_next(c, ']');
}

/* Moves from the object at the cursor to the value of its member |name|, the last one if there are
 * several, as everywhere in Kubernetes.  Returns false and does not move if there is none, or if
 * the value is not an object. */
bool lw_json_cursor_find_member(lw_json_cursor *c, lw_str name);

#endif
