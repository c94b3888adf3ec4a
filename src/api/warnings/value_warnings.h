/* SPDX-License-Identifier: Apache-2.0 */
/* value_warnings.h -- warnings about values that are valid and may not be meant, or are on their
 * way out: deprecated labels and volumes, variables that are defined twice and the like.
 *
 * The texts are those of Kubernetes.  What is compared pairwise is bounded, so that the work is
 * linear in the object. */
#ifndef LW_API_WARNINGS_VALUE_WARNINGS_H
#define LW_API_WARNINGS_VALUE_WARNINGS_H

#include "api/http/call.h"
#include "api/pending/pending_object.h"

/* Warns of the values of a valid object.  |is_create|: it is new; otherwise it is updated. */
void lw_value_warnings(lw_api_call *call, const lw_pending_object *object, bool is_create);

#endif
