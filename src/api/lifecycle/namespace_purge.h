/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge.h -- empties a namespace that is being deleted, and lets it go when it is empty.
 *
 * One pass deletes what is there.  What finalizers hold stays, and the namespace's status says so;
 * namespace_controller.h sees to it that there is another pass when that may help. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_PURGE_H
#define LW_API_LIFECYCLE_NAMESPACE_PURGE_H

#include "api/context/port.h"

typedef enum lw_purge_outcome {
    LW_PURGE_DONE,   /* empty, and let go */
    LW_PURGE_HELD,   /* something is left that cannot go yet */
    LW_PURGE_FAILED, /* the pass did not come to its end: try again later */
} lw_purge_outcome;

/* Starts a pass over |ns| on the port's loop; |over| (may be NULL) is called once, maybe from
 * within. */
void lw_namespace_purge_start(lw_api_port *port, lw_str ns,
                              void (*over)(lw_purge_outcome outcome, void *arg), void *arg);

/* The same if |ns| is terminating, or not there at all although something was written into it:
 * for whoever has just done so. */
void lw_namespace_purge_if_due(lw_api_port *port, lw_str ns);

#endif
