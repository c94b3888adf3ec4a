/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_node.h -- writes the Node and the Lease of a hollow node. */
#ifndef LW_CONTROL_NODE_HOLLOW_NODE_H
#define LW_CONTROL_NODE_HOLLOW_NODE_H

#include <listwatch.h>

/* Annotation of a Node: "stopped" stops its heartbeats and its pods, as if the machine had
 * failed. */
#define LW_HOLLOW_ANNOTATION "listwatch.io/hollow"

/* Namespace of the heartbeat leases. */
#define LW_NODE_LEASES "kube-node-lease"

/* Writes the Node, with its status, into the empty |doc|. */
void lw_hollow_write_node(lw_document *doc, const char *name, unsigned number, int64_t wall_ns);

/* Writes the strategic merge patch of the status for a heartbeat; |is_new|: the node was marked as
 * not ready before. */
void lw_hollow_write_beat(lw_document *doc, bool is_new, int64_t wall_ns);

/* Writes its Lease of |duration_s| seconds, renewed now. */
void lw_hollow_write_lease(lw_document *doc, const char *name, int duration_s, int64_t wall_ns);

/* True if |node| should be simulated as failed. */
bool lw_hollow_is_stopped(const lw_object *node);

#endif
