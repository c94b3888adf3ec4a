/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_anchors.h -- the anchors (&name) of one YAML document, and what aliases (*name) cost. */
#ifndef LW_JSON_YAML_ANCHORS_H
#define LW_JSON_YAML_ANCHORS_H

#include "json/tree.h"
#include "json/yaml_scalar.h"

enum {
    LW_YAML_ANCHORS = 4096, /* a document may have; more is LW_ERR_LIMIT */
    LW_YAML_NO_ANCHOR = -1,
};

typedef struct lw_yaml_anchor {
    lw_str name;
    lw_node *node; /* NULL while it is being read */
    bool is_scalar;
    lw_yaml_scalar scalar; /* what the node was before it became JSON; keys are made from it */
    unsigned height;       /* containers nested in it, itself included */
    uint64_t nodes;        /* YAML nodes an alias to it stands for */
} lw_yaml_anchor;

typedef struct lw_yaml_anchors {
    lw_yaml_anchor *all; /* in the order they came */
    int *sorted;         /* those in force, by name */
    int count;
    int sorted_count;
    int cap;
    uint64_t nodes;         /* YAML nodes read so far, those from aliases included */
    uint64_t aliased_nodes; /* of them, those from aliases */
} lw_yaml_anchors;

void lw_yaml_anchors_init(lw_yaml_anchors *a);
void lw_yaml_anchors_done(lw_yaml_anchors *a);

/* Forgets all; keeps the memory. */
void lw_yaml_anchors_reset(lw_yaml_anchors *a);

/* Adds an anchor called |name| (borrowed), which hides an older one of that name, and sets |*out|
 * to its index in |all|.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_yaml_anchors_add(lw_yaml_anchors *a, lw_str name, int *out);

/* The anchor called |name|, or NULL. */
const lw_yaml_anchor *lw_yaml_anchors_find(const lw_yaml_anchors *a, lw_str name);

/* Counts |nodes| more nodes, from an alias or not.  False when aliases make up too much of the
 * document: Kubernetes' own measure, which lets small documents repeat themselves a hundred times
 * and large ones hardly, and stops a "billion laughs" before it is laughed. */
bool lw_yaml_anchors_count(lw_yaml_anchors *a, uint64_t nodes, bool is_aliased);

#endif
