/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_anchors.h -- the anchors (&name) of one YAML document, and the cost of aliases (*name). */
#ifndef LW_JSON_YAML_YAML_ANCHORS_H
#define LW_JSON_YAML_YAML_ANCHORS_H

#include "json/tree.h"
#include "json/yaml/yaml_scalar.h"

enum {
    LW_YAML_ANCHORS = 4096, /* limit of a document */
    LW_YAML_NO_ANCHOR = -1,
};

typedef struct lw_yaml_anchor {
    lw_str name;
    lw_node *node; /* NULL while it is being read */
    bool is_scalar;
    lw_yaml_scalar scalar; /* the YAML scalar of the node; keys are made from it */
    unsigned height;       /* nesting of its containers, including itself */
    uint64_t nodes;        /* YAML nodes that an alias to it expands to */
} lw_yaml_anchor;

typedef struct lw_yaml_anchors {
    lw_yaml_anchor *all; /* in document order */
    int *sorted;         /* the visible ones, by name */
    int count;
    int sorted_count;
    int cap;
    uint64_t nodes;         /* YAML nodes so far, including those of aliases */
    uint64_t aliased_nodes; /* YAML nodes of aliases */
} lw_yaml_anchors;

void lw_yaml_anchors_init(lw_yaml_anchors *a);
void lw_yaml_anchors_done(lw_yaml_anchors *a);

/* Removes all anchors; keeps the memory. */
void lw_yaml_anchors_reset(lw_yaml_anchors *a);

/* Adds an anchor called |name| (borrowed), which hides an earlier one with that name, and sets
 * |*out| to its index in |all|.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_yaml_anchors_add(lw_yaml_anchors *a, lw_str name, int *out);

/* Returns the anchor called |name|, or NULL. */
const lw_yaml_anchor *lw_yaml_anchors_find(const lw_yaml_anchors *a, lw_str name);

/* Counts |nodes| more nodes.  Returns false if the share of aliases is too high.  The limit is that
 * of Kubernetes: small documents may repeat content a hundred times, large ones hardly, which stops
 * "billion laughs" attacks. */
bool lw_yaml_anchors_count(lw_yaml_anchors *a, uint64_t nodes, bool is_aliased);

#endif
