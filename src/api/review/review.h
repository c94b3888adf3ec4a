/* SPDX-License-Identifier: Apache-2.0 */
/* review.h -- reviews: objects that are created, answered, and not stored.
 *
 *     POST ──▶ pending object ──▶ validate ──▶ answer ──▶ 201 with the review and its status
 *
 * The authorizers (api/authz) answer reviews of access, lw_authenticator those of tokens. */
#ifndef LW_API_REVIEW_REVIEW_H
#define LW_API_REVIEW_REVIEW_H

#include "api/http/call.h"
#include "api/pending/pending_object.h"

typedef struct lw_review {
    const lw_kind *kind;
    bool is_blank; /* the reply repeats nothing of the spec */
    /* Returns false if the review is invalid; |status| has the reason, and |pending| may have been
     * changed.  May be NULL. */
    bool (*validate)(lw_pending_object *pending, lw_api_status *status);
    /* Sets the status of the review; |asked| is the review as it was sent.  Failures are kept in
     * |pending|. */
    void (*answer)(lw_pending_object *pending, const lw_node *asked, const lw_api_call *call);
} lw_review;

/* Answers of reviews of access (access_answer.c). */
void lw_review_answer_self(lw_pending_object *pending, const lw_node *asked,
                           const lw_api_call *call);
void lw_review_answer_subject(lw_pending_object *pending, const lw_node *asked,
                              const lw_api_call *call);
void lw_review_answer_rules(lw_pending_object *pending, const lw_node *asked,
                            const lw_api_call *call);

/* Each table ends with a NULL kind. */
extern const lw_review lw_reviews_of_access[];   /* subject_access_review.c */
extern const lw_review lw_reviews_of_identity[]; /* token_review.c */

/* Handles the creation of an object of a kind that is not stored.  Frees the call. */
void lw_rest_review(lw_api_call *call);

/* Handles POST to the subresource token of a service account.  Frees the call. */
void lw_rest_token_request(lw_api_call *call);

#endif
