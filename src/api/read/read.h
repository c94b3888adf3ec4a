/* SPDX-License-Identifier: Apache-2.0 */
/* read.h -- the verbs that read, one per file.  Each consumes the call. */
#ifndef LW_API_READ_READ_H
#define LW_API_READ_READ_H

#include "api/http/call.h"

void lw_rest_get(lw_api_call *call);
void lw_rest_list(lw_api_call *call);
void lw_rest_watch(lw_api_call *call);
void lw_rest_component_statuses(lw_api_call *call); /* get and list */
void lw_rest_discovery(lw_api_call *call);

/* For a path at which this server has nothing: the document of a group that only other servers
 * serve, or 404. */
void lw_rest_nowhere(lw_api_call *call);
void lw_rest_openapi(lw_api_call *call);

/* Returns true if the document that the call asks for need not be made; does not consume the
 * call. */
bool lw_rest_openapi_is_cached(const lw_api_call *call);

#endif
