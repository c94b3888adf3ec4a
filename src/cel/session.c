/* SPDX-License-Identifier: Apache-2.0 */
/* session.c -- evaluates expressions that share values and composed variables.
 *
 * Each evaluation has an arena of its own.  That of a composed variable is kept until the session
 * ends, because later evaluations use its value; that of the last evaluation is kept for
 * lw_cel_session_node. */
#include "cel/session.h"

#include "base/alloc.h"
#include "base/str.h"
#include "cel/expr.h"
#include "cel/session_internal.h"

typedef struct composed {
    bool is_known;
    lw_cel_value value; /* may be an error */
    lw_arena arena;
} composed;

struct lw_cel_session {
    lw_cel_session_options options;
    lw_cel_access self; /* of the authorizer: the user of the request */
    uint64_t work;
    uint64_t budget;        /* of one evaluation */
    uint64_t composed_cost; /* since the last evaluation began */
    size_t bytes;           /* of the kept arenas */
    lw_cel_run last;        /* its arena and its value */
    lw_cel_value last_value;
    composed composed[];
};

lw_status lw_cel_session_new(lw_cel_session **out, const lw_cel_session_options *options)
{
    lw_cel_session *session =
        lw_alloc_zero(1, sizeof(*session) + options->composed_count * sizeof(composed));
    if (!session)
        return LW_ERR_NOMEM;
    session->options = *options;
    lw_arena_init(&session->last.arena, LW_CEL_VALUES_MAX);
    *out = session;
    return LW_OK;
}

void lw_cel_session_free(lw_cel_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->options.composed_count; i++) {
        if (session->composed[i].is_known)
            lw_arena_done(&session->composed[i].arena);
    }
    lw_arena_done(&session->last.arena);
    lw_free(session);
}

const lw_cel_authorizer *lw_cel_session_authorizer(const lw_cel_session *session)
{
    return &session->options.authorizer;
}

uint64_t lw_cel_session_work(const lw_cel_session *session)
{
    return session->work;
}

bool lw_cel_session_bind(lw_cel_run *run, size_t index, const lw_cel_type *type, lw_cel_value *out)
{
    const lw_cel_session *session = run->session;
    if (index == session->options.composed_at)
        *out = (lw_cel_value){ .kind = LW_CEL_OBJECT };
    else if (type->kind == LW_CEL_AUTHORIZER)
        *out = (lw_cel_value){ .kind = LW_CEL_AUTHORIZER, .access = &session->self };
    else if (type->kind == LW_CEL_RESOURCE_CHECK)
        *out =
            (lw_cel_value){ .kind = LW_CEL_RESOURCE_CHECK, .access = &session->options.requested };
    else
        return false;
    return true;
}

/* Begins an evaluation with what the session has left. */
static lw_cel_run begin_run(lw_cel_session *session, uint64_t budget)
{
    lw_cel_run run = { .budget = budget, .session = session, .work = session->work };
    size_t left = LW_CEL_SESSION_BYTES_MAX - session->bytes;
    lw_arena_init(&run.arena, left < LW_CEL_VALUES_MAX ? left : LW_CEL_VALUES_MAX);
    return run;
}

static lw_cel_value evaluate(lw_cel_session *session, lw_cel_run *run,
                             const lw_cel_program *program)
{
    lw_cel_value value = lw_cel_run_program(run, program, session->options.values);
    session->work = run->work > session->work ? run->work : session->work;
    return value;
}

/* Evaluates a composed variable in an arena that stays. */
static lw_status compose(lw_cel_session *session, size_t index)
{
    const lw_cel_composed *variable = &session->options.composed[index];
    composed *known = &session->composed[index];
    lw_cel_run run = begin_run(session, session->budget);
    lw_cel_value value = variable->program ? evaluate(session, &run, variable->program)
                                           : lw_cel_fail(&run, "it does not compile");
    session->composed_cost += run.cost;
    if (run.st == LW_ERR_NOMEM) {
        lw_arena_done(&run.arena);
        return LW_ERR_NOMEM;
    }
    if (lw_cel_is_error(&value)) {
        run.st = LW_OK; /* the error belongs to the variable */
        run.arena.st = LW_OK;
        value = lw_cel_fail(&run, "composited variable \"%.*s\" fails to evaluate: %.*s",
                            LW_STR_ARG(variable->name), LW_STR_ARG(value.text));
    }
    known->is_known = true;
    known->value = value;
    known->arena = run.arena;
    session->bytes += run.arena.taken;
    return run.arena.st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_OK;
}

bool lw_cel_session_member(lw_cel_run *run, lw_str name, lw_cel_value *out)
{
    lw_cel_session *session = run->session;
    for (size_t i = 0; session && i < session->options.composed_count; i++) {
        if (!lw_str_equal(session->options.composed[i].name, name))
            continue;
        if (!session->composed[i].is_known) {
            lw_status st = compose(session, i);
            if (run->work < session->work)
                run->work = session->work;
            if (st < 0) {
                run->st = st;
                *out = lw_cel_over(run);
                return true;
            }
        }
        *out = session->composed[i].value;
        return true;
    }
    return false;
}

lw_status lw_cel_session_eval(lw_cel_session *session, const lw_cel_program *program,
                              uint64_t budget, lw_cel_outcome *outcome, uint64_t *composed_cost)
{
    lw_arena_done(&session->last.arena);
    session->budget = budget;
    session->composed_cost = 0;
    session->last = begin_run(session, budget);
    session->last_value = evaluate(session, &session->last, program);
    *composed_cost = session->composed_cost;
    return lw_cel_conclude(&session->last, &session->last_value, outcome);
}

lw_status lw_cel_session_node(const lw_cel_session *session, lw_tree *tree, lw_node **out,
                              lw_buf *why)
{
    lw_cel_run run = { .budget = UINT64_MAX };
    lw_arena_init(&run.arena, LW_CEL_VALUES_MAX);
    lw_status st = lw_cel_value_node(&run, &session->last_value, tree, out, why);
    lw_arena_done(&run.arena);
    return st;
}
