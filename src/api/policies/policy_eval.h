/* SPDX-License-Identifier: Apache-2.0 */
/* policy_eval.h -- evaluates the expressions of a policy for one request. */
#ifndef LW_API_POLICIES_POLICY_EVAL_H
#define LW_API_POLICIES_POLICY_EVAL_H

#include "api/policies/policy.h"

/* What expressions see.  Everything is borrowed. */
typedef struct lw_policy_input {
    const lw_node *values[LW_POLICY_VARIABLES]; /* by lw_policy_variable; NULL: null */
    lw_cel_authorizer authorizer;
    lw_cel_access requested; /* of authorizer.requestResource */
} lw_policy_input;

typedef enum lw_policy_outcome {
    LW_POLICY_ABSENT, /* there is no expression */
    LW_POLICY_VALUE,
    LW_POLICY_ERROR, /* |text| has the error */
} lw_policy_outcome;

typedef struct lw_policy_result {
    lw_policy_outcome outcome;
    lw_cel_kind kind;
    bool boolean;
    lw_buf text; /* of a string */
} lw_policy_result;

typedef struct lw_policy_results {
    lw_policy_result *list;
    size_t count;
    lw_buf fatal;  /* the budget was exceeded, and this is why there are no results; or empty */
    uint64_t left; /* of the budget */
    uint64_t work; /* steps that were taken */
} lw_policy_results;

/* Evaluates the expressions of |list|, which stand at |place|, within |budget|.  Composed variables
 * are evaluated once for all of them.  Free the results in any case.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_policy_eval(const lw_policy *policy, const lw_policy_expressions *list,
                                       lw_policy_place place, const lw_policy_input *input,
                                       uint64_t budget, lw_policy_results *out);
void lw_policy_results_done(lw_policy_results *results);

/* Evaluates mutation |index| and makes its value a node of |tree|: an object, or an array of
 * patches.  LW_ERR_INVALID: |why| says what went wrong; LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_eval_mutation(const lw_policy *policy, size_t index,
                                                const lw_policy_input *input, lw_tree *tree,
                                                lw_node **out, uint64_t *work, lw_buf *why);

/* Evaluates the match conditions.  True: the policy applies.  False with an empty |why|: it does
 * not; else the conditions could not be evaluated.  |*st| is LW_ERR_NOMEM if memory ran out. */
bool lw_policy_matches(const lw_policy *policy, const lw_policy_input *input, uint64_t *work,
                       lw_buf *why, lw_status *st);

#endif
