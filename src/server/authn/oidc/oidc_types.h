/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_types.h -- the variables of CEL expressions in an authentication configuration. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_TYPES_H
#define LW_SERVER_AUTHN_OIDC_OIDC_TYPES_H

#include "cel/cel.h"

/* claims: a map from names to anything; numbers are doubles. */
extern const lw_cel_variable lw_oidc_claims_variable;

/* user: an object with username, uid, groups and extra. */
extern const lw_cel_variable lw_oidc_user_variable;

#endif
