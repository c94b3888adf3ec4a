/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge.h -- deletes the content of a namespace that is being deleted, and then the
 * namespace.
 *
 * One pass deletes all existing objects.  Objects with finalizers remain, and the status of the
 * namespace reports them; namespace_controller.h starts further passes. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_PURGE_H
#define LW_API_LIFECYCLE_NAMESPACE_PURGE_H

#include "api/context/port.h"

typedef enum lw_purge_outcome {
    LW_PURGE_DONE,   /* empty, and removed */
    LW_PURGE_HELD,   /* something is left that cannot be deleted yet */
    LW_PURGE_FAILED, /* the pass was not completed: try again later */
} lw_purge_outcome;

/* Starts a pass over |ns| on the port's loop; |over| (may be NULL) is called once, possibly before
 * it returns. */
void lw_namespace_purge_start(lw_api_port *port, lw_str ns,
                              void (*over)(lw_purge_outcome outcome, void *arg), void *arg);

/* Starts a pass if |ns| is terminating, or does not exist: for the caller that has just created an
 * object in it. */
void lw_namespace_purge_if_due(lw_api_port *port, lw_str ns);

#endif
