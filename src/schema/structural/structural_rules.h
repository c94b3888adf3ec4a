/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rules.h -- rules in CEL of a schema (x-kubernetes-validations): compiled with it, and
 * held against objects; for structural*.c alone. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_RULES_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_RULES_H

#include "schema/structural/structural_lists.h"

/* Bounds of Kubernetes, in units of cost. */
#define LW_STRUCTURAL_RULE_COST_MAX   UINT64_C(10000000)  /* of a rule, by estimate, in an object */
#define LW_STRUCTURAL_SCHEMA_COST_MAX UINT64_C(100000000) /* of all rules of a schema */
#define LW_STRUCTURAL_OBJECT_COST_MAX                                                              \
    UINT64_C(10000000) /* of all that is evaluated on an object                                    \
                        */

/* Rules being compiled: where, and what is known so far. */
typedef struct lw_structural_scope {
    lw_arena *types;
    lw_tree *texts;
    lw_api_status *faults;
    lw_buf *path;         /* of the schema at hand */
    uint64_t cardinality; /* values that it may be held against; LW_CEL_UNBOUNDED */
    size_t
        uncorrelated_len; /* bytes of the path of the list whose elements have no name; 0: none */
    uint64_t cost;        /* of all rules so far, by estimate */
    lw_status st;
} lw_structural_scope;

/* Sets what rules see of |node|, whose parts are known. */
void lw_structural_set_rule_type(lw_structural_scope *scope, lw_structural_node *node,
                                 bool is_root);

/* Reads the rules of |schema|, which is |node|.  What they may not say is added to the faults. */
void lw_structural_read_rules(lw_structural_scope *scope, const lw_node *schema,
                              lw_structural_node *node);

/* Adds a fault when all rules together cost too much; the path is that of the whole schema. */
void lw_structural_check_total(lw_structural_scope *scope);

/* Holds |object| against the rules of |schema|; |old| is what it was, or NULL.  Adds to
 * c->faults. */
void lw_structural_check_rules(lw_structural_check *c, const lw_structural_node *schema,
                               const lw_node *object, const lw_node *old);

#endif
