/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_cover.h -- whether the rules somebody holds cover the rules somebody wants to grant. */
#ifndef LW_API_AUTHZ_RBAC_COVER_H
#define LW_API_AUTHZ_RBAC_COVER_H

#include "api/authz/rbac.h"

enum {
    /* Combinations of a verb, a group, a resource and a name (or a verb and a URL) that are looked
     * at for one request, times the rules that are held. */
    LW_RBAC_COVER_STEPS_MAX = 4 * 1000 * 1000,
};

/* Checks that |held| covers every combination of verb, group, resource and name, and of verb and
 * URL, of |wanted|.  Appends those that are not covered to |missing|, verbs of the same thing
 * together, sorted, one per line, as kube-apiserver prints them:
 *     {APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}
 * |*is_covered| is true if there is none.  LW_ERR_LIMIT: too many combinations; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_rbac_cover(const lw_rbac_held *held, const lw_rbac_rules *wanted,
                                      bool *is_covered, lw_buf *missing);

#endif
