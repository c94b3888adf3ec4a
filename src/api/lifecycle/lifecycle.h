/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle.h -- runs the server's own controllers: the garbage collector (gc.h), the namespace
 * controller (namespace_controller.h), the expiry of events (event_expiry.h), the quota
 * controller (quota_controller.h) and those that lifecycle.c names.
 *
 * It follows all kinds in the cache, on one loop, and passes their changes to the controllers.  If
 * it misses changes or memory runs out, the controllers forget everything and it starts again after
 * a second.  Several servers may do this on one store: each write is conditional. */
#ifndef LW_API_LIFECYCLE_LIFECYCLE_H
#define LW_API_LIFECYCLE_LIFECYCLE_H

#include "api/context/port.h"

/* Starts the controllers on the port that |loop| is bound to; the port stops them.  Call it before
 * the loop runs and after the cache has started, for one port of an API.  LW_ERR_NOMEM. */
lw_status lw_lifecycle_start(lw_api *api, lw_loop *loop, lw_error *err);

#endif
