/* SPDX-License-Identifier: Apache-2.0 */
/* rbac.h -- the RBAC authorizer: an index of roles and bindings by subject, and its decisions.
 *
 *     ClusterRoleBinding, RoleBinding ──▶ subject (user, group; a service account is a user)
 *                                           └─▶ grant ──▶ role (ClusterRole, Role) ──▶ rules
 *
 * Whoever follows the stored objects feeds it; each change touches only the entries of the changed
 * object.  A decision looks up the user and each of its groups, once for the cluster and once for
 * the namespace of the request, and does not allocate.  Several bindings of one role to one subject
 * cost a decision as much as one.
 *
 * With attributes->cache, what a rule for all object names allows is cached for the user, verb,
 * resource and namespace.  Each change of a role or binding takes a new generation, so that nothing
 * cached before counts once the change has returned.
 *
 * A binding may come before its role: it grants nothing until the role is there.
 *
 * Threads: any. */
#ifndef LW_API_AUTHZ_RBAC_H
#define LW_API_AUTHZ_RBAC_H

#include "api/authz/attributes.h"
#include "api/authz/rbac_rule.h"
#include "base/buf.h"

typedef struct lw_rbac lw_rbac;

enum {
    LW_RBAC_OBJECTS_MAX = 1 << 24, /* roles, bindings, subjects, grants: of each at most */
};

/* Creates an authorizer that allows nothing.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_rbac_new(lw_rbac **out);
void lw_rbac_free(lw_rbac *rbac); /* NULL does nothing */

/* Adds or replaces a role.  |ns| is empty for a ClusterRole.  |role| is the whole object.
 * LW_ERR_NOMEM, LW_ERR_LIMIT: the role is as it was before. */
LW_MUST_CHECK lw_status lw_rbac_put_role(lw_rbac *rbac, lw_str ns, lw_str name,
                                         const lw_node *role);
void lw_rbac_remove_role(lw_rbac *rbac, lw_str ns, lw_str name);

/* Adds or replaces a binding.  |ns| is empty for a ClusterRoleBinding.  LW_ERR_NOMEM, LW_ERR_LIMIT:
 * the binding no longer grants anything; try again. */
LW_MUST_CHECK lw_status lw_rbac_put_binding(lw_rbac *rbac, lw_str ns, lw_str name,
                                            const lw_node *binding);
void lw_rbac_remove_binding(lw_rbac *rbac, lw_str ns, lw_str name);

/* Remove all roles, or all bindings: those of namespaces or those of the cluster. */
void lw_rbac_remove_roles(lw_rbac *rbac, bool of_namespaces);
void lw_rbac_remove_bindings(lw_rbac *rbac, bool of_namespaces);

/* Decides: LW_AUTHZ_ALLOW or LW_AUTHZ_NO_OPINION.  Appends the reason to |reason|, which may be
 * NULL, in the words of kube-apiserver:
 *     RBAC: allowed by RoleBinding "read/prod" of ClusterRole "view" to Group "team"
 *     RBAC: role.rbac.authorization.k8s.io "missing" not found
 * There is none if the user has no role that could matter. */
lw_authz_decision lw_rbac_decide(lw_rbac *rbac, const lw_authz_attributes *attributes,
                                 lw_buf *reason);

/* The rules that a user holds, each set once. */
typedef struct lw_rbac_held {
    lw_rbac_rules **sets; /* one reference each */
    size_t count;
} lw_rbac_held;

/* Collects the rules that |user| holds in |ns| (empty: in the whole cluster), those of
 * ClusterRoleBindings included.  Appends the names of roles that do not exist to |missing| (may be
 * NULL).  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_rbac_collect(lw_rbac *rbac, const lw_user *user, lw_str ns,
                                        lw_rbac_held *out, lw_buf *missing);
void lw_rbac_held_done(lw_rbac_held *held);

/* The rules of a role, which the caller unrefs; NULL: there is no such role. */
lw_rbac_rules *lw_rbac_role_rules_ref(lw_rbac *rbac, lw_str ns, lw_str name);

#endif
