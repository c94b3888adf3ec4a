/* SPDX-License-Identifier: Apache-2.0 */
/* token_webhook.h -- authenticates bearer tokens that no other authenticator knows by a TokenReview
 * that is posted to a webhook (kube-apiserver: --authentication-token-webhook-config-file).
 *
 * Answers, also "not authenticated", are cached by a hash of the token and the audiences; errors
 * are not.  Threads: any. */
#ifndef LW_SERVER_WEBHOOK_TOKEN_WEBHOOK_H
#define LW_SERVER_WEBHOOK_TOKEN_WEBHOOK_H

#include <listwatch/log.h>

#include "api/context/account_token.h"
#include "net/http.h"
#include "server/authn/authn.h"
#include "server/webhook/access_review.h"
#include "server/webhook/caller.h"

enum {
    LW_TOKEN_WEBHOOK_ANSWERS_MAX = 32768, /* cached */
};

typedef struct lw_token_webhook lw_token_webhook;

typedef struct lw_token_webhook_options {
    lw_authn *auth; /* stores the users; outlives the webhook, as what follows */
    lw_webhook_caller *caller;
    lw_webhook_transport *transport; /* taken, even on error */
    const lw_audiences *audiences;   /* of this server */
    int64_t timeout_ns;              /* of one call */
    int64_t ttl_ns;                  /* 0: answers are not cached */
    lw_review_version version;
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
} lw_token_webhook_options;

/* LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_token_webhook_new(lw_token_webhook **out,
                                             const lw_token_webhook_options *options,
                                             lw_error *err);

/* Frees it; its caller has stopped.  NULL does nothing. */
void lw_token_webhook_free(lw_token_webhook *hook);

/* Authenticates the request of |stream| by its bearer token.  Returns 0 and sets |*user|, which the
 * caller unrefs; or returns 401 and sets |*why|: final unless the stream waits (asker.h). */
int lw_token_webhook_identify(lw_token_webhook *hook, lw_http_stream *stream, const lw_user **user,
                              lw_str *why);

/* Finds the user of |token| for one of |wanted| (NULL: this server's audiences), as
 * lw_authn_find_token does.  LW_ERR_UNAUTHORIZED: not authenticated, or not yet. */
lw_status lw_token_webhook_find(lw_token_webhook *hook, lw_http_stream *stream, lw_str token,
                                const lw_audiences *wanted, const lw_user **user,
                                lw_audiences *matched);

/* Appends the metrics, named as in kube-apiserver. */
void lw_token_webhook_write_metrics(const lw_token_webhook *hook, lw_buf *out);

#endif
