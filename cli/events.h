/* SPDX-License-Identifier: Apache-2.0 */
/* events.h -- prints the events about an object. */
#ifndef LISTWATCH_CLI_EVENTS_H
#define LISTWATCH_CLI_EVENTS_H

#include "connection.h"
#include "outline.h"

/* Prints |o| with a line "Events:" at its end, and then the events about |about|.  If they cannot
 * be read, the line says why.  LW_ERR_NOMEM. */
lw_status events_print(connection *conn, const lw_object *about, outline *o);

#endif
