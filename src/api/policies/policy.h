/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h -- an admission policy and a binding, compiled from the stored objects.
 *
 * Immutable and shared by references; any thread. */
#ifndef LW_API_POLICIES_POLICY_H
#define LW_API_POLICIES_POLICY_H

#include "api/matching/match_rules.h"
#include "api/policies/policy_env.h"
#include "base/ref.h"

enum {
    LW_POLICY_BYTES_MAX = 64 * 1024 * 1024, /* memory of a compiled policy without its programs */
};

/* Costs of evaluations, as in kube-apiserver. */
enum {
    LW_POLICY_CALL_COST_MAX = 1000 * 1000,
    LW_POLICY_COST_MAX = 10 * 1000 * 1000, /* of all validations for one request */
    LW_POLICY_CONDITIONS_COST_MAX = 2500 * 1000,
};

typedef enum lw_policy_type {
    LW_POLICY_VALIDATING,
    LW_POLICY_MUTATING,
} lw_policy_type;

/* An expression.  A policy is stored only if its expressions compile; if one does not compile any
 * more, |program| is NULL and |error| says why. */
typedef struct lw_policy_expression {
    lw_str name; /* of a match condition or composed variable, the key of an annotation; or empty */
    lw_str text;
    lw_cel_program *program;
    lw_str error;
} lw_policy_expression;

typedef struct lw_policy_expressions {
    lw_policy_expression *list;
    size_t count;
} lw_policy_expressions;

/* The rest of a validation; its expression has the same index. */
typedef struct lw_policy_validation {
    lw_str message; /* may be empty */
    lw_str reason;  /* "Forbidden"; empty: Invalid */
} lw_policy_validation;

typedef struct lw_policy {
    lw_ref refs;
    lw_policy_type type;
    lw_str name;
    bool ignores_failures; /* failurePolicy Ignore */
    bool is_reinvoked;     /* reinvocationPolicy IfNeeded */
    bool has_params;
    lw_str param_version, param_kind; /* paramKind */
    lw_match_rules *rules;
    lw_str rules_error; /* why there are none */
    lw_policy_expressions conditions, validations, messages, annotations;
    lw_policy_validation *details; /* of the validations */
    lw_policy_expressions mutations;
    bool *applies;                   /* for each mutation: an ApplyConfiguration */
    lw_policy_expressions variables; /* composed */
    lw_cel_composed *composed;       /* the same for a session */
    lw_policy_env env;
    lw_arena arena;
} lw_policy;

/* Compiles |root|, a stored policy.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_new(lw_policy **out, lw_policy_type type, const lw_node *root);
lw_policy *lw_policy_ref(lw_policy *policy);
void lw_policy_unref(lw_policy *policy); /* NULL does nothing */

/* What happens to a request that a validation denies. */
enum {
    LW_POLICY_DENY = 1 << 0,
    LW_POLICY_WARN = 1 << 1,
    LW_POLICY_AUDIT = 1 << 2,
};

typedef struct lw_policy_binding {
    lw_ref refs;
    lw_str name;
    lw_str policy; /* the name of it */
    unsigned actions;
    lw_str actions_json;   /* ["Deny","Audit"] */
    lw_match_rules *rules; /* NULL: matches whatever the policy matches */
    lw_str rules_error;
    bool has_param_ref;
    lw_str param_ns, param_name;
    lw_label_selector *param_selector; /* NULL: by name */
    bool denies_without_params;
    lw_arena arena;
} lw_policy_binding;

/* Compiles |root|, a stored binding.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_binding_new(lw_policy_binding **out, const lw_node *root);
lw_policy_binding *lw_policy_binding_ref(lw_policy_binding *binding);
void lw_policy_binding_unref(lw_policy_binding *binding); /* NULL does nothing */

#endif
