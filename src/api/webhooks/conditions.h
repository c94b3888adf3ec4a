/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.h -- matchConditions of an admission webhook: CEL expressions on the request. */
#ifndef LW_API_WEBHOOKS_CONDITIONS_H
#define LW_API_WEBHOOKS_CONDITIONS_H

#include "base/buf.h"
#include "cel/session.h"
#include "json/tree.h"

enum {
    LW_HOOK_CONDITIONS_MAX = 64, /* of one webhook */
};

typedef struct lw_hook_conditions lw_hook_conditions;

typedef enum lw_hook_condition_result {
    LW_HOOK_CONDITIONS_MET,
    LW_HOOK_CONDITIONS_NOT_MET, /* one is false, whatever the others are */
    LW_HOOK_CONDITIONS_FAILED,  /* one could not be evaluated, and none is false */
} lw_hook_condition_result;

/* The variables: values that are not there are NULL. */
typedef struct lw_hook_condition_values {
    const lw_node *object, *old_object, *request;
    lw_cel_authorizer authorizer;
    lw_cel_access requested; /* of authorizer.requestResource */
} lw_hook_condition_values;

/* Compiles the member "matchConditions" of a webhook, at most LW_HOOK_CONDITIONS_MAX; |*out| is
 * NULL if there are none.  LW_ERR_INVALID: an expression is wrong: |*failed| is its index and |why|
 * the reason in the words of Kubernetes; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_hook_conditions_new(lw_hook_conditions **out, const lw_node *list,
                                               size_t *failed, lw_buf *why);
/* Compiles one |expression| and forgets it; errors as above. */
LW_MUST_CHECK lw_status lw_hook_condition_check(lw_str expression, lw_buf *why);

void lw_hook_conditions_free(lw_hook_conditions *conditions); /* NULL does nothing */

/* Evaluates all conditions; |error| gets the reason of a failure, or LW_ERR_NOMEM.  Threads: any,
 * with trees of their own. */
lw_hook_condition_result lw_hook_conditions_eval(const lw_hook_conditions *conditions,
                                                 const lw_hook_condition_values *values,
                                                 lw_buf *error);

#endif
