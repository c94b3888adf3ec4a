/* SPDX-License-Identifier: Apache-2.0 */
/* review.h -- reads the reviews that an API server sends to webhooks, and writes the answers. */
#ifndef LW_SERVER_HOOK_SERVER_REVIEW_H
#define LW_SERVER_HOOK_SERVER_REVIEW_H

#include <listwatch/server_webhook.h>

#include "base/buf.h"

enum {
    LW_REVIEW_ANSWER_MAX = 16 * 1024 * 1024,
    LW_REVIEW_TEXTS_MAX = 64, /* warnings, annotations */
    LW_REVIEW_DEPTH = 128,
};

struct lw_webhook_response {
    bool is_denied;
    int status;
    lw_buf message;
    lw_buf patch;       /* JSON; empty: none */
    lw_buf warnings;    /* elements of an array of JSON */
    lw_buf annotations; /* members of an object of JSON */
    size_t warning_count, annotation_count;
    lw_buf converted; /* JSON; empty: not converted */
};

void lw_review_response_init(lw_webhook_response *response);
void lw_review_response_done(lw_webhook_response *response);

/* What a path does with a review: one of the two functions is set. */
typedef struct lw_review_handler {
    lw_webhook_admission_fn admit;
    lw_webhook_conversion_fn convert;
    void *arg;
} lw_review_handler;

/* Lets |handler| answer the review |body|, and appends the answer to |out|.  Returns the HTTP
 * status; other than 200, |out| is a message for people. */
int lw_review_answer(const lw_review_handler *handler, lw_str body, lw_buf *out);

#endif
