/* SPDX-License-Identifier: Apache-2.0 */
/* scan_plan.h -- the members that the scanner handles: a small tree of keys.
 *
 * It contains the members whose values are reported (metadata.name, ...), those that are dropped or
 * kept, and the path from the root of the document to its objects.  It does not change after it was
 * made. */
#ifndef LW_JSON_SCAN_PLAN_H
#define LW_JSON_SCAN_PLAN_H

#include "json/scan.h"

/* The meaning of a value for the scanner.  The text of the roles before LW_ROLE_TEXTS is stored. */
typedef enum lw_role {
    LW_ROLE_API_VERSION,
    LW_ROLE_KIND,
    LW_ROLE_NAMESPACE,
    LW_ROLE_NAME,
    LW_ROLE_UID,
    LW_ROLE_RESOURCE_VERSION,
    LW_ROLE_ENVELOPE_TYPE,
    LW_ROLE_ENVELOPE_API_VERSION,
    LW_ROLE_ENVELOPE_KIND,
    LW_ROLE_ENVELOPE_RESOURCE_VERSION,
    LW_ROLE_ENVELOPE_CONTINUE,
    LW_ROLE_TEXTS,
    LW_ROLE_ENVELOPE_METADATA = LW_ROLE_TEXTS,
    LW_ROLE_ENVELOPE_REMAINING,
    LW_ROLE_METADATA,
    LW_ROLE_LABELS,
    LW_ROLE_LABEL,
    LW_ROLE_ITEMS,
    LW_ROLE_ITEM,
    LW_ROLE_SPEC,
    LW_ROLE_NONE,
} lw_role;

/* Returns the name of |role| for messages: "metadata.name". */
const char *lw_role_name(lw_role role);

typedef struct lw_plan_node {
    lw_str key; /* decoded */
    lw_role role;
    bool is_dropped;               /* omitted, with everything below */
    bool is_kept;                  /* copied with everything below, except what is dropped */
    struct lw_plan_node *children; /* by key */
    struct lw_plan_node *next;     /* sibling */
    struct lw_plan_node *any;      /* for keys that are not among the children, and for elements */
} lw_plan_node;

enum {
    LW_PLAN_DEPTH = 32,   /* segments of a path, and levels above the objects */
    LW_PLAN_NODES = 1024, /* nodes of one plan */
};

typedef struct lw_plan lw_plan;

/* Makes the plan for |options|; |*out| is NULL for LW_SCAN_VALUE, which needs none. LW_ERR_INVALID:
 * a path is malformed, is too long, or drops a part of the identity of an object; LW_ERR_LIMIT: too
 * many paths; LW_ERR_NOMEM. */
lw_status lw_plan_new(lw_plan **out, const lw_scan_options *options, lw_error *err);
void lw_plan_free(lw_plan *plan);

/* Returns the node of the root of the document. */
const lw_plan_node *lw_plan_root(const lw_plan *plan);

/* Returns true if members that are not in the plan are copied into the objects. */
bool lw_plan_keeps_others(const lw_plan *plan);

/* Returns the node for |raw_key| below |node| after decoding its escapes; otherwise node->any. */
const lw_plan_node *lw_plan_find_escaped(const lw_plan_node *node, lw_str raw_key);

/* Returns the node for |raw_key|, which may contain escapes, below |node|; NULL if there is none.
 */
static inline const lw_plan_node *lw_plan_find(const lw_plan_node *node, lw_str raw_key)
{
    for (const lw_plan_node *child = node->children; child; child = child->next) {
        if (child->key.len == raw_key.len && raw_key.len > 0 &&
            child->key.ptr[0] == raw_key.ptr[0] && lw_str_equal(child->key, raw_key))
            return child;
    }
    return node->children ? lw_plan_find_escaped(node, raw_key) : node->any;
}

#endif
