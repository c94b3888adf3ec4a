/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.h -- asks a server what it serves, over a session, without waiting.
 *
 * Aggregated discovery where there is any: two requests.  Else /api and /apis name the group
 * versions, and each is asked for.  One thread at a time, the session's. */
#ifndef LW_CLIENT_DISCOVERY_H
#define LW_CLIENT_DISCOVERY_H

#include "client/resource_set.h"
#include "client/session.h"

typedef struct lw_discovery lw_discovery;

/* The end, from the session's dispatch; the discovery is still to be freed, here or later.  |set|
 * is the receiver's; |gap| is why some of it is missing, or NULL.  With |set| NULL nothing is
 * known, and |gap| says why. */
typedef void (*lw_discovery_fn)(lw_resource_set *set, const lw_error *gap, void *arg);

lw_status lw_discovery_start(lw_discovery **out, lw_session *session, lw_discovery_fn on_done,
                             void *arg, lw_error *err);

/* Cancels it if it is under way.  NULL does nothing. */
void lw_discovery_free(lw_discovery *discovery);

#endif
