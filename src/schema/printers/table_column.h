/* SPDX-License-Identifier: Apache-2.0 */
/* table_column.h -- the columns of a kind in `kubectl get`. */
#ifndef LW_SCHEMA_PRINTERS_TABLE_COLUMN_H
#define LW_SCHEMA_PRINTERS_TABLE_COLUMN_H

#include <stdint.h>

#include <listwatch/object.h>
#include <listwatch/str.h>

#include "schema/printers/pod_summary.h"
#include "json/writer.h"

typedef struct lw_table_column lw_table_column;

/* The object of a row, with the parts that most cells need. */
typedef struct lw_row {
    const lw_object *obj;
    int64_t now_ns;  /* wall clock, for ages */
    lw_str json;     /* the whole object */
    lw_str metadata; /* members of it, as JSON; empty if absent or null */
    lw_str spec;
    lw_str status;
    lw_pod_summary pod; /* computed when a cell first needs it */
    bool has_pod;
} lw_row;

/* Writes the cell of |row| as the next value of |w|. */
typedef void (*lw_table_cell_fn)(const lw_table_column *column, lw_row *row, lw_json_writer *w);

struct lw_table_column {
    lw_str name;         /* "Ready" */
    lw_str type;         /* "string", "integer", "date" */
    lw_str format;       /* "name" for the first; else "" */
    int priority;        /* 0: always shown; 1: only in wide output */
    const char *pointer; /* for the generic cells */
    lw_table_cell_fn cell;
    lw_str description; /* one line */
};

/* Finds the parts of |obj|, which must outlive |row|. */
void lw_row_init(lw_row *row, const lw_object *obj, int64_t now_ns);

/* Returns the value at |pointer| of the object; empty if it is absent or null. */
lw_str lw_row_at(const lw_row *row, const char *pointer);

#endif
