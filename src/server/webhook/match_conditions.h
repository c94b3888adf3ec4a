/* SPDX-License-Identifier: Apache-2.0 */
/* match_conditions.h -- expressions in CEL that decide whether an authorization webhook is asked.
 *
 * The variable "request" is the spec of the SubjectAccessReview (v1).  All its strings are present,
 * empty if they are not set; resourceAttributes, nonResourceAttributes and the selectors only if
 * the request has them.  Immutable once compiled; any thread. */
#ifndef LW_SERVER_WEBHOOK_MATCH_CONDITIONS_H
#define LW_SERVER_WEBHOOK_MATCH_CONDITIONS_H

#include "base/buf.h"

enum {
    LW_MATCH_CONDITIONS_MAX = 64,
};

typedef struct lw_match_conditions lw_match_conditions;

/* Compiles |count| expressions, at most LW_MATCH_CONDITIONS_MAX.  LW_ERR_INVALID: |*failed| is the
 * index of the expression that does not compile, or is not a bool, and |why| says it.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_match_conditions_new(lw_match_conditions **out,
                                                const lw_str *expressions, size_t count,
                                                size_t *failed, lw_buf *why);
void lw_match_conditions_free(lw_match_conditions *conditions); /* NULL does nothing */

typedef enum lw_match_result {
    LW_MATCH_YES,    /* all are true; also without conditions */
    LW_MATCH_NO,     /* one is false */
    LW_MATCH_FAILED, /* none is false, but one could not be evaluated; |error| says why */
} lw_match_result;

/* Evaluates the conditions for |spec|, that of a review in v1 as JSON.  |error| may be NULL. */
lw_match_result lw_match_conditions_eval(const lw_match_conditions *conditions, lw_str spec,
                                         lw_buf *error);

#endif
