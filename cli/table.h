/* SPDX-License-Identifier: Apache-2.0 */
/* table.h -- objects as lines of a table on stdout. */
#ifndef LISTWATCH_CLI_TABLE_H
#define LISTWATCH_CLI_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

typedef struct table table;

/* A table with more columns where |is_wide|.  NULL: out of memory. */
table *table_new(bool is_wide);
void table_free(table *t);

/* Adds a line.  The first ones are held to find out how wide the columns are; later ones are
 * printed at once, so a table of any length takes little memory.  LW_ERR_NOMEM. */
lw_status table_add(table *t, const lw_object *obj);

/* Prints what is held.  Returns how many lines there were in all. */
size_t table_finish(table *t);

/* Prints |text| with control characters as '?', so that no file can steer the terminal. */
void print_plain(const char *text);

#endif
