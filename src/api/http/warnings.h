/* SPDX-License-Identifier: Apache-2.0 */
/* warnings.h -- what clients are told though they are served: warnings about what is on its way
 * out, or may not be meant. */
#ifndef LW_API_HTTP_WARNINGS_H
#define LW_API_HTTP_WARNINGS_H

#include "api/http/call.h"
#include "api/http/delete_options.h"

/* Warns of the kind that the call is about. */
void lw_warn_of_kind(lw_api_call *call);

/* Warns of what a deletion leaves behind when it does not say. */
void lw_warn_of_deletion(lw_api_call *call, const lw_api_delete_options *options);

#endif
