/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- -o custom-columns=TITLE:PATH,TITLE:PATH */
#ifndef LISTWATCH_CLI_COLUMNS_H
#define LISTWATCH_CLI_COLUMNS_H

#include <listwatch.h>

#include "grid.h"

typedef struct columns columns;

/* Parses the specification.  LW_ERR_SYNTAX, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status columns_parse(columns **out, const char *text, lw_error *err);
void columns_free(columns *c);

/* Adds the columns to |g|, and the row of an object: what a path does not find is "<none>", several
 * values are separated by commas.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status columns_begin(const columns *c, grid *g);
lw_status columns_add(const columns *c, grid *g, const lw_object *obj, lw_error *err);

#endif
