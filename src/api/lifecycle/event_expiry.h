/* SPDX-License-Identifier: Apache-2.0 */
/* event_expiry.h -- events are kept for a while, then they go: on stores that do not see to it
 * themselves.
 *
 * Each event has one place in a heap, by when it is to go: so long after it was last written, or,
 * when the server has not seen that, after the last date it carries.  Nothing is scanned; the timer
 * is set for the first.
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_EVENT_EXPIRY_H
#define LW_API_LIFECYCLE_EVENT_EXPIRY_H

#include "api/context/port.h"

typedef struct lw_event_expiry lw_event_expiry;

/* LW_ERR_NOMEM. */
lw_status lw_event_expiry_new(lw_event_expiry **out, lw_api_port *port, int64_t ttl_s);

/* After the port's writes have settled.  In all of these NULL does nothing. */
void lw_event_expiry_free(lw_event_expiry *expiry);

/* Tells of a change of any kind.  LW_ERR_NOMEM: call lw_event_expiry_forget, and tell everything
 * from the beginning. */
lw_status lw_event_expiry_observe(lw_event_expiry *expiry, const lw_kind *kind,
                                  const lw_cache_event *event);

/* Forgets all it was told. */
void lw_event_expiry_forget(lw_event_expiry *expiry);

/* Nothing is deleted from now on. */
void lw_event_expiry_stop(lw_event_expiry *expiry);

#endif
