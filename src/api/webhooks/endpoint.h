/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.h -- from the clientConfig of a webhook to where it is called. */
#ifndef LW_API_WEBHOOKS_ENDPOINT_H
#define LW_API_WEBHOOKS_ENDPOINT_H

#include "api/webhooks/caller.h"
#include "json/tree.h"

/* The version of a review that a webhook is sent: the first one it names that is known. */
typedef enum lw_hook_version {
    LW_HOOK_VERSION_NONE, /* it knows none of ours */
    LW_HOOK_V1,
    LW_HOOK_V1BETA1,
} lw_hook_version;

/* Chooses among admissionReviewVersions or conversionReviewVersions. */
lw_hook_version lw_hook_version_of(const lw_node *list);

/* Opens the endpoint of |config|, a validated clientConfig.  If it cannot be called, |*error| is a
 * text that says why, to be freed, and |*out| NULL.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_hook_endpoint_open(const lw_hook_caller *caller, const lw_node *config,
                                              lw_hook_endpoint **out, char **error);

#endif
