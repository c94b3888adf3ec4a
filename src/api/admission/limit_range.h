/* SPDX-License-Identifier: Apache-2.0 */
/* limit_range.h -- what the LimitRanges of a namespace say of a pod or a claim in it.  The words
 * are those of kube-apiserver's admission. */
#ifndef LW_API_ADMISSION_LIMIT_RANGE_H
#define LW_API_ADMISSION_LIMIT_RANGE_H

#include "api/pending/pending_object.h"

/* Gives the containers of a new pod what they do not ask for themselves. */
void lw_limit_range_default(lw_pending_object *pending);

/* True when a new pod, or a claim, called |name| keeps to them; other kinds always do.  False:
 * |status| says why not (403, 500, 503). */
bool lw_limit_range_admits(const lw_pending_object *pending, lw_str name, lw_api_status *status);

#endif
