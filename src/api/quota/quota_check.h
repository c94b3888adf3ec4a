/* SPDX-License-Identifier: Apache-2.0 */
/* quota_check.h -- one quota and one object that is to be stored: may it, and what is charged.
 *
 * Pure functions; the words are those of kube-apiserver's admission. */
#ifndef LW_API_QUOTA_QUOTA_CHECK_H
#define LW_API_QUOTA_QUOTA_CHECK_H

#include <listwatch/object.h>

#include "api/quota/quota_usage.h"
#include "base/buf.h"

/* A quota, read.  Starts zeroed, and is done in any case. */
typedef struct lw_quota {
    lw_str name; /* a view of the object */
    lw_tree *tree;
    const lw_node *spec;
    lw_amounts hard, used; /* of its status */
} lw_quota;

/* LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_quota_read(lw_quota *quota, const lw_object *object);
void lw_quota_done(lw_quota *quota);

/* What is to be stored. */
typedef struct lw_quota_request {
    const lw_kind *kind;
    const lw_node *object; /* as it is to be */
    lw_quota_usage now;
    lw_quota_usage before; /* of what is stored, if anything is */
    bool has_before;
    bool is_status; /* only its status changes: charged, never refused for it */
} lw_quota_request;

typedef enum lw_quota_decision {
    LW_QUOTA_PASS,   /* it takes nothing from the quota, or nothing more */
    LW_QUOTA_CHARGE, /* it may take what |delta| says */
    LW_QUOTA_REFUSE, /* |why| says why not */
} lw_quota_decision;

/* Whether the quota is about such objects at all. */
bool lw_quota_applies(const lw_quota *quota, const lw_quota_request *request);

/* What a quota that applies asks of objects, however much is left: that they say what they need,
 * and that it knows itself what is used.  False: |why| says what is missing. */
bool lw_quota_is_answered(const lw_quota *quota, const lw_quota_request *request, lw_buf *why);

/* All of it.  Adds to |delta| (empty before) what is to be charged; delta->st < 0: the decision
 * means nothing. */
lw_quota_decision lw_quota_check(const lw_quota *quota, const lw_quota_request *request,
                                 lw_amounts *delta, lw_buf *why);

#endif
