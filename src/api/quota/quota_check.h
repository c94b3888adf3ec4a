/* SPDX-License-Identifier: Apache-2.0 */
/* quota_check.h -- checks one object against one quota, and computes the charge.
 *
 * Pure functions; the messages are those of kube-apiserver's admission. */
#ifndef LW_API_QUOTA_QUOTA_CHECK_H
#define LW_API_QUOTA_QUOTA_CHECK_H

#include <listwatch/object.h>

#include "api/quota/quota_usage.h"
#include "base/buf.h"

/* A parsed quota.  Initialise it with zeros; call lw_quota_done in any case. */
typedef struct lw_quota {
    lw_str name; /* a view into the object */
    lw_tree *tree;
    const lw_node *spec;
    lw_amounts hard, used; /* from its status */
} lw_quota;

/* Parses |object|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_quota_read(lw_quota *quota, const lw_object *object);
void lw_quota_done(lw_quota *quota);

/* The object to be stored. */
typedef struct lw_quota_request {
    const lw_kind *kind;
    const lw_node *object; /* the new object */
    lw_quota_usage now;
    lw_quota_usage before; /* usage of the stored object, if there is one */
    bool has_before;
    bool is_status; /* only its status changes: charged, but never refused */
} lw_quota_request;

typedef enum lw_quota_decision {
    LW_QUOTA_PASS,   /* it uses nothing of the quota, or nothing more */
    LW_QUOTA_CHARGE, /* it may use |delta| */
    LW_QUOTA_REFUSE, /* |why| has the reason */
} lw_quota_decision;

/* Returns true if the quota applies to such objects. */
bool lw_quota_applies(const lw_quota *quota, const lw_quota_request *request);

/* Checks the requirements of a quota that applies, apart from its limits: containers specify their
 * resources, and the usage is known.  False: |why| says what is missing. */
bool lw_quota_is_answered(const lw_quota *quota, const lw_quota_request *request, lw_buf *why);

/* Checks everything.  Adds the charge to |delta| (empty before); if delta->st < 0, the decision is
 * invalid. */
lw_quota_decision lw_quota_check(const lw_quota *quota, const lw_quota_request *request,
                                 lw_amounts *delta, lw_buf *why);

#endif
