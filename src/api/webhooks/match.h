/* SPDX-License-Identifier: Apache-2.0 */
/* match.h -- whether a webhook whose rules match is called for this object: its selectors and
 * conditions. */
#ifndef LW_API_WEBHOOKS_MATCH_H
#define LW_API_WEBHOOKS_MATCH_H

#include "api/webhooks/hooks.h"
#include "api/webhooks/review.h"
#include "api/webhooks/subject.h"

typedef enum lw_hook_verdict {
    LW_HOOK_CALLED,
    LW_HOOK_SKIPPED,
    LW_HOOK_UNCONVERTED, /* it must be shown the objects, converted to its version by a webhook, to
                            be asked again */
    LW_HOOK_AWAITING, /* a condition asks an authorizer whose answer |stream| waits for (asker.h):
                         to be asked again */
    LW_HOOK_UNDECIDABLE, /* the request is refused: |status| says why */
} lw_hook_verdict;

/* The objects of a request as one version of its kind shows them; starts zeroed. */
typedef struct lw_hook_shown {
    const lw_kind *as; /* NULL: nothing is shown yet */
    lw_buf object, old;
} lw_hook_shown;

/* Shows the objects as |as|, unless they are.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_hook_show(lw_hook_shown *shown, lw_hook_subject *subject,
                                     const lw_kind *as, bool is_mutating);
void lw_hook_shown_done(lw_hook_shown *shown);

/* True if only the webhook of the custom resource converts the objects to the version that the rule
 * of |match| names.  The object of a subresource such as Scale is the same in all versions. */
bool lw_hook_needs_conversion(const lw_hook_match *match, const lw_hook_review *review);

/* Decides whether the webhook of |match| is called.  |shown| is used for conditions.  |stream|
 * NULL: an answer of an authorizer that is not there is an error of the condition. */
lw_hook_verdict lw_hook_decide(lw_api_port *port, lw_http_stream *stream,
                               const lw_hook_match *match, const lw_hook_review *review,
                               lw_hook_subject *subject, lw_hook_shown *shown,
                               lw_api_status *status);

#endif
