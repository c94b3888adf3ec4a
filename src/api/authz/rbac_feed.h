/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_feed.h -- keeps the RBAC index equal to the roles and bindings in the cache. */
#ifndef LW_API_AUTHZ_RBAC_FEED_H
#define LW_API_AUTHZ_RBAC_FEED_H

#include "api/authz/rbac.h"
#include "api/context/context.h"

typedef struct lw_rbac_feed {
    lw_rbac *rbac;
    void (*changed)(void *arg); /* called after each change; must not block */
    void *arg;
} lw_rbac_feed;

/* Makes feed->rbac follow the roles and bindings of |api|; |feed| must live until the cache has
 * stopped.  After lw_api_serve_kinds, before the cache starts. */
void lw_rbac_feed_start(const lw_rbac_feed *feed, lw_api *api);

#endif
