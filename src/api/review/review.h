/* SPDX-License-Identifier: Apache-2.0 */
/* review.h -- kinds that are questions: created, answered, and not kept.
 *
 *     POST ──▶ pending ──▶ judge ──▶ answer ──▶ 201 with the question and its status
 *
 * Any authenticated user has full access; the server says who can authenticate, and who owns a
 * token (lw_authenticator). */
#ifndef LW_API_REVIEW_REVIEW_H
#define LW_API_REVIEW_REVIEW_H

#include "api/http/call.h"
#include "api/pending/pending_object.h"

/* For whom tokens are that name nobody: the name kubeadm gives an API server. */
#define LW_API_AUDIENCE "https://kubernetes.default.svc.cluster.local"

typedef struct lw_review {
    const lw_kind *kind;
    bool is_blank; /* the answer repeats nothing of the question */
    /* False: |status| says why it cannot be answered.  May be NULL, and may spoil the pending then.
     */
    bool (*judge)(lw_pending_object *pending, lw_api_status *status);
    /* Fills in what the server says.  Failures stick in the pending. */
    void (*answer)(lw_pending_object *pending, const lw_api_call *call);
} lw_review;

/* Each ends with no kind. */
extern const lw_review lw_reviews_of_access[];   /* subject_access_review.c */
extern const lw_review lw_reviews_of_identity[]; /* token_review.c */

/* Answers the creation of an object of a kind that has no place in the store.  Consumes the call.
 */
void lw_rest_review(lw_api_call *call);

#endif
