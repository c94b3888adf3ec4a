/* SPDX-License-Identifier: Apache-2.0 */
/* access_review.h -- the SubjectAccessReview that is sent to an authorization webhook, and its
 * answer. */
#ifndef LW_SERVER_WEBHOOK_ACCESS_REVIEW_H
#define LW_SERVER_WEBHOOK_ACCESS_REVIEW_H

#include "api/authz/attributes.h"
#include "base/buf.h"

enum {
    LW_ACCESS_REVIEW_MAX = 4 * 1024 * 1024, /* bytes, of the review and of its answer */
};

typedef enum lw_review_version {
    LW_REVIEW_V1,
    LW_REVIEW_V1BETA1,
} lw_review_version;

/* Appends the spec of the review of |attributes|, with the members of v1 or, for v1beta1, "group"
 * instead of "groups".  The selectors are sent as requirements; what cannot be read is left out, as
 * in kube-apiserver, because it only narrows the request.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_access_review_write_spec(const lw_authz_attributes *attributes,
                                                    lw_review_version version, lw_buf *out);

/* Appends the review with |spec|. */
void lw_access_review_write(lw_str spec, lw_review_version version, lw_buf *out);

typedef struct lw_access_answer {
    lw_authz_decision decision; /* ALLOW, DENY or NO_OPINION */
    bool is_allowed;            /* status.allowed, for the cache */
    char *reason;               /* may be NULL; lw_free */
    bool is_contradictory;      /* both allowed and denied: DENY, and an error */
} lw_access_answer;

/* Reads the answer of a webhook.  LW_ERR_INVALID: it is not a SubjectAccessReview of this version;
 * the message says why.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_access_review_read(lw_access_answer *out, lw_str body,
                                              lw_review_version version, lw_error *err);

#endif
