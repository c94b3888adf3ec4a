/* SPDX-License-Identifier: Apache-2.0 */
/* placed.h -- where on the server an object of a file belongs. */
#ifndef LISTWATCH_CLI_PLACED_H
#define LISTWATCH_CLI_PLACED_H

#include <listwatch.h>

#include "connection.h"

typedef struct placed {
    lw_resource resource;
    const char *ns;    /* NULL: the kind has none */
    lw_object *object; /* as it came, with its namespace filled in */
} placed;

/* Finds the resource of |obj| and its namespace: its own, else that of the command line.  To be
 * undone with placed_done, on failure too.  LW_ERR_NOT_FOUND: the server does not know the kind.
 * LW_ERR_INVALID: no kind, or another namespace than -n says. */
lw_status placed_find(placed *place, connection *conn, const lw_object *obj, lw_error *err);
void placed_done(placed *place);

#endif
