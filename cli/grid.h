/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h -- prints rows of text in aligned columns to standard output. */
#ifndef LISTWATCH_CLI_GRID_H
#define LISTWATCH_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch.h>

typedef struct grid grid;

/* Makes a grid; |has_no_titles|: the line with the titles is not printed.  NULL: out of memory. */
grid *grid_new(bool has_no_titles);
void grid_free(grid *g);

/* Adds a column; all columns come before the first row.  The title is copied.  LW_ERR_NOMEM. */
lw_status grid_add_column(grid *g, const char *title);

/* Returns the number of columns and of rows. */
size_t grid_column_count(const grid *g);
size_t grid_row_count(const grid *g);

/* Adds a row with a cell for each column.  The first rows are held to determine the widths; later
 * ones are printed at once, so memory does not grow with the table.  LW_ERR_NOMEM. */
lw_status grid_add_row(grid *g, const char *const *cells);

/* Prints the rows that are still held; rows may follow. */
void grid_flush(grid *g);

/* Prints |text| with control characters replaced by '?', so that no object can control the
 * terminal. */
void print_plain(const char *text);

#endif
