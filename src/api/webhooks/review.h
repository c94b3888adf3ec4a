/* SPDX-License-Identifier: Apache-2.0 */
/* review.h -- AdmissionReview (admission.k8s.io/v1 and v1beta1) as a webhook is sent it. */
#ifndef LW_API_WEBHOOKS_REVIEW_H
#define LW_API_WEBHOOKS_REVIEW_H

#include "api/context/user.h"
#include "api/webhooks/hook.h"

enum {
    LW_HOOK_REVIEW_MAX = 32 * 1024 * 1024, /* bytes of a review */
};

/* What is common to all reviews of one request. */
typedef struct lw_hook_review {
    const lw_kind *kind; /* of the resource, in the version of the request */
    lw_gvk gvk;          /* of the object, if a subresource has another kind; otherwise empty */
    lw_str subresource;  /* may be empty */
    lw_str ns, name;     /* may be empty */
    unsigned operation;  /* LW_OPERATION_ */
    const lw_user *user; /* NULL: the server itself */
    bool is_dry_run;
    lw_str options; /* JSON of CreateOptions, ...; empty: null */
} lw_hook_review;

/* Appends the member "request" without the objects, as match conditions see it: a JSON object.
 * |as| is the version of the kind for the webhook. */
void lw_hook_review_write_request(const lw_hook_review *review, const lw_kind *as, lw_str uid,
                                  lw_buf *out);

/* Appends the review; |object| and |old| are JSON, or empty.  Look at out->st. */
void lw_hook_review_write(const lw_hook_review *review, const lw_kind *as, lw_hook_version version,
                          lw_str uid, lw_str object, lw_str old, lw_buf *out);

#endif
