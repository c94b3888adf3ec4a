/* SPDX-License-Identifier: Apache-2.0 */
/* table.h -- a table of objects that do not come from an API server: those of files and of etcd. */
#ifndef LISTWATCH_CLI_TABLE_H
#define LISTWATCH_CLI_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

#include "grid.h"

/* Adds the columns of such a table; |is_wide| adds more.  LW_ERR_NOMEM. */
lw_status table_add_columns(grid *g, bool is_wide);

/* Adds the row of |obj|.  LW_ERR_NOMEM. */
lw_status table_add_object(grid *g, const lw_object *obj, bool is_wide);

/* Makes a text of all labels, "app=web,tier=db" or "<none>", which the caller frees.  NULL: out of
 * memory. */
char *table_labels(const lw_object *obj);

#endif
