/* SPDX-License-Identifier: Apache-2.0 */
/* hook_caller.h -- calls admission webhooks by HTTP: from the loop of the request, with connections
 * that the loop keeps. */
#ifndef LW_SERVER_WEBHOOK_HOOK_CALLER_H
#define LW_SERVER_WEBHOOK_HOOK_CALLER_H

#include "api/webhooks/caller.h"
#include "server/webhook/hook_credentials.h"

typedef struct lw_http_hook_caller lw_http_hook_caller;

/* |resolve| are rules "HOST:PORT=ADDRESS:PORT" of --webhook-resolve (ends with NULL; NULL: none);
 * |credentials| are taken, even on error, and may be NULL.  LW_ERR_INVALID: a rule is malformed;
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_http_hook_caller_new(lw_http_hook_caller **out,
                                                const char *const *resolve,
                                                lw_hook_credentials *credentials, lw_error *err);

/* No endpoint and no port uses it any more.  NULL does nothing. */
void lw_http_hook_caller_free(lw_http_hook_caller *caller);

/* Lives as long as |caller|. */
const lw_hook_caller *lw_http_hook_caller_interface(lw_http_hook_caller *caller);

#endif
