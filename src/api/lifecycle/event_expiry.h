/* SPDX-License-Identifier: Apache-2.0 */
/* event_expiry.h -- deletes events after their time to live, on stores without expiry of their own.
 *
 * All events are in one heap, by deadline: the time to live after the last write or, if the server
 * has not seen that write, after the last timestamp in the event.  Nothing is scanned; a timer is
 * set for the first deadline.  Threads: the port's loop. */
#ifndef LW_API_LIFECYCLE_EVENT_EXPIRY_H
#define LW_API_LIFECYCLE_EVENT_EXPIRY_H

#include "api/context/port.h"

typedef struct lw_event_expiry lw_event_expiry;

/* Creates the expiry for events older than |ttl_s|.  LW_ERR_NOMEM. */
lw_status lw_event_expiry_new(lw_event_expiry **out, lw_api_port *port, int64_t ttl_s);

/* Frees it, after the port's writes have ended.  For all functions here, NULL does nothing. */
void lw_event_expiry_free(lw_event_expiry *expiry);

/* Handles a change of any kind.  LW_ERR_NOMEM: call lw_event_expiry_forget and pass all objects
 * again. */
lw_status lw_event_expiry_observe(lw_event_expiry *expiry, const lw_kind *kind,
                                  const lw_cache_event *event);

/* Forgets all events. */
void lw_event_expiry_forget(lw_event_expiry *expiry);

/* Deletes nothing from now on. */
void lw_event_expiry_stop(lw_event_expiry *expiry);

#endif
