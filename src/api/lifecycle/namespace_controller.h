/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_controller.h -- the namespaces that are to end: each is emptied (namespace_purge.h),
 * again when something that held it has gone.
 *
 *     told to end ──▶ DUE ──▶ a pass ──▶ gone
 *                      ▲        ├─ held: when an object of it goes or comes, at once if it was the
 *                      │        │        last, else in a second
 *                      └────────┴─ failed: in a second
 *
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_CONTROLLER_H
#define LW_API_LIFECYCLE_NAMESPACE_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_namespace_controller lw_namespace_controller;

lw_status lw_namespace_controller_new(lw_namespace_controller **out, lw_api_port *port);

/* After the port's writes have settled.  NULL does nothing. */
void lw_namespace_controller_free(lw_namespace_controller *terminating);

/* Tells of a change of a namespace.  LW_ERR_NOMEM: call lw_namespace_controller_forget, and tell
 * everything from the beginning. */
lw_status lw_namespace_controller_observe(lw_namespace_controller *terminating,
                                          const lw_cache_event *event);

/* Tells that an object of |ns| is gone, or has come although it should not: the server that let it
 * in, while the namespace was about to end, may not live to see to it. */
void lw_namespace_controller_stirred(lw_namespace_controller *terminating, lw_str ns);

/* Forgets all it was told. */
void lw_namespace_controller_forget(lw_namespace_controller *terminating);

/* Starts the passes that are due, a few at once. */
void lw_namespace_controller_pump(lw_namespace_controller *terminating);

/* No pass is begun from now on. */
void lw_namespace_controller_stop(lw_namespace_controller *terminating);

#endif
