/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h -- the verbs that write, one per file, and the reading of a scale.  Each consumes the
 * call. */
#ifndef LW_API_WRITE_VERBS_H
#define LW_API_WRITE_VERBS_H

#include "api/http/call.h"

void lw_rest_create(lw_api_call *call);
void lw_rest_update(lw_api_call *call); /* PUT of an object, its status, scale, finalize */
void lw_rest_patch(lw_api_call *call);  /* PATCH of an object, its status, scale */
void lw_rest_delete(lw_api_call *call);
void lw_rest_delete_collection(lw_api_call *call);
void lw_rest_get_scale(lw_api_call *call);
void lw_rest_pod_verb(lw_api_call *call); /* POST to binding, eviction of a pod */

#endif
