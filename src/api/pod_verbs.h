/* SPDX-License-Identifier: Apache-2.0 */
/* pod_verbs.h -- what is done to a pod by POST: binding it to a node, evicting it from one. */
#ifndef LW_API_POD_VERBS_H
#define LW_API_POD_VERBS_H

#include "api/call.h"

/* Serves POST to pods/{name}/binding and pods/{name}/eviction.  Consumes the call. */
void lw_rest_pod_verb(lw_api_call *call);

#endif
