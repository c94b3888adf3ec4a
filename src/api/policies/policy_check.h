/* SPDX-License-Identifier: Apache-2.0 */
/* policy_check.h -- validates the expressions of a policy that is to be stored. */
#ifndef LW_API_POLICIES_POLICY_CHECK_H
#define LW_API_POLICIES_POLICY_CHECK_H

#include "api/policies/policy.h"
#include "object/api_errors.h"

/* Adds a field error for each expression and name of |root| that is not valid.  If memory runs out,
 * |errors| fails. */
void lw_policy_check(lw_policy_type type, const lw_node *root, lw_api_status *errors);

#endif
