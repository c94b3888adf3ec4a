/* SPDX-License-Identifier: Apache-2.0 */
/* authz.h -- authorization: a chain of authorizers that decides whether a user may do something.
 *
 *     user in system:masters ──▶ allowed
 *     otherwise each authorizer in order: allowed, denied, or no opinion ──▶ the next one
 *     none has an opinion ──▶ denied
 *
 * No chain at all (NULL) allows everything, as AlwaysAllow does.
 *
 * Threads: any.  A decision does not block and, without a reason, does not allocate. */
#ifndef LW_API_AUTHZ_AUTHZ_H
#define LW_API_AUTHZ_AUTHZ_H

#include "api/authz/attributes.h"
#include "api/authz/node_authorizer.h"
#include "api/authz/rbac.h"
#include "base/buf.h"

typedef enum lw_authz_mode {
    LW_AUTHZ_MODE_ALWAYS_ALLOW,
    LW_AUTHZ_MODE_ALWAYS_DENY,
    LW_AUTHZ_MODE_RBAC,
    LW_AUTHZ_MODE_NODE,
} lw_authz_mode;

enum {
    LW_AUTHZ_MODES_MAX = 8,
    LW_AUTHZ_REASON_MAX = 4096, /* bytes */
};

/* Reads a list such as "Node,RBAC".  LW_ERR_INVALID: a mode is unknown or appears twice; the
 * message names it. */
LW_MUST_CHECK lw_status lw_authz_parse_modes(lw_str text, lw_authz_mode modes[LW_AUTHZ_MODES_MAX],
                                             size_t *count, lw_error *err);

/* Returns the name of |mode|, for example "RBAC". */
const char *lw_authz_mode_name(lw_authz_mode mode);

typedef struct lw_authz lw_authz;

/* Creates the chain of |count| modes, 1 to LW_AUTHZ_MODES_MAX.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_authz_new(lw_authz **out, const lw_authz_mode *modes, size_t count,
                                     lw_error *err);
void lw_authz_free(lw_authz *authz); /* NULL does nothing */

/* Decides.  Appends to |reason|, which may be NULL, why it is allowed, or one line for each
 * authorizer that says why not. */
lw_authz_decision lw_authz_decide(lw_authz *authz, const lw_authz_attributes *attributes,
                                  lw_buf *reason);

static inline bool lw_authz_allows(lw_authz *authz, const lw_authz_attributes *attributes)
{
    return lw_authz_decide(authz, attributes, NULL) == LW_AUTHZ_ALLOW;
}

/* Returns true if |user| is in system:masters: may do everything, whatever the modes, to repair
 * what others have configured. */
bool lw_authz_is_privileged(const lw_user *user);

/* Returns true if every user may do everything: the first mode is AlwaysAllow. */
bool lw_authz_allows_everything(const lw_authz *authz);

/* The index of roles; NULL: RBAC is not one of the modes. */
lw_rbac *lw_authz_rbac(const lw_authz *authz);

/* The graph of nodes; NULL: Node is not one of the modes. */
lw_node_graph *lw_authz_node_graph(const lw_authz *authz);

#endif
