/* SPDX-License-Identifier: Apache-2.0 */
/* policy_index.h -- the admission policies that are in force: each with its bindings, compiled.
 *
 *     the cache's thread: a policy or binding changes ──▶ a new set takes the place of the old one
 *     a loop: holds the set it saw last, and looks at a number to see whether there is a newer one
 *
 * Without policies a look costs reading that number.  Threads: lw_policies_look as its comment
 * says; the rest the cache's. */
#ifndef LW_API_POLICIES_POLICY_INDEX_H
#define LW_API_POLICIES_POLICY_INDEX_H

#include "api/context/port.h"
#include "api/policies/policy.h"
#include "api/policies/policy_metrics.h"

/* A policy with at least one binding. */
typedef struct lw_policy_hook {
    lw_policy *policy;
    lw_policy_binding **bindings; /* in the order of their names */
    size_t count;
} lw_policy_hook;

typedef struct lw_policy_hooks {
    lw_policy_hook *list; /* in the order of the names of the policies */
    size_t count;
} lw_policy_hooks;

typedef struct lw_policy_set {
    lw_ref refs;
    lw_policy_hooks hooks[2]; /* by lw_policy_type */
} lw_policy_set;

typedef struct lw_policies lw_policies;

/* LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_policies_new(lw_policies **out);
void lw_policies_free(lw_policies *policies); /* NULL does nothing */

/* Follows the policies and bindings in the cache of |api|; before the cache starts. */
void lw_policies_follow(lw_policies *policies, lw_api *api);

/* Returns the policies of |type| that are in force now; NULL: none.  They are valid until the next
 * look on the same port.  The loop of |port|. */
const lw_policy_hooks *lw_policies_look(lw_api_port *port, lw_policy_type type);

/* What the policies did. */
lw_policy_metrics *lw_policies_metrics(lw_policies *policies);

#endif
