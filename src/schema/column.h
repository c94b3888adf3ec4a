/* SPDX-License-Identifier: Apache-2.0 */
/* column.h -- the columns people see: what `kubectl get` prints of a kind. */
#ifndef LW_SCHEMA_COLUMN_H
#define LW_SCHEMA_COLUMN_H

#include <stdint.h>

#include <listwatch/object.h>
#include <listwatch/str.h>

#include "json/writer.h"

typedef struct lw_column lw_column;

/* Writes the cell of |obj| as the next value of |w|.  |now_ns|: wall clock, for ages. */
typedef void (*lw_cell_fn)(const lw_column *column, const lw_object *obj, int64_t now_ns,
                           lw_json_writer *w);

struct lw_column {
    lw_str name;         /* "Ready" */
    lw_str type;         /* "string", "integer", "date" */
    lw_str format;       /* "name" for the first; else "" */
    int priority;        /* 0: always; 1: wide */
    const char *pointer; /* for the generic cells */
    lw_cell_fn cell;
    lw_str description; /* one line in our own words */
};

#endif
