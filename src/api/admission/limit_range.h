/* SPDX-License-Identifier: Apache-2.0 */
/* limit_range.h -- applies the LimitRanges of a namespace to a pod or a claim.  The messages are
 * those of kube-apiserver's admission plugin LimitRanger. */
#ifndef LW_API_ADMISSION_LIMIT_RANGE_H
#define LW_API_ADMISSION_LIMIT_RANGE_H

#include "api/pending/pending_object.h"

/* Sets the default requests and limits of the containers of a new pod. */
void lw_limit_range_default(lw_pending_object *pending);

/* Returns true if a new pod, or a claim, named |name| satisfies the LimitRanges; other kinds always
 * do.  False: |status| has the reason (403, 500, 503). */
bool lw_limit_range_admits(const lw_pending_object *pending, lw_str name, lw_api_status *status);

#endif
