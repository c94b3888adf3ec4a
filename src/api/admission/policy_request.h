/* SPDX-License-Identifier: Apache-2.0 */
/* policy_request.h -- a request as admission policies see it: what it is about, the values of the
 * variables of expressions, and the parameters of bindings.
 *
 * Made for one request on its loop; the values are built when a policy first needs them. */
#ifndef LW_API_ADMISSION_POLICY_REQUEST_H
#define LW_API_ADMISSION_POLICY_REQUEST_H

#include "api/authz/cel_access.h"
#include "api/http/call.h"
#include "api/matching/match_rules.h"
#include "api/pending/pending_object.h"
#include "api/policies/policy_eval.h"
#include "api/policies/policy_index.h"

typedef struct lw_policy_request {
    /* Set by the caller. */
    lw_api_port *port;
    lw_api_call *call;   /* takes warnings and annotations; NULL: nobody reads them */
    const lw_user *user; /* of the request */
    struct lw_http_stream *stream;
    bool is_dry_run;
    lw_str manager;         /* fieldManager; may be empty */
    lw_match_request match; /* without its registry and namespace; name as the client gave it */
    lw_gvk gvk;  /* of the object, if it is not one of the resource (Scale, ...); else empty */
    lw_str name; /* of the object, for messages */
    lw_budget *budget; /* NULL: no limit */

    /* Internal. */
    lw_tree *tree; /* of the values */
    lw_node *object, *old, *ns;
    bool has_values;
    lw_authz_access access; /* of the variable authorizer */
} lw_policy_request;

/* Completes |request|. */
void lw_policy_request_begin(lw_policy_request *request);
void lw_policy_request_done(lw_policy_request *request);

/* Builds the values for a policy that matched as |matched|.  Call it again after the object has
 * changed and lw_policy_request_forget was called.  LW_ERR_NOMEM, LW_ERR_LIMIT,
 * LW_ERR_UNAVAILABLE; LW_ERR_NOT_FOUND: the namespace does not exist. */
LW_MUST_CHECK lw_status lw_policy_request_input(lw_policy_request *request, const lw_kind *matched,
                                                lw_policy_input *input);
void lw_policy_request_forget(lw_policy_request *request);

/* Decides whether |binding| applies to the request.  LW_MATCH_ERROR: |why| says what is wrong with
 * its rules. */
lw_match_verdict lw_policy_request_match_binding(lw_policy_request *request,
                                                 const lw_policy_binding *binding, lw_buf *why);

/* Returns true if the paramKind of |policy| is served, or it has none.  False: |why| says so. */
bool lw_policy_params_are_known(const lw_policy_request *request, const lw_policy *policy,
                                lw_buf *why);

/* The parameters that a policy is evaluated with, once for each. */
typedef struct lw_policy_params {
    lw_object *named;      /* the one with the name of the binding; NULL: none */
    lw_cache_list objects; /* those that its selector selects */
    const lw_kind *kind;   /* of them */
    bool is_single;        /* the policy is evaluated once, with params == null */
} lw_policy_params;

/* Finds the parameters of |binding|.  LW_ERR_INVALID: |why| says what is wrong with the
 * configuration; LW_ERR_NOMEM, LW_ERR_UNAVAILABLE.  Free them in any case. */
LW_MUST_CHECK lw_status lw_policy_params_find(lw_policy_request *request, const lw_policy *policy,
                                              const lw_policy_binding *binding,
                                              lw_policy_params *params, lw_buf *why);
void lw_policy_params_done(lw_policy_params *params);

/* Returns how often the policy is to be evaluated. */
size_t lw_policy_params_count(const lw_policy_params *params);

/* Sets the variable "params" of |input| to parameter |index|, which is parsed into |*tree|, to be
 * freed.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_policy_params_set(const lw_policy_params *params, size_t index,
                                             lw_policy_input *input, lw_tree **tree);

/* Charges |work| to the budget of the request; false: it is over. */
bool lw_policy_request_charge(lw_policy_request *request, uint64_t work);

#endif
