/* SPDX-License-Identifier: Apache-2.0 */
/* authz.h -- authorization: a chain of authorizers that decides whether a user may do something.
 *
 *     user in system:masters ──▶ allowed
 *     otherwise each authorizer in order: allowed, denied, or no opinion ──▶ the next one
 *     none has an opinion ──▶ denied
 *
 * No chain at all (NULL) allows everything, as AlwaysAllow does.
 *
 * Threads: any.  A decision does not block and, without a reason and webhooks, does not
 * allocate. */
#ifndef LW_API_AUTHZ_AUTHZ_H
#define LW_API_AUTHZ_AUTHZ_H

#include "api/authz/attributes.h"
#include "api/authz/node_authorizer.h"
#include "api/authz/rbac.h"
#include "base/buf.h"
#include "base/ref.h"

typedef enum lw_authz_mode {
    LW_AUTHZ_MODE_ALWAYS_ALLOW,
    LW_AUTHZ_MODE_ALWAYS_DENY,
    LW_AUTHZ_MODE_RBAC,
    LW_AUTHZ_MODE_NODE,
    LW_AUTHZ_MODE_WEBHOOK,
} lw_authz_mode;

enum {
    LW_AUTHZ_MODES_MAX = 8,
    LW_AUTHZ_STEPS_MAX = 64,    /* authorizers of a chain */
    LW_AUTHZ_REASON_MAX = 4096, /* bytes */
};

/* Reads a list such as "Node,RBAC".  LW_ERR_INVALID: a mode is unknown or appears twice; the
 * message names it. */
LW_MUST_CHECK lw_status lw_authz_parse_modes(lw_str text, lw_authz_mode modes[LW_AUTHZ_MODES_MAX],
                                             size_t *count, lw_error *err);

/* Returns the name of |mode|, for example "RBAC". */
const char *lw_authz_mode_name(lw_authz_mode mode);

/* An authorizer outside of this module: a webhook.  The first member of its struct. */
typedef struct lw_authz_hook lw_authz_hook;
struct lw_authz_hook {
    lw_ref refs;
    /* Decides.  Does not block: if the answer is not known, it asks for it on behalf of
     * attributes->stream and returns LW_AUTHZ_PENDING.  Appends to |reason| and |error|, which may
     * be NULL. */
    lw_authz_decision (*decide)(lw_authz_hook *hook, const lw_authz_attributes *attributes,
                                lw_buf *reason, lw_buf *error);
    void (*free)(lw_authz_hook *hook);
};

void lw_authz_hook_unref(lw_authz_hook *hook); /* NULL does nothing */

typedef struct lw_authz_step {
    lw_authz_mode mode;
    lw_str name;         /* in reasons: "rbac" */
    lw_authz_hook *hook; /* of LW_AUTHZ_MODE_WEBHOOK */
} lw_authz_step;

/* Returns the name of |mode| in lower case, which its authorizer has without a configuration. */
const char *lw_authz_step_name(lw_authz_mode mode);

typedef struct lw_authz lw_authz;

/* Creates the chain of |count| modes, 1 to LW_AUTHZ_MODES_MAX, with their names in lower case.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_authz_new(lw_authz **out, const lw_authz_mode *modes, size_t count,
                                     lw_error *err);

/* Creates the chain of |steps|, 1 to LW_AUTHZ_STEPS_MAX, and takes references to their hooks.
 * |is_changeable|: lw_authz_change may be called.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_authz_new_chain(lw_authz **out, const lw_authz_step *steps, size_t count,
                                           bool is_changeable, lw_error *err);
void lw_authz_free(lw_authz *authz); /* NULL does nothing */

/* Replaces the chain; RBAC and Node must be in it as they were in the first.  Any thread.
 * LW_ERR_INVALID: they are not; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_authz_change(lw_authz *authz, const lw_authz_step *steps, size_t count,
                                        lw_error *err);

/* Decides.  Appends to |reason|, which may be NULL, why it is allowed or denied; or, if nobody has
 * an opinion, one line "NAME: REASON" for each authorizer that says why not. */
lw_authz_decision lw_authz_decide(lw_authz *authz, const lw_authz_attributes *attributes,
                                  lw_buf *reason);

/* As lw_authz_decide; also appends to |error|, which may be NULL, the errors of webhooks that could
 * not be asked, if nobody allows it. */
lw_authz_decision lw_authz_explain(lw_authz *authz, const lw_authz_attributes *attributes,
                                   lw_buf *reason, lw_buf *error);

static inline bool lw_authz_allows(lw_authz *authz, const lw_authz_attributes *attributes)
{
    return lw_authz_decide(authz, attributes, NULL) == LW_AUTHZ_ALLOW;
}

/* Returns true if |user| is in system:masters: may do everything, whatever the modes, to repair
 * what others have configured. */
bool lw_authz_is_privileged(const lw_user *user);

/* Returns true if every user may do everything: the first mode is AlwaysAllow. */
bool lw_authz_allows_everything(const lw_authz *authz);

/* Returns true if a webhook is or may become a part of the chain: decisions may be pending. */
bool lw_authz_has_hooks(const lw_authz *authz);

/* Returns true if a webhook is a part of the chain now. */
bool lw_authz_asks_webhooks(lw_authz *authz);

/* The index of roles; NULL: RBAC is not one of the modes. */
lw_rbac *lw_authz_rbac(const lw_authz *authz);

/* The graph of nodes; NULL: Node is not one of the modes. */
lw_node_graph *lw_authz_node_graph(const lw_authz *authz);

#endif
