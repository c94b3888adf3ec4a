/* SPDX-License-Identifier: Apache-2.0 */
/* placed.h -- determines the resource and namespace of an object from a file. */
#ifndef LISTWATCH_CLI_PLACED_H
#define LISTWATCH_CLI_PLACED_H

#include <listwatch.h>

#include "connection.h"

typedef struct placed {
    lw_resource resource;
    const char *ns;    /* NULL: the kind is cluster-scoped */
    lw_object *object; /* the object with its namespace filled in */
} placed;

/* Finds the resource and the namespace of |obj|: its own namespace, or else that of the command
 * line. Call placed_done afterwards, even after an error.  LW_ERR_NOT_FOUND: the server does not
 * know the kind. LW_ERR_INVALID: the kind is missing, or the namespace does not match -n. */
lw_status placed_find(placed *place, connection *conn, const lw_object *obj, lw_error *err);
void placed_done(placed *place);

#endif
