/* SPDX-License-Identifier: Apache-2.0 */
/* policy_eval.c -- evaluates expressions with the budgets and the messages of kube-apiserver. */
#include "api/policies/policy_eval.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    TEXT_MAX = 256 * 1024, /* bytes of a message */
};

static const char over_budget[] = "validation failed due to running out of cost budget, no further "
                                  "validation rules will be run";

typedef struct session {
    lw_cel_session *cel;
    lw_cel_binding values[LW_POLICY_VARIABLES];
} session;

/* Binds the variables of |scope|. */
static lw_status session_open(session *s, const lw_policy *policy, lw_policy_place place,
                              const lw_policy_input *input)
{
    bool is_condition = place == LW_POLICY_IN_CONDITION;
    const lw_policy_scope *scope = is_condition ? &policy->env.condition : &policy->env.all;
    for (size_t i = 0; i < scope->count; i++)
        s->values[i] = (lw_cel_binding){ input->values[scope->which[i]], true };
    const lw_cel_session_options options = {
        .values = s->values,
        .composed_at = is_condition ? SIZE_MAX : policy->env.composed_at,
        .composed = policy->composed,
        .composed_count = is_condition ? 0 : policy->variables.count,
        .authorizer = input->authorizer,
        .requested = input->requested,
    };
    s->cel = NULL;
    return lw_cel_session_new(&s->cel, &options);
}

/* Takes |cost| from |*left|; false: there is not enough. */
static bool take(uint64_t *left, uint64_t cost)
{
    if (cost > *left)
        return false;
    *left -= cost;
    return true;
}

/* Evaluates one expression.  Its outcome may be ABSENT, because the budget was exceeded: then
 * |fatal| is set. */
static lw_status eval_one(session *s, const lw_policy_expression *expression, uint64_t *left,
                          lw_policy_result *out, lw_buf *fatal)
{
    lw_cel_outcome outcome = { .verdict = LW_CEL_FAILED };
    uint64_t composed = 0;
    if (!expression->program) {
        out->outcome = expression->error.len > 0 ? LW_POLICY_ERROR : LW_POLICY_ABSENT;
        if (expression->error.len > 0)
            lw_buf_printf(&out->text, "compilation error: %.*s", LW_STR_ARG(expression->error));
        return out->text.st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_OK;
    }
    lw_status st = lw_cel_session_eval(s->cel, expression->program, LW_POLICY_CALL_COST_MAX,
                                       &outcome, &composed);
    if (st < 0)
        return st;
    if (!take(left, composed) || !take(left, outcome.cost)) {
        lw_buf_append_text(fatal, over_budget);
    } else if (outcome.verdict != LW_CEL_VALUE) {
        out->outcome = LW_POLICY_ERROR;
        lw_buf_printf(&out->text, "expression '%.*s' resulted in error: %.*s",
                      LW_STR_ARG(expression->text), LW_STR_ARG(lw_buf_view(&outcome.text)));
    } else {
        out->outcome = LW_POLICY_VALUE;
        out->kind = outcome.kind;
        out->boolean = outcome.boolean;
        if (outcome.kind == LW_CEL_STRING)
            lw_buf_append_str(&out->text, lw_buf_view(&outcome.text));
    }
    lw_cel_outcome_done(&outcome);
    return out->text.st == LW_ERR_NOMEM || fatal->st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_OK;
}

lw_status lw_policy_eval(const lw_policy *policy, const lw_policy_expressions *list,
                         lw_policy_place place, const lw_policy_input *input, uint64_t budget,
                         lw_policy_results *out)
{
    session s;
    *out = (lw_policy_results){ .left = budget };
    lw_buf_init(&out->fatal, TEXT_MAX);
    if (list->count == 0)
        return LW_OK;
    out->list = lw_alloc_zero(list->count, sizeof(*out->list));
    if (!out->list)
        return LW_ERR_NOMEM;
    lw_status st = session_open(&s, policy, place, input);
    for (; st == LW_OK && out->count < list->count && out->fatal.len == 0; out->count++) {
        lw_buf_init(&out->list[out->count].text, TEXT_MAX);
        st = eval_one(&s, &list->list[out->count], &out->left, &out->list[out->count], &out->fatal);
    }
    out->work = s.cel ? lw_cel_session_work(s.cel) : 0;
    lw_cel_session_free(s.cel);
    return st;
}

