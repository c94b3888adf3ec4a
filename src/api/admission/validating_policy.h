/* SPDX-License-Identifier: Apache-2.0 */
/* validating_policy.h -- the admission plugin ValidatingAdmissionPolicy. */
#ifndef LW_API_ADMISSION_VALIDATING_POLICY_H
#define LW_API_ADMISSION_VALIDATING_POLICY_H

#include "api/admission/policy_request.h"
#include "object/api_errors.h"

/* Returns true if no policy denies the request.  False: |status| has the reason.  Adds warnings and
 * audit annotations to the call.  |request| is as the caller has set it. */
bool lw_validating_policies_admit(lw_policy_request *request, lw_api_status *status);

#endif
