/* SPDX-License-Identifier: Apache-2.0 */
/* escalation.h -- nobody grants more than they have: checks of writes of roles and bindings.
 *
 * A user may write a role if it holds all of its rules, or may "escalate" the role; and a binding
 * if it holds the rules of the bound role, or may "bind" it.  Every update is checked, whatever it
 * changes, but for those of the garbage collector.  The checks run before validation. */
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
    lw_str requested; /* the name in the path; empty: of a POST */
    const lw_node *object;
    const lw_node *old;  /* NULL: it is new */
    bool keeps_metadata; /* lw_rbac_keeps_metadata, before the server set its own fields */
} lw_rbac_write;

/* Returns true if |kind| is a kind that must be checked. */
bool lw_rbac_is_checked(const lw_kind *kind);

/* Returns true if |object| has the metadata of |old|, but for what the garbage collector changes.
 */
bool lw_rbac_keeps_metadata(const lw_node *object, const lw_node *old);

/* Returns true if the write may go on; otherwise |status| says why not (400, 403, 404, 413, 500).
 */
bool lw_rbac_admits(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status);

#endif
