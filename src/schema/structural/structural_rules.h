/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rules.h -- the CEL rules of a schema (x-kubernetes-validations): compiles them with
 * the schema, and evaluates them on objects; private to structural*.c. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_RULES_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_RULES_H

#include "schema/structural/structural_lists.h"

/* The limits of Kubernetes, in units of CEL cost: the estimated cost of one rule on an object, the
 * estimated cost of all rules of a schema, and the actual cost of all rules on an object. */
#define LW_STRUCTURAL_RULE_COST_MAX   UINT64_C(10000000)
#define LW_STRUCTURAL_SCHEMA_COST_MAX UINT64_C(100000000)
#define LW_STRUCTURAL_OBJECT_COST_MAX UINT64_C(10000000)

enum {
    LW_STRUCTURAL_EXPENSIVE_MAX = 4, /* rules that are named if all together cost too much */
};

/* The state of compiling rules: the current position, and what is known so far. */
typedef struct lw_structural_scope {
    lw_arena *types;
    lw_tree *texts;
    lw_api_status *errors;
    lw_buf *path;            /* of the current schema */
    uint64_t cardinality;    /* how many values the schema may apply to; LW_CEL_UNBOUNDED */
    size_t uncorrelated_len; /* length of the path of the outermost list whose elements cannot be
                                correlated; 0: none */
    uint64_t cost;           /* estimated cost of all rules so far */
    struct {
        lw_str path; /* of the rule */
        uint64_t cost;
    } expensive[LW_STRUCTURAL_EXPENSIVE_MAX]; /* the most expensive rules, the dearest first */
    size_t expensive_count;
    lw_status st;
} lw_structural_scope;

/* Sets the CEL type of |node|, whose children are complete. */
void lw_structural_set_rule_type(lw_structural_scope *scope, lw_structural_node *node,
                                 bool is_root);

/* Compiles the rules of |schema| into |node|.  Adds errors of the rules to the errors. */
void lw_structural_read_rules(lw_structural_scope *scope, const lw_node *schema,
                              lw_structural_node *node);

/* Adds an error if all rules together cost too much; the path must be that of the whole schema. */
void lw_structural_check_total(lw_structural_scope *scope);

/* Evaluates the rules of |schema| on |object|; |old| is the previous object, or NULL.  Adds errors
 * to c->errors. */
void lw_structural_check_rules(lw_structural_check *c, const lw_structural_node *schema,
                               const lw_node *object, const lw_node *old);

#endif
