/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_parts.h -- what the two files of cluster.h share. */
#ifndef LW_CONTROL_CLUSTER_PARTS_H
#define LW_CONTROL_CLUSTER_PARTS_H

#include "cluster.h"

/* The record of the node |name|, made where there is none; NULL: out of memory. */
lw_node_record *lw_cluster__node(lw_cluster *cluster, lw_str name);

/* Frees |node| if it is not there and no pod is on it. */
void lw_cluster__drop_idle_node(lw_cluster *cluster, lw_node_record *node);

#endif
