/* SPDX-License-Identifier: Apache-2.0 */
/* session.h -- several expressions evaluated on the same values: an admission policy and one
 * request.
 *
 * A session adds to lw_cel_eval: composed variables ("variables.x"), which are expressions that are
 * evaluated when they are first used, and at most once; an authorizer; and values that become
 * JSON.
 *
 * One thread at a time. */
#ifndef LW_CEL_SESSION_H
#define LW_CEL_SESSION_H

#include "cel/cel.h"

/* What a check of an authorizer asks.  The views live as long as the session. */
typedef struct lw_cel_access {
    lw_str account_ns, account; /* a service account; empty: the user of the request */
    lw_str path;                /* a path; empty: a resource */
    lw_str group, resource, subresource, ns, name;
    lw_str field_selector, label_selector; /* as text; empty: none */
    lw_str verb;
} lw_cel_access;

/* Answers checks.  NULL |check|: nothing is allowed. */
typedef struct lw_cel_authorizer {
    /* Returns true if it is allowed.  Appends the reason, and an error if there was one.  Does not
     * block. */
    bool (*check)(void *arg, const lw_cel_access *access, lw_buf *reason, lw_buf *error);
    void *arg;
} lw_cel_authorizer;

/* A composed variable.  Its expression may use the variables before it. */
typedef struct lw_cel_composed {
    lw_str name;
    const lw_cel_program *program;
} lw_cel_composed;

enum {
    LW_CEL_SESSION_BYTES_MAX = 64 * 1024 * 1024, /* values of a session */
};

typedef struct lw_cel_session_options {
    const lw_cel_binding
        *values;        /* for the declared variables, which all programs of the session
                           have in common; those of the kinds AUTHORIZER and RESOURCE_CHECK
                           and that of the composed variables are not read */
    size_t composed_at; /* the declared variable, an OBJECT, whose fields are the composed ones;
                           SIZE_MAX: none */
    const lw_cel_composed *composed;
    size_t composed_count;
    lw_cel_authorizer authorizer;
    lw_cel_access requested; /* what a declared RESOURCE_CHECK asks, without a verb */
} lw_cel_session_options;

typedef struct lw_cel_session lw_cel_session;

/* Everything in |options| is borrowed and must outlive the session.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_cel_session_new(lw_cel_session **out,
                                           const lw_cel_session_options *options);
void lw_cel_session_free(lw_cel_session *session); /* NULL does nothing */

/* Evaluates |program| as lw_cel_eval does, at most at the cost |budget|; each composed variable
 * that it uses for the first time has a budget of the same size.  |*composed_cost| is what those
 * have cost. */
LW_MUST_CHECK lw_status lw_cel_session_eval(lw_cel_session *session, const lw_cel_program *program,
                                            uint64_t budget, lw_cel_outcome *outcome,
                                            uint64_t *composed_cost);

/* Makes |*out| of the value of the last evaluation, in |tree|.  LW_ERR_INVALID: the value is not
 * JSON, or the name of an Object type is not that of its place, and |why| says so; LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_cel_session_node(const lw_cel_session *session, lw_tree *tree,
                                            lw_node **out, lw_buf *why);

/* Returns the elementary steps that all evaluations have taken, at most LW_CEL_WORK_MAX. */
uint64_t lw_cel_session_work(const lw_cel_session *session);

#endif
