/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h -- the AdmissionReview that a webhook replies with: checked as kube-apiserver checks it.
 *
 * The bytes are a stranger's. */
#ifndef LW_API_WEBHOOKS_REPLY_H
#define LW_API_WEBHOOKS_REPLY_H

#include "api/webhooks/hook.h"
#include "object/api_status.h"

enum {
    LW_HOOK_REPLY_MAX = 8 * 1024 * 1024, /* bytes of a reply */
};

/* What a webhook says.  Nodes and views live as long as |tree|, which a plain reply
 * (plain_reply.h) does without. */
typedef struct lw_hook_reply {
    lw_tree *tree; /* may be NULL */
    bool is_allowed;
    const lw_node *status;      /* of a refusal; NULL: none */
    const lw_node *warnings;    /* a list of strings; NULL: none */
    const lw_node *annotations; /* an object with strings; NULL: none */
    lw_tree *patch;             /* a list of operations; NULL: none */
} lw_hook_reply;

/* Reads |json|, the reply of a webhook that was asked with |uid|.  LW_ERR_INVALID: it is not a
 * valid reply, and |why| says so in the words of kube-apiserver, which follow "failed calling
 * webhook: "; LW_ERR_NOMEM.  Call lw_hook_reply_done in any case. */
LW_MUST_CHECK lw_status lw_hook_reply_read(lw_hook_reply *reply, lw_str json,
                                           lw_hook_version version, bool is_mutating, lw_str uid,
                                           lw_buf *why);

/* Decodes the patch of |reply|, after it was allowed; reply->patch is NULL if it changes nothing.
 * Errors as above. */
LW_MUST_CHECK lw_status lw_hook_reply_read_patch(lw_hook_reply *reply, lw_buf *why);
void lw_hook_reply_done(lw_hook_reply *reply);

/* Sets |status| to the refusal: admission webhook "|name|" denied the request: ...  |refusal| is
 * reply->status. */
void lw_hook_refusal(lw_api_status *status, lw_str name, const lw_node *refusal);

#endif
