/* SPDX-License-Identifier: Apache-2.0 */
/* value.h -- reads single values from valid JSON, for cells.
 *
 * Unlike lw_object_string, these functions do not cache decoded strings in the object; a table of
 * all objects would leave such strings on every one.  An empty view means that the value is absent;
 * nothing is found in it. */
#ifndef LW_SCHEMA_PRINTERS_VALUE_H
#define LW_SCHEMA_PRINTERS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"
#include "base/text/time_text.h"
#include "json/cursor.h"

/* Returns the JSON text of the value at |pointer|; empty if it is absent or null.  |json| must have
 * no whitespace around it. */
lw_str lw_value_at(lw_str json, const char *pointer);

/* True if the string at |pointer| is |text|. */
bool lw_value_is(lw_str json, const char *pointer, lw_str text);

/* Appends the string at |pointer| decoded, or a number or boolean as it is.  False: there is none,
 * or it is empty. */
bool lw_value_append(lw_str json, const char *pointer, lw_buf *out);

/* Returns the integer at |pointer|, or |fallback|. */
int64_t lw_value_int(lw_str json, const char *pointer, int64_t fallback);

/* Returns the boolean at |pointer|, or |fallback|. */
bool lw_value_bool(lw_str json, const char *pointer, bool fallback);

/* Reads the time at |pointer|; false: there is none, it is invalid, or it is Go's zero time. */
bool lw_value_time(lw_str json, const char *pointer, lw_time *out);

/* One of several members to find in one pass. */
typedef struct lw_value_pick {
    lw_str key;
    lw_str *value; /* set to its JSON text; empty if it is absent or null */
} lw_value_pick;

/* Finds |count| members of the object |json| in one pass over it. */
void lw_value_pick_members(lw_str json, const lw_value_pick *picks, size_t count);

/* Returns the number of elements or members of the container at |pointer|; 0 for other values. */
size_t lw_value_count(lw_str json, const char *pointer);

/* An iterator over the elements of an array or the members of an object. */
typedef struct lw_value_walk {
    lw_json_cursor at;
    bool is_inside;
} lw_value_walk;

/* Starts at the array at |pointer|; empty if there is none. */
lw_value_walk lw_value_elements(lw_str json, const char *pointer);
bool lw_value_next_element(lw_value_walk *walk, lw_str *element);

/* The same for an object; |*raw_key| is not unescaped. */
lw_value_walk lw_value_members(lw_str json, const char *pointer);
bool lw_value_next_member(lw_value_walk *walk, lw_str *raw_key, lw_str *value);

enum {
    LW_VALUE_PAIRS_MAX = 1024, /* members that are sorted; further ones are omitted */
};

/* A member of an object, or a string with an empty key. */
typedef struct lw_value_pair {
    lw_str raw_key; /* still escaped */
    lw_str value;   /* JSON */
} lw_value_pair;

/* Sorts the members of the object at |pointer| by key.  The caller frees |*out| with lw_free; it is
 * NULL if there are none.  LW_ERR_NOMEM. */
lw_status lw_value_sorted(lw_str json, const char *pointer, lw_value_pair **out, size_t *count);

#endif
