/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.h -- keeps the graph of the Node authorizer equal to the objects in the cache. */
#ifndef LW_API_AUTHZ_NODE_FEED_H
#define LW_API_AUTHZ_NODE_FEED_H

#include "api/authz/node_graph.h"
#include "api/context/context.h"

/* Makes |graph| follow the pods, volumes and attachments of |api|; it must live until the cache has
 * stopped.  After lw_api_serve_kinds, before the cache starts. */
void lw_node_feed_start(lw_node_graph *graph, lw_api *api);

#endif
