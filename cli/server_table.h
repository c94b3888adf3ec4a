/* SPDX-License-Identifier: Apache-2.0 */
/* server_table.h -- a table with the columns that the server has for a resource (READY, STATUS,
 * AGE).  A server without such columns gets the columns NAME and AGE. */
#ifndef LISTWATCH_CLI_SERVER_TABLE_H
#define LISTWATCH_CLI_SERVER_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

#include "output.h"

typedef struct server_table server_table;

typedef struct server_table_options {
    const output_choice *choice; /* must outlive the table */
    bool shows_namespace;        /* a column NAMESPACE */
    const char *name_prefix;     /* "pod/" before each name; "": none */
} server_table_options;

/* Makes an empty table.  |options| is copied, but its strings must outlive it.  LW_ERR_NOMEM;
 * LW_ERR_SYNTAX: --sort-by is malformed. */
lw_status server_table_new(server_table **out, const server_table_options *options, lw_error *err);
void server_table_free(server_table *t);

/* Adds the rows of a response: a Table, a list or one object.  Takes |doc|, also on failure.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status server_table_add_take(server_table *t, lw_document *doc, lw_error *err);

/* Prints the rows that are held, in the order of --sort-by. Rows that are added afterwards are
 * printed at once. */
lw_status server_table_flush(server_table *t);

/* Returns the number of rows so far. */
size_t server_table_rows(const server_table *t);

#endif
