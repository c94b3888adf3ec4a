/* SPDX-License-Identifier: Apache-2.0 */
/* node_authorizer.h -- the Node authorizer: what the agent of a node may do.
 *
 * A node is the user system:node:NAME in the group system:nodes.  It may read the secrets, config
 * maps, volumes and so on that the pods bound to it refer to (node_graph.h), its own Node, Lease,
 * CSINode, ResourceSlices and PodCertificateRequests, and its own pods; everything else is allowed
 * by fixed rules, those of the ClusterRole system:node of bootstrap.rbac.  What a node may write is
 * restricted further by the stage "node restriction" of admission.
 *
 * Threads: any.  A decision does not allocate. */
#ifndef LW_API_AUTHZ_NODE_AUTHORIZER_H
#define LW_API_AUTHZ_NODE_AUTHORIZER_H

#include "api/authz/attributes.h"
#include "api/authz/node_graph.h"
#include "api/authz/rbac_rule.h"

#define LW_GROUP_NODES          "system:nodes"
#define LW_NODE_USER_PREFIX     "system:node:"
#define LW_NODE_LEASE_NAMESPACE "kube-node-lease"

/* Returns true if |user| is a node, and sets |*name|, which is empty for the user "system:node:".
 */
bool lw_node_identify(const lw_user *user, lw_str *name);

typedef struct lw_node_authorizer {
    lw_node_graph *graph;
    lw_rbac_rules *rules; /* for what is not decided by name */
} lw_node_authorizer;

/* LW_ERR_NOMEM.  Call done in any case. */
LW_MUST_CHECK lw_status lw_node_authorizer_init(lw_node_authorizer *node);
void lw_node_authorizer_done(lw_node_authorizer *node);

/* Decides: LW_AUTHZ_ALLOW or LW_AUTHZ_NO_OPINION.  Appends the reason to |reason|, which may be
 * NULL, in the words of kube-apiserver. */
lw_authz_decision lw_node_authorizer_decide(const lw_node_authorizer *node,
                                            const lw_authz_attributes *attributes, lw_buf *reason);

#endif
