/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge.h -- empties a namespace that is being deleted, and lets it go when it is empty.
 *
 * One pass deletes what is there.  What finalizers hold stays; whoever removes the last object of
 * a terminating namespace starts a pass again, so nobody has to wait or to ask from time to time.
 */
#ifndef LW_API_NAMESPACE_PURGE_H
#define LW_API_NAMESPACE_PURGE_H

#include "api/call.h"

/* Starts a pass over |ns| on the port's loop.  Without memory nothing happens: the next deletion in
 * it, or the next start of the server, tries again. */
void lw_namespace_purge_start(lw_api_port *port, lw_str ns);

/* The same if |ns| is terminating, or not there at all although something was written into it. */
void lw_namespace_purge_if_due(lw_api_port *port, lw_str ns);

/* Goes on with all that were terminating when the server stopped. */
void lw_namespace_purge_resume(lw_api_port *port);

#endif
