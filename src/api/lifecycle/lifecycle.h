/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle.h -- what a server does with objects by itself, as their time goes by: the garbage
 * collector (gc.h), the emptying of namespaces (namespace_controller.h), the end of events
 * (event_expiry.h), the counting of what quotas limit (quota_controller.h).
 *
 * It follows all kinds in the cache, on one loop of its choice, and tells them what changes.
 * When it cannot follow any more (overtaken, or no memory) they forget everything and it starts
 * anew after a second.  Several servers may do so over one store: each step is guarded. */
#ifndef LW_API_LIFECYCLE_LIFECYCLE_H
#define LW_API_LIFECYCLE_LIFECYCLE_H

#include "api/context/port.h"

/* Begins on the port that |loop| is bound to; the port ends it.  Before the loop runs, after the
 * cache has started; once for a port, and one port is enough for an API.  LW_ERR_NOMEM. */
lw_status lw_lifecycle_start(lw_api *api, lw_loop *loop, lw_error *err);

#endif
