/* SPDX-License-Identifier: Apache-2.0 */
/* policy_rules.h -- the compiled rules of an audit policy, for the files that implement
 * policy.h. */
#ifndef LW_SERVER_AUDIT_POLICY_RULES_H
#define LW_SERVER_AUDIT_POLICY_RULES_H

#include "api/authz/rbac_rule.h"
#include "base/arena.h"
#include "server/audit/policy.h"

/* Resources of one API group. */
typedef struct lw_audit_resources {
    lw_str group;
    lw_rbac_texts resources; /* "pods", "pods/log", "pods/STAR", "STAR/scale", STAR being "*";
                                empty: all */
    lw_rbac_texts names;     /* empty: all */
} lw_audit_resources;

typedef struct lw_audit_rule {
    lw_audit_decision decision;
    lw_rbac_texts users, groups, verbs, namespaces, urls; /* empty: all */
    const lw_audit_resources *resources;
    size_t resource_count; /* 0: all */
} lw_audit_rule;

struct lw_audit_policy {
    lw_arena arena; /* everything below is in it */
    const lw_audit_rule *rules;
    size_t count;
};

#endif
