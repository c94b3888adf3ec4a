/* SPDX-License-Identifier: Apache-2.0 */
/* table.h -- prints objects as rows of a table to standard output. */
#ifndef LISTWATCH_CLI_TABLE_H
#define LISTWATCH_CLI_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

typedef struct table table;

/* Creates a table; |is_wide| adds columns.  NULL: out of memory. */
table *table_new(bool is_wide);
void table_free(table *t);

/* Adds a row.  The first rows are buffered to determine the column widths; later ones are printed
 * at once, so memory does not grow with the table.  LW_ERR_NOMEM. */
lw_status table_add(table *t, const lw_object *obj);

/* Prints the buffered rows.  Returns the number of all rows. */
size_t table_finish(table *t);

/* Prints |text| with control characters replaced by '?', so that no object can control the
 * terminal. */
void print_plain(const char *text);

#endif
