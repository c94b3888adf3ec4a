/* SPDX-License-Identifier: Apache-2.0 */
/* node_labels.h -- the labels that a node may set on its own Node object. */
#ifndef LW_API_ADMISSION_NODE_LABELS_H
#define LW_API_ADMISSION_NODE_LABELS_H

#include "base/buf.h"
#include "json/tree.h"

/* Appends the keys of the labels that are different in |a| and |b| (NULL: no labels) and that a
 * node may not change, sorted and separated by commas.  Returns true if there are any. */
bool lw_node_labels_append_forbidden(const lw_node *a, const lw_node *b, lw_buf *out);

#endif