void lw_policy_results_done(lw_policy_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        lw_buf_done(&results->list[i].text);
    lw_free(results->list);
    lw_buf_done(&results->fatal);
}

lw_status lw_policy_eval_mutation(const lw_policy *policy, size_t index,
                                  const lw_policy_input *input, lw_tree *tree, lw_node **out,
                                  uint64_t *work, lw_buf *why)
{
    session s;
    lw_policy_result result = { .outcome = LW_POLICY_ABSENT };
    uint64_t left = LW_POLICY_COST_MAX;
    lw_buf fatal;
    lw_buf_init(&result.text, TEXT_MAX);
    lw_buf_init(&fatal, TEXT_MAX);
    lw_status st = session_open(&s, policy, LW_POLICY_IN_MUTATION, input);
    if (st == LW_OK)
        st = eval_one(&s, &policy->mutations.list[index], &left, &result, &fatal);
    if (st == LW_OK && (fatal.len > 0 || result.outcome == LW_POLICY_ERROR)) {
        lw_buf_append_str(why, lw_buf_view(fatal.len > 0 ? &fatal : &result.text));
        st = LW_ERR_INVALID;
    }
    if (st == LW_OK && result.outcome == LW_POLICY_VALUE)
        st = lw_cel_session_node(s.cel, tree, out, why);
    *work += s.cel ? lw_cel_session_work(s.cel) : 0;
    lw_cel_session_free(s.cel);
    lw_buf_done(&result.text);
    lw_buf_done(&fatal);
    return st;
}

/* One error as it is; several in brackets. */
static void append_errors(const lw_policy_results *results, lw_buf *why)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        count += results->list[i].outcome == LW_POLICY_ERROR;
    lw_buf_append_text(why, count > 1 ? "[" : "");
    for (size_t i = 0, seen = 0; i < results->count; i++) {
        if (results->list[i].outcome != LW_POLICY_ERROR)
            continue;
        lw_buf_append_text(why, seen++ > 0 ? ", " : "");
        lw_buf_append_str(why, lw_buf_view(&results->list[i].text));
    }
    lw_buf_append_text(why, count > 1 ? "]" : "");
}

bool lw_policy_matches(const lw_policy *policy, const lw_policy_input *input, uint64_t *work,
                       lw_buf *why, lw_status *st)
{
    lw_policy_results results;
    lw_policy_input seen = *input;
    bool has_error = false, is_false = false;
    *st = LW_OK;
    if (policy->conditions.count == 0)
        return true;
    seen.values[LW_POLICY_NAMESPACE] = NULL; /* conditions do not see the namespace */
    *st = lw_policy_eval(policy, &policy->conditions, LW_POLICY_IN_CONDITION, &seen,
                         LW_POLICY_CONDITIONS_COST_MAX, &results);
    for (size_t i = 0; i < results.count; i++) {
        has_error = has_error || results.list[i].outcome == LW_POLICY_ERROR;
        is_false =
            is_false || (results.list[i].outcome == LW_POLICY_VALUE && !results.list[i].boolean);
    }
    bool is_over = results.fatal.len > 0;
    if (*st == LW_OK && !policy->ignores_failures && is_over)
        lw_buf_append_str(why, lw_buf_view(&results.fatal));
    else if (*st == LW_OK && !policy->ignores_failures && !is_false && has_error)
        append_errors(&results, why);
    *work += results.work;
    lw_policy_results_done(&results);
    return *st == LW_OK && !is_over && !is_false && !has_error;
}
