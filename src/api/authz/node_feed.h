/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.h -- keeps the graph of the Node authorizer equal to the objects in the cache. */
#ifndef LW_API_AUTHZ_NODE_FEED_H
#define LW_API_AUTHZ_NODE_FEED_H

#include "api/authz/node_graph.h"
#include "api/context/context.h"

/* Objects of one kind that name their node themselves. */
typedef struct lw_node_placed {
    lw_node_graph *graph;
    lw_ref_kind kind;
} lw_node_placed;

typedef struct lw_node_feed {
    lw_node_placed attachments, slices, requests;
} lw_node_feed;

/* Makes |graph| follow the pods, volumes, and objects of nodes of |api|.  |feed|, which this sets,
 * and |graph| must live until the cache has stopped.  After lw_api_serve_kinds, before the cache
 * starts. */
void lw_node_feed_start(lw_node_feed *feed, lw_node_graph *graph, lw_api *api);

#endif
