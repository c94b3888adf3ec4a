/* SPDX-License-Identifier: Apache-2.0 */
/* match_rules_internal.h -- compiled rules. */
#ifndef LW_API_MATCHING_MATCH_RULES_INTERNAL_H
#define LW_API_MATCHING_MATCH_RULES_INTERNAL_H

#include <listwatch/label_selector.h>

#include "api/matching/match_rules.h"
#include "base/arena.h"

typedef struct lw_match_texts {
    const lw_str *list;
    size_t count;
} lw_match_texts;

/* "pods/status", split. */
typedef struct lw_match_resource {
    lw_str resource;
    lw_str subresource; /* empty: the resource itself */
} lw_match_resource;

typedef enum lw_match_scope {
    LW_MATCH_SCOPE_ALL,
    LW_MATCH_SCOPE_NAMESPACED,
    LW_MATCH_SCOPE_CLUSTER,
} lw_match_scope;

typedef struct lw_match_rule {
    unsigned operations; /* LW_OPERATION_ bits */
    lw_match_scope scope;
    lw_match_texts groups, versions;
    lw_match_texts names; /* none: all names */
    const lw_match_resource *resources;
    size_t resource_count;
} lw_match_rule;

typedef struct lw_match_rule_list {
    const lw_match_rule *rules;
    size_t count;
} lw_match_rule_list;

struct lw_match_rules {
    lw_arena arena; /* rules and their texts */
    lw_match_rule_list included, excluded;
    bool matches_all;                        /* there are no rules, and that means every resource */
    bool is_exact;                           /* matchPolicy Exact */
    lw_label_selector *namespaces, *objects; /* NULL: everything */
};

#endif
