/* SPDX-License-Identifier: Apache-2.0 */
/* value.h -- single values out of valid JSON, for cells.
 *
 * Unlike lw_object_string nothing is decoded into the object: a table of a whole cache would
 * otherwise leave its texts behind on every object.  An empty view stands for what is absent, and
 * nothing is found in it. */
#ifndef LW_SCHEMA_PRINTERS_VALUE_H
#define LW_SCHEMA_PRINTERS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"
#include "base/time_text.h"
#include "json/cursor.h"

/* The JSON text of the value at |pointer|; empty when it is absent or null.  |json| has no blanks
 * around it. */
lw_str lw_value_at(lw_str json, const char *pointer);

/* True when the string at |pointer| is |text|. */
bool lw_value_is(lw_str json, const char *pointer, lw_str text);

/* Appends the string at |pointer| decoded, or a number or boolean as it stands.  False when there
 * is none, or it is empty. */
bool lw_value_append(lw_str json, const char *pointer, lw_buf *out);

/* The integer at |pointer|, or |fallback|. */
int64_t lw_value_int(lw_str json, const char *pointer, int64_t fallback);

/* The boolean at |pointer|, or |fallback|. */
bool lw_value_bool(lw_str json, const char *pointer, bool fallback);

/* The moment at |pointer|; false when there is none, it cannot be read, or it is Go's zero time. */
bool lw_value_time(lw_str json, const char *pointer, lw_time *out);

/* One of several members that are looked for together. */
typedef struct lw_value_pick {
    lw_str key;
    lw_str *value; /* set to its JSON text; empty when it is absent or null */
} lw_value_pick;

/* Finds |count| members of the object |json| in one pass over it. */
void lw_value_pick_members(lw_str json, const lw_value_pick *picks, size_t count);

/* How many elements or members the container at |pointer| has; 0 for anything else. */
size_t lw_value_count(lw_str json, const char *pointer);

/* A walk over the elements of an array or the members of an object. */
typedef struct lw_value_walk {
    lw_json_cursor at;
    bool is_inside;
} lw_value_walk;

/* Starts a walk over the array at |pointer|; over nothing when there is none. */
lw_value_walk lw_value_elements(lw_str json, const char *pointer);
bool lw_value_next_element(lw_value_walk *walk, lw_str *element);

/* The same for an object; |*raw_key| is still escaped. */
lw_value_walk lw_value_members(lw_str json, const char *pointer);
bool lw_value_next_member(lw_value_walk *walk, lw_str *raw_key, lw_str *value);

enum {
    LW_VALUE_PAIRS_MAX = 1024, /* members that are sorted; the rest is left out */
};

/* A member of an object, or a string with its key empty. */
typedef struct lw_value_pair {
    lw_str raw_key; /* still escaped */
    lw_str value;   /* JSON */
} lw_value_pair;

/* The members of the object at |pointer| in the order of their keys, to lw_free; |*out| is NULL
 * when there are none.  LW_ERR_NOMEM. */
lw_status lw_value_sorted(lw_str json, const char *pointer, lw_value_pair **out, size_t *count);

#endif
