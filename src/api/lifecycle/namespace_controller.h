/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_controller.h -- the namespaces that are to end: each is emptied (namespace_purge.h), again when
 * something that held it has gone.
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

typedef struct lw_terminating lw_terminating;

lw_status lw_terminating_new(lw_terminating **out, lw_api_port *port);

/* After the port's writes have settled.  NULL does nothing. */
void lw_terminating_free(lw_terminating *terminating);

/* Tells of a change of a namespace.  LW_ERR_NOMEM: call lw_terminating_forget, and tell everything
 * from the beginning. */
lw_status lw_terminating_observe(lw_terminating *terminating, const lw_cache_event *event);

/* Tells that an object of |ns| is gone, or has come although it should not: the server that let it
 * in, while the namespace was about to end, may not live to see to it. */
void lw_terminating_stirred(lw_terminating *terminating, lw_str ns);

/* Forgets all it was told. */
void lw_terminating_forget(lw_terminating *terminating);

/* Starts the passes that are due, a few at once. */
void lw_terminating_pump(lw_terminating *terminating);

/* No pass is begun from now on. */
void lw_terminating_stop(lw_terminating *terminating);

#endif
