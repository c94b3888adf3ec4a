/* SPDX-License-Identifier: Apache-2.0 */
/* review.h -- reviews: objects that are created, answered, and not stored.
 *
 *     POST ──▶ pending object ──▶ validate ──▶ answer ──▶ 201 with the review and its status
 *
 * Any authenticated user has full access; lw_authenticator says who can authenticate, and whose a
 * token is. */
#ifndef LW_API_REVIEW_REVIEW_H
#define LW_API_REVIEW_REVIEW_H

#include "api/http/call.h"
#include "api/pending/pending_object.h"

/* The audience of tokens without one: the name that kubeadm gives to an API server. */
#define LW_API_AUDIENCE "https://kubernetes.default.svc.cluster.local"

typedef struct lw_review {
    const lw_kind *kind;
    bool is_blank; /* the reply repeats nothing of the spec */
    /* Returns false if the review is invalid; |status| has the reason, and |pending| may have been
     * changed.  May be NULL. */
    bool (*validate)(lw_pending_object *pending, lw_api_status *status);
    /* Sets the status of the review.  Failures are kept in |pending|. */
    void (*answer)(lw_pending_object *pending, const lw_api_call *call);
} lw_review;

/* Each table ends with a NULL kind. */
extern const lw_review lw_reviews_of_access[];   /* subject_access_review.c */
extern const lw_review lw_reviews_of_identity[]; /* token_review.c */

/* Handles the creation of an object of a kind that is not stored.  Frees the call. */
void lw_rest_review(lw_api_call *call);

#endif
