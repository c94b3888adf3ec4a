/* SPDX-License-Identifier: Apache-2.0 */
/* crd_purge.h -- removes the objects of a definition that is being deleted, and lets the definition
 * go when there are none left.
 *
 * One pass deletes what is there.  What finalizers hold stays; whoever removes an object of such a
 * definition starts a pass again. */
#ifndef LW_API_CRD_CRD_PURGE_H
#define LW_API_CRD_CRD_PURGE_H

#include "api/context/port.h"

/* Starts a pass on the port's loop.  Without memory nothing happens: the next deletion of one of
 * its objects, or the next start of the server, tries again. */
void lw_crd_purge_start(lw_api_port *port, lw_definition *definition);

/* The same if |kind| is a custom one and its definition is being deleted now. */
void lw_crd_purge_if_due(lw_api_port *port, const lw_kind *kind);

/* The same once none of its objects are left: for who sees objects go, whoever has deleted them. */
void lw_crd_purge_if_empty(lw_api_port *port, const lw_kind *kind);

#endif
