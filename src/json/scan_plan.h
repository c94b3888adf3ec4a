/* SPDX-License-Identifier: Apache-2.0 */
/* scan_plan.h -- which members the scanner looks at: a small tree of keys, made once.
 *
 * It holds the members whose values are reported (metadata.name, ...), those declared to be dropped
 * or kept, and the way from the document's root to its objects.  Read-only once made. */
#ifndef LW_JSON_SCAN_PLAN_H
#define LW_JSON_SCAN_PLAN_H

#include "json/scan.h"

/* What a value is to the scanner.  Up to LW_ROLE_TEXTS its text is remembered. */
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

/* "metadata.name", for messages. */
const char *lw_role_name(lw_role role);

typedef struct lw_plan_node {
    lw_str key; /* decoded */
    lw_role role;
    bool is_dropped;               /* left out with all below */
    bool is_kept;                  /* copied with all below, save what is dropped */
    struct lw_plan_node *children; /* by key */
    struct lw_plan_node *next;     /* sibling */
    struct lw_plan_node *any;      /* for keys not among the children, and for elements */
} lw_plan_node;

enum {
    LW_PLAN_DEPTH = 32,   /* segments of a path, and levels above the objects */
    LW_PLAN_NODES = 1024, /* nodes of one plan */
};

typedef struct lw_plan lw_plan;

/* The plan of |options|; |*out| is NULL for LW_SCAN_VALUE, which looks at nothing.  LW_ERR_INVALID:
 * a path is malformed, is too long, or drops what identifies an object; LW_ERR_LIMIT: too many
 * paths; LW_ERR_NOMEM. */
lw_status lw_plan_new(lw_plan **out, const lw_scan_options *options, lw_error *err);
void lw_plan_free(lw_plan *plan);

/* The node of the document's root. */
const lw_plan_node *lw_plan_root(const lw_plan *plan);

/* True when members nobody declared are copied into the objects. */
bool lw_plan_keeps_others(const lw_plan *plan);

/* The node for a key that no child of |node| has as it stands, but maybe once unescaped. */
const lw_plan_node *lw_plan_find_escaped(const lw_plan_node *node, lw_str raw_key);

/* The node for |raw_key| (as it stands in the text, maybe escaped) below |node|, or NULL. */
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
