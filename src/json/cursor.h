/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.h -- traverses a valid JSON text without building anything.
 *
 * It is for documents that lw_scan has validated: the cursor trusts its text and never fails.  Use
 * lw_json_validate for untrusted bytes. */
#ifndef LW_JSON_CURSOR_H
#define LW_JSON_CURSOR_H

#include <listwatch/str.h>

#include "base/str.h"

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

/* Skips the string at the cursor and returns the text between its quotes, still escaped;
 * |*is_escaped| is true if it contains escapes. */
lw_str lw_json_cursor_text(lw_json_cursor *c, bool *is_escaped);

/* As lw_json_cursor_text, without |is_escaped|. */
static inline lw_str lw_json_cursor_string(lw_json_cursor *c)
{
    bool is_escaped;
    return lw_json_cursor_text(c, &is_escaped);
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

/* Inside an object: moves to the value of the next member and sets |*raw_key| (still escaped).
 * Returns false, with the cursor past the '}', if there is none.  The value must be skipped (or
 * entered and left) before the next call. */
static inline bool lw_json_cursor_next_member(lw_json_cursor *c, lw_str *raw_key)
{
    if (!lw_json_cursor_next(c, '}'))
        return false;
    *raw_key = lw_json_cursor_string(c);
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end && *c->at == ':')
        c->at++;
    lw_json_cursor_skip_blanks(c);
    return true;
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
