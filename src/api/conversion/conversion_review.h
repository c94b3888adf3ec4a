/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_review.h -- ConversionReview (apiextensions.k8s.io/v1 and v1beta1): what a conversion
 * webhook is sent, and its reply, checked as kube-apiserver checks it.
 *
 * The bytes of a reply are a stranger's. */
#ifndef LW_API_CONVERSION_CONVERSION_REVIEW_H
#define LW_API_CONVERSION_CONVERSION_REVIEW_H

#include "api/conversion/conversion_metrics.h"
#include "api/webhooks/endpoint.h"
#include "schema/kinds/definition.h"

enum {
    LW_CONVERSION_REPLY_MAX = 8 * 1024 * 1024, /* bytes of a reply */
    LW_CONVERSION_WHY_MAX = 64 * 1024,         /* bytes of a message */
};

/* One question: all of |objects| as |to|, another version of their kind. */
typedef struct lw_conversion_review {
    lw_hook_version version;
    lw_str uid;
    const lw_kind *to;
    lw_object *const *objects; /* at least one */
    size_t count;
} lw_conversion_review;

/* Appends the review.  Look at out->st. */
void lw_conversion_review_write(const lw_conversion_review *review, lw_buf *out);

/* Appends "conversion webhook for example.com/v1, Kind=Widget", the beginning of all messages;
 * |obj| is the object that could not be converted. */
void lw_conversion_append_subject(const lw_object *obj, lw_buf *out);

/* Reads |json|, the reply, into |converted|, one reference for each object; nothing is there on
 * error.  LW_ERR_INVALID: the reply is not valid; |why| says so in the words of kube-apiserver and
 * |*failure| what kind of failure it is.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_conversion_review_read(const lw_conversion_review *review, lw_str json,
                                                  lw_object **converted,
                                                  lw_conversion_failure *failure, lw_buf *why);

#endif
