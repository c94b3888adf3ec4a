/* SPDX-License-Identifier: Apache-2.0 */
/* applied.h -- applies one object of a file to the server, for `apply` and `diff`. */
#ifndef LISTWATCH_CLI_APPLIED_H
#define LISTWATCH_CLI_APPLIED_H

#include <listwatch.h>

#include "connection.h"
#include "placed.h"

typedef struct applied_options {
    const char *field_manager; /* NULL: "listwatch" */
    const char *validation;    /* "Strict", "Warn" or "Ignore" */
    bool forces_conflicts;
    bool is_dry_run;
    bool takes_over; /* fields of kubectl's client-side apply become those of the field manager, so
                        that they can be removed */
} applied_options;

/* The object before and after; the caller calls applied_done, also after an error. */
typedef struct applied {
    lw_document *before; /* NULL: it did not exist */
    lw_document *after;
} applied;

/* Applies |place|.  Errors as lw_client_apply. */
lw_status applied_send(applied *out, connection *conn, const placed *place,
                       const applied_options *options, lw_error *err);
void applied_done(applied *a);

/* Returns true if the object was not changed, apart from what the server keeps about it. */
bool applied_is_same(const applied *a);

#endif
