/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation_modes.h -- whether a user may make a request as another user (KEP-5284).
 *
 * There are five ways to be allowed, which are tried in this order:
 *
 *     mode              which users                            verbs
 *     associated-node   the node of the caller's token         both of the constrained modes:
 *     arbitrary-node    system:node:NAME                       impersonate-on:MODE:VERB, on what is
 *     serviceaccount    system:serviceaccount:NS:NAME          requested, and impersonate:MODE, on
 *     user-info         all others                             the user, in authentication.k8s.io
 *     (legacy)          all                                    impersonate, on the user
 *
 * In the first three modes the request names nothing but the user; its groups are fixed.  The mode
 * that has last allowed something to a caller is tried first: its refusal is what the caller is
 * told.
 *
 * Threads: any. */
#ifndef LW_SERVER_CORE_IMPERSONATION_MODES_H
#define LW_SERVER_CORE_IMPERSONATION_MODES_H

#include <stdatomic.h>

#include "api/authz/authz.h"
#include "object/api_errors.h"

enum {
    LW_IMPERSONATION_CALLERS = 1024, /* slots; callers with the same hash share one */
};

/* The mode that was last successful for a caller, plus one; 0: none yet. */
typedef struct lw_impersonation_modes {
    atomic_uchar last[LW_IMPERSONATION_CALLERS];
} lw_impersonation_modes;

/* Returns true if |asked|, a request of |asked->user|, may be made as |other|; |*is_constrained|
 * tells whether by a constrained mode.  False: |status| is the 403, which is not final while the
 * stream of |asked| waits for the answer of a webhook (asker.h): then call it again. */
bool lw_impersonation_allowed(lw_impersonation_modes *modes, lw_authz *authz, const lw_user *other,
                              const lw_authz_attributes *asked, bool *is_constrained,
                              lw_api_status *status);

/* True if |user| is "system:serviceaccount:NAMESPACE:NAME", or "system:node:NAME". */
bool lw_impersonation_is_account(lw_str user, lw_str *ns, lw_str *name);
bool lw_impersonation_is_node(lw_str user, lw_str *name);

#endif
