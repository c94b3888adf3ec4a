/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap.h -- the roles and bindings of RBAC that the server makes and keeps (bootstrap.rbac).
 *
 * At each start those that are missing are created.  Others get back the rules and subjects that
 * they have lost; what was added to them stays.  An object whose annotation
 * rbac.authorization.kubernetes.io/autoupdate is "false" is left alone. */
#ifndef LW_API_AUTHZ_BOOTSTRAP_H
#define LW_API_AUTHZ_BOOTSTRAP_H

#include "api/authz/rbac_rule.h"
#include "api/context/seed_batch.h"

/* Adds to |batch| what is missing.  After the cache has started.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_rbac_bootstrap(lw_seed_batch *batch);

/* Compiles the rules of the ClusterRole |name| as they are in bootstrap.rbac.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_rbac_bootstrap_rules(lw_rbac_rules **out, lw_str name);

/* The text of bootstrap.rbac. */
extern const char lw_rbac_bootstrap_text[];

#endif
