/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.h -- walk a JSON text that is known to be valid, without building anything.
 *
 * For documents that lw_scan has checked already: the cursor trusts its text and never fails.
 * Checking bytes from a stranger is scan's work (lw_json_validate). */
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

/* Where a walk stands.  A value type: copy it to remember a place. */
typedef struct lw_json_cursor {
    const char *at;  /* next byte to read */
    const char *end; /* one past the last byte of the text */
} lw_json_cursor;

/* A cursor on the first value of the valid text |json|. */
lw_json_cursor lw_json_cursor_on(lw_str json);

/* Steps over the value under the cursor and returns its text: quotes and brackets included, no
 * blanks around it. */
lw_str lw_json_cursor_skip(lw_json_cursor *c);

/* Steps over the string under the cursor and returns what stands between its quotes, still escaped;
 * |*is_escaped| tells whether anything is. */
lw_str lw_json_cursor_text(lw_json_cursor *c, bool *is_escaped);

/* The same without asking. */
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

/* What the value under the cursor is. */
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

/* Enters the object or array under the cursor. */
static inline void lw_json_cursor_enter(lw_json_cursor *c)
{
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end)
        c->at++;
}

/* Inside a container that ends with |close|: stands on what comes next, or past the end. */
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

/* Inside an object: moves to the next member, sets |*raw_key| (still escaped) and stands on its
 * value; false, and the cursor past the '}', when there is none.  The value of a member must be
 * stepped over (or entered and left) before the next call. */
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

/* The same for an array: stands on the next element, or past the ']'. */
static inline bool lw_json_cursor_next_element(lw_json_cursor *c)
{
    return lw_json_cursor_next(c, ']');
}

/* Moves from the object under the cursor to the value of its member |name|, the last one where
 * there are several, as everywhere in Kubernetes.  False, and the cursor stays: there is none, or
 * this is no object. */
bool lw_json_cursor_find_member(lw_json_cursor *c, lw_str name);

#endif
