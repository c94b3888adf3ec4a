/* SPDX-License-Identifier: Apache-2.0 */
/* screen_rows.h -- the rows of the live table of `watch`: filled from a Table of the server or from
 * the cache, filtered and sorted. */
#ifndef LISTWATCH_CLI_SCREEN_ROWS_H
#define LISTWATCH_CLI_SCREEN_ROWS_H

#include <stdbool.h>

#include <listwatch.h>

enum {
    SCREEN_COLUMNS = 64,
    SCREEN_ROWS_MAX = 1000, /* more rows are not shown */
};

/* Cells are owned by |doc|, or by |objects|. */
typedef struct screen_row {
    const char *cells[SCREEN_COLUMNS];
} screen_row;

typedef struct screen_rows {
    const char *titles[SCREEN_COLUMNS];
    size_t column_count;
    screen_row *all; /* in the order of the server */
    size_t all_count, size;
    screen_row *at; /* those that the filter leaves */
    size_t count;
    lw_document *doc;
    lw_object_list *objects;
} screen_rows;

/* Replaces the rows by those of a Table, which is taken also on failure.  |has_namespace| adds a
 * column, |is_wide| shows more.  LW_ERR_NOMEM. */
lw_status screen_rows_take_table(screen_rows *rows, lw_document *doc, bool has_namespace,
                                 bool is_wide);

/* Replaces the rows by the objects of a cache.  LW_ERR_NOMEM. */
lw_status screen_rows_take_cache(screen_rows *rows, const lw_lister *lister);

/* Sets |at| and |count| to the rows that have |filter| in a cell, whatever the case of letters.
 * LW_ERR_NOMEM. */
lw_status screen_rows_filter(screen_rows *rows, const char *filter);

/* Sorts |at| by a column; numbers, quantities and ages are compared by value. */
void screen_rows_sort(screen_rows *rows, size_t column, bool is_reverse);
void screen_rows_done(screen_rows *rows);

/* Orders two cells as screen_rows_sort does. */
int screen_rows_compare(const char *a, const char *b);

#endif
