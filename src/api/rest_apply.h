/* SPDX-License-Identifier: Apache-2.0 */
/* rest_apply.h -- PATCH with application/apply-patch+yaml: server-side apply. */
#ifndef LW_API_REST_APPLY_H
#define LW_API_REST_APPLY_H

#include "api/call.h"

/* Consumes the call, which is for an object or its status. */
void lw_rest_apply(lw_api_call *call);

#endif
