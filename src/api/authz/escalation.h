/* SPDX-License-Identifier: Apache-2.0 */
/* escalation.h -- nobody grants more than they have: checks of writes of roles and bindings.
 *
 * A user may write a role if it holds all of its rules, or may "escalate" the role; and a binding
 * if it holds the rules of the bound role, or may "bind" it. */
#ifndef LW_API_AUTHZ_ESCALATION_H
#define LW_API_AUTHZ_ESCALATION_H

#include "api/authz/authz.h"
#include "object/api_errors.h"
#include "schema/kinds/kinds.h"

/* The write of an object of a kind of rbac.authorization.k8s.io. */
typedef struct lw_rbac_write {
    const lw_user *user;
    struct lw_http_stream *stream; /* of lw_authz_attributes */
    const lw_kind *kind;
    lw_str ns, name;
    const lw_node *object;
    const lw_node *old; /* NULL: it is new */
} lw_rbac_write;

/* Returns true if |kind| is a kind that must be checked. */
bool lw_rbac_is_checked(const lw_kind *kind);

/* Returns true if the write may go on; otherwise |status| says why not (403, 404, 413, 500). */
bool lw_rbac_admits(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status);

#endif
