/* SPDX-License-Identifier: Apache-2.0 */
/* policy_env.h -- the variables that expressions of an admission policy can use, and their types.
 *
 *     object, oldObject, params          any type
 *     request, namespaceObject           objects with declared fields
 *     variables                          the composed variables of the policy that come before
 *     authorizer, authorizer.requestResource
 *
 * One thread compiles; then any number of threads may evaluate. */
#ifndef LW_API_POLICIES_POLICY_ENV_H
#define LW_API_POLICIES_POLICY_ENV_H

#include "base/arena.h"
#include "cel/session.h"

typedef enum lw_policy_variable {
    LW_POLICY_OBJECT,
    LW_POLICY_OLD_OBJECT,
    LW_POLICY_NAMESPACE,
    LW_POLICY_REQUEST,
    LW_POLICY_PARAMS,
    LW_POLICY_COMPOSED,
    LW_POLICY_AUTHORIZER,
    LW_POLICY_REQUEST_RESOURCE,
    LW_POLICY_VARIABLES, /* how many there are */
} lw_policy_variable;

/* A list of variables in the order of their values. */
typedef struct lw_policy_scope {
    lw_cel_variable declared[LW_POLICY_VARIABLES];
    lw_policy_variable which[LW_POLICY_VARIABLES];
    size_t count;
} lw_policy_scope;

/* Where an expression stands decides which variables it can use. */
typedef enum lw_policy_place {
    LW_POLICY_IN_CONDITION,  /* a match condition: no composed variables */
    LW_POLICY_IN_VALIDATION, /* everything */
    LW_POLICY_IN_MESSAGE,    /* no authorizer */
    LW_POLICY_IN_MUTATION,   /* everything, and the types of patches */
} lw_policy_place;

/* The type that an expression must have. */
typedef enum lw_policy_wanted {
    LW_POLICY_WANTS_BOOL,
    LW_POLICY_WANTS_STRING,
    LW_POLICY_WANTS_STRING_OR_NULL,
    LW_POLICY_WANTS_OBJECT,  /* Object */
    LW_POLICY_WANTS_PATCHES, /* list(JSONPatch) */
    LW_POLICY_WANTS_ANY,
} lw_policy_wanted;

/* At a fixed address as long as a program lives. */
typedef struct lw_policy_env {
    lw_policy_scope all;       /* the scope of a message is a prefix of it */
    lw_policy_scope condition; /* without the composed variables */
    size_t message_count;      /* of |all| */
    size_t composed_at;        /* in |all|; SIZE_MAX: there is no "variables" */
    lw_cel_type composed;      /* the type of "variables" */
    lw_cel_field *fields;      /* of it, sorted; room for all composed variables */
} lw_policy_env;

/* Prepares the environment of a policy with up to |composed| composed variables.  The fields are in
 * |arena|.  |has_composed|: "variables" is declared.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_env_init(lw_policy_env *env, lw_arena *arena, bool has_params,
                                           bool has_composed, size_t composed);

/* Declares the types of object, oldObject and params (NULL: any type), for checking expressions
 * that are not evaluated.  As in Kubernetes, authorizer.requestResource is then unknown. */
void lw_policy_env_set_types(lw_policy_env *env, const lw_cel_type *object,
                             const lw_cel_type *params);

/* Compiles |text|.  LW_ERR_SYNTAX: it does not compile or has another type, and |why| says so as
 * kube-apiserver does.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_policy_env_compile(lw_policy_env *env, lw_str text,
                                              lw_policy_place place, lw_policy_wanted wanted,
                                              lw_cel_program **out, lw_buf *why);

/* Declares the composed variable |name|, which must outlive the environment, with the type of
 * |program| (NULL: any type) for the expressions that are compiled from now on.  Of two with the
 * same name, the last one counts. */
void lw_policy_env_declare(lw_policy_env *env, lw_str name, const lw_cel_program *program);

#endif
