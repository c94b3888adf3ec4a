/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_user.h -- from the claims of a verified token to a user. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_USER_H
#define LW_SERVER_AUTHN_OIDC_OIDC_USER_H

#include "api/context/user.h"
#include "server/authn/oidc/oidc_config.h"

/* Makes the user of |claims|, an object in a tree that no other thread uses; the caller unrefs it.
 * LW_ERR_INVALID: a claim is missing or malformed, or a rule is not satisfied; the message says
 * which.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_user_make(const lw_user **out, const lw_oidc_issuer *issuer,
                                          const lw_node *claims, lw_error *err);

#endif
