/* SPDX-License-Identifier: Apache-2.0 */
/* mutating_policy.h -- the admission plugin MutatingAdmissionPolicy. */
#ifndef LW_API_ADMISSION_MUTATING_POLICY_H
#define LW_API_ADMISSION_MUTATING_POLICY_H

#include "api/admission/policy_request.h"
#include "object/api_errors.h"

/* Changes the object as the policies that match say, in the order of their names, and once more
 * with those that want to see the changes of others.  |set_defaults| is called after each change,
 * with |arg|; it may be NULL.  False: |status| has the reason. */
bool lw_mutating_policies_admit(lw_policy_request *request, lw_pending_object *pending,
                                void (*set_defaults)(void *arg), void *arg, lw_api_status *status);

#endif
