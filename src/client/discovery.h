/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.h -- finds the resources of a server, over a session, without blocking.
 *
 * Aggregated discovery needs two requests.  If the server does not support it, /api and /apis list
 * the group versions, and each of them needs one request.  One thread at a time, that of the
 * session. */
#ifndef LW_CLIENT_DISCOVERY_H
#define LW_CLIENT_DISCOVERY_H

#include "client/resource_set.h"
#include "client/session.h"

typedef struct lw_discovery lw_discovery;

/* Called at the end, from the dispatch of the session; the caller still frees the discovery, here
 * or later.  The receiver owns |set|; |gap| is the reason why a part is missing, or NULL.  |set|
 * NULL: discovery failed, and |gap| is the reason. */
typedef void (*lw_discovery_fn)(lw_resource_set *set, const lw_error *gap, void *arg);

lw_status lw_discovery_start(lw_discovery **out, lw_session *session, lw_discovery_fn on_done,
                             void *arg, lw_error *err);

/* Frees the discovery and cancels its requests.  NULL does nothing. */
void lw_discovery_free(lw_discovery *discovery);

#endif
