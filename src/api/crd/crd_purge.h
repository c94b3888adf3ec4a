/* SPDX-License-Identifier: Apache-2.0 */
/* crd_purge.h -- deletes the objects of a definition that is being deleted, and then the
 * definition.
 *
 * One pass deletes all existing objects.  Objects with finalizers remain; the removal of such an
 * object starts another pass. */
#ifndef LW_API_CRD_CRD_PURGE_H
#define LW_API_CRD_CRD_PURGE_H

#include "api/context/port.h"

/* Starts a pass on the port's loop.  Does nothing if memory runs out: the next deletion of one of
 * its objects, or the next start of the server, tries again. */
void lw_crd_purge_start(lw_api_port *port, lw_definition *definition);

/* Starts a pass if |kind| is a custom one and its definition is being deleted. */
void lw_crd_purge_if_due(lw_api_port *port, const lw_kind *kind);

/* Starts a pass if, in addition, none of its objects are left: for a caller that sees deletions by
 * any client or server. */
void lw_crd_purge_if_empty(lw_api_port *port, const lw_kind *kind);

#endif
