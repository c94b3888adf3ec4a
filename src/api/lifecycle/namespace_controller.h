/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_controller.h -- deletes the content of terminating namespaces (namespace_purge.h),
 * again when an object that blocked the deletion has been removed.
 *
 *     deletion requested ──▶ DUE ──▶ a pass ──▶ removed
 *                             ▲        ├─ blocked: when an object in it is deleted or created; at
 * once │        │  if it was the last, otherwise after a second └────────┴─ failed: after a second
 *
 * Threads: the port's loop. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_CONTROLLER_H
#define LW_API_LIFECYCLE_NAMESPACE_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_namespace_controller lw_namespace_controller;

/* Creates the controller.  LW_ERR_NOMEM. */
lw_status lw_namespace_controller_new(lw_namespace_controller **out, lw_api_port *port);

/* Frees the controller, after the port's writes have ended.  NULL does nothing. */
void lw_namespace_controller_free(lw_namespace_controller *controller);

/* Handles a change of a namespace.  LW_ERR_NOMEM: call lw_namespace_controller_forget and pass all
 * namespaces again. */
lw_status lw_namespace_controller_observe(lw_namespace_controller *controller,
                                          const lw_cache_event *event);

/* Reports that an object in |ns| was deleted, or was created although the namespace is terminating:
 * the server that created it may have stopped before it could delete it. */
void lw_namespace_controller_stirred(lw_namespace_controller *controller, lw_str ns);

/* Forgets all namespaces. */
void lw_namespace_controller_forget(lw_namespace_controller *controller);

/* Starts the passes that are due, a few at a time. */
void lw_namespace_controller_pump(lw_namespace_controller *controller);

/* Starts no pass from now on. */
void lw_namespace_controller_stop(lw_namespace_controller *controller);

#endif
