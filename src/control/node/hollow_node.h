/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_node.h -- what a node that only pretends says of itself: its Node, its Lease. */
#ifndef LW_CONTROL_NODE_HOLLOW_NODE_H
#define LW_CONTROL_NODE_HOLLOW_NODE_H

#include <listwatch.h>

/* On a Node: "stopped" stops its heart and its pods' life, as if the machine were dead. */
#define LW_HOLLOW_ANNOTATION "listwatch.io/hollow"

/* Where its heartbeats are. */
#define LW_NODE_LEASES "kube-node-lease"

/* Writes the Node, with its status, into the empty |doc|. */
void lw_hollow_write_node(lw_document *doc, const char *name, unsigned number, int64_t wall_ns);

/* Writes the strategic merge patch of its status that says that it lives; |is_new|: again, after it
 * was thought not to. */
void lw_hollow_write_beat(lw_document *doc, bool is_new, int64_t wall_ns);

/* Writes its Lease of |duration_s| seconds, renewed now. */
void lw_hollow_write_lease(lw_document *doc, const char *name, int duration_s, int64_t wall_ns);

/* Whether |node| is to play dead. */
bool lw_hollow_is_stopped(const lw_object *node);

#endif
