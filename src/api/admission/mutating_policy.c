/* SPDX-License-Identifier: Apache-2.0 */
/* mutating_policy.c -- runs the mutating policies that match a request, in the words of
 * kube-apiserver. */
#include "api/admission/mutating_policy.h"

#include "api/admission/policy_patch.h"
#include "api/http/failures.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/str.h"

enum {
    MESSAGE_MAX = 256 * 1024,
    ERRORS_MAX = 64, /* causes in the reply */
};

/* The run of all policies; a second pass runs those that see what others have changed. */
typedef struct run {
    lw_policy_request *request;
    lw_pending_object *pending;
    void (*set_defaults)(void *arg);
    void *arg;
    lw_api_status *status;
    bool is_second;
    bool has_changed;
    bool *was_invoked; /* for each policy, in the first pass */
    size_t errors;     /* added to |status| */
    lw_status st;
} run;

static void note_failure(run *r, lw_status st)
{
    if (r->st == LW_OK && st < 0)
        r->st = st;
}

/* Adds an error; the first one is the message of the reply. */
static void add_error(run *r, const lw_policy *policy, const lw_policy_binding *binding, lw_str why,
                      bool is_invalid)
{
    lw_buf text;
    if (policy->ignores_failures || r->errors >= ERRORS_MAX)
        return;
    lw_buf_init(&text, MESSAGE_MAX);
    if (binding)
        lw_buf_printf(&text, "policy '%.*s' with binding '%.*s' denied request: ",
                      LW_STR_ARG(policy->name), LW_STR_ARG(binding->name));
    else
        lw_buf_printf(&text, "policy \"%.*s\" denied request: ", LW_STR_ARG(policy->name));
    lw_buf_append_str(&text, why);
    if (r->errors++ == 0) {
        lw_api_status_forbidden(r->status, lw_kind_gvr(r->request->match.kind), r->request->name,
                                LW_STR(""));
        lw_api_status_set(r->status, &r->status->message, lw_buf_view(&text));
        if (is_invalid)
            lw_api_status_set(r->status, &r->status->reason, LW_STR("Invalid"));
    }
    lw_api_status_add_cause(r->status, LW_STR(""), lw_buf_view(&text), LW_STR(""));
    note_failure(r, text.st);
    lw_buf_done(&text);
}

static void add_configuration_error(run *r, const lw_policy *policy,
                                    const lw_policy_binding *binding, lw_str why)
{
    lw_buf text;
    lw_buf_init(&text, MESSAGE_MAX);
    lw_buf_printf(&text, "failed to configure %s: ", binding ? "binding" : "policy");
    lw_buf_append_str(&text, why);
    add_error(r, policy, binding, lw_buf_view(&text), false);
    note_failure(r, text.st);
    lw_buf_done(&text);
}

/* kube-apiserver finds types in the OpenAPI document of the group and version of the object, and
 * there are only those that its own resources use. */
static bool is_type_known(const lw_policy_request *request, lw_buf *why)
{
    lw_gvk gvk = request->gvk;
    const lw_kind *kind = request->match.kind;
    if (gvk.kind.len == 0 ||
        (lw_str_equal(gvk.group, kind->group) && lw_str_equal(gvk.version, kind->version)))
        return true;
    lw_buf_printf(why,
                  "error applying patch: failed to convert patch object to typed object: no "
                  "corresponding type for %.*s/%.*s, Kind=%.*s",
                  LW_STR_ARG(gvk.group), LW_STR_ARG(gvk.version), LW_STR_ARG(gvk.kind));
    return false;
}

static lw_status apply(run *r, lw_tree *scratch, lw_node *config, lw_buf *why)
{
    return is_type_known(r->request, why) ? lw_policy_patch_apply(r->pending, scratch, config, why)
                                          : LW_ERR_INVALID;
}

static lw_status mutate(run *r, const lw_policy *policy, size_t index, const lw_policy_input *input,
                        lw_buf *why)
{
    lw_tree *scratch = NULL;
    lw_node *value = NULL;
    uint64_t work = 0;
    lw_status st = lw_tree_new(&scratch, 0);
    if (st < 0)
        return st;
    lw_tree_set_budget(scratch, r->request->budget);
    st = lw_policy_eval_mutation(policy, index, input, scratch, &value, &work, why);
    if (st == LW_OK && !lw_policy_request_charge(r->request, work))
        st = LW_ERR_LIMIT;
    if (st == LW_OK && value)
        st = policy->applies[index] ? apply(r, scratch, value, why)
                                    : lw_policy_patch_json(r->pending, scratch, value, why);
    lw_tree_free(scratch);
    if (st == LW_OK && value) {
        r->has_changed = true;
        if (r->set_defaults)
            r->set_defaults(r->arg);
    }
    return st;
}

static void count(const run *r, const lw_policy *policy, const lw_policy_binding *binding,
                  lw_str error, int64_t started_ns)
{
    lw_api_port *port = r->request->port;
    int64_t now = lw_clock_now(lw_loop_clock(port->loop));
    if (port->api->policies)
        lw_policy_metrics_mutated(lw_policies_metrics(port->api->policies), policy->name,
                                  binding->name, error, now - started_ns);
}

/* Runs the mutations of |policy| with parameter |index|, one after the other. */
static void run_mutations(run *r, const lw_policy *policy, const lw_policy_binding *binding,
                          const lw_kind *matched, const lw_policy_params *params, size_t index)
{
    lw_policy_input input;
    lw_tree *tree = NULL;
    uint64_t work = 0;
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    int64_t started_ns = lw_clock_now(lw_loop_clock(r->request->port->loop));
    lw_status st = lw_policy_request_input(r->request, matched, &input);
    if (st == LW_OK)
        st = lw_policy_params_set(params, index, &input, &tree);
    bool is_match = st == LW_OK && lw_policy_matches(policy, &input, &work, &why, &st);
    if (why.len > 0)
        add_error(r, policy, binding, lw_buf_view(&why), true);
    for (size_t i = 0; is_match && st == LW_OK && i < policy->mutations.count; i++) {
        const lw_node *param = input.values[LW_POLICY_PARAMS];
        lw_buf_truncate(&why, 0);
        st = mutate(r, policy, i, &input, &why);
        if (st == LW_OK || st == LW_ERR_INVALID)
            count(r, policy, binding, lw_buf_view(&why), started_ns);
        if (st == LW_ERR_INVALID) {
            add_error(r, policy, binding, lw_buf_view(&why), true);
            st = LW_OK;
        }
        /* The next mutation sees the object as it is now. */
        r->request->match.object = r->pending->root;
        lw_policy_request_forget(r->request);
        if (st == LW_OK && i + 1 < policy->mutations.count)
            st = lw_policy_request_input(r->request, matched, &input);
        input.values[LW_POLICY_PARAMS] = param;
    }
    if (!lw_policy_request_charge(r->request, work))
        note_failure(r, LW_ERR_LIMIT);
    note_failure(r, st);
    lw_tree_free(tree);
    lw_buf_done(&why);
}

static void visit_binding(run *r, const lw_policy *policy, const lw_policy_binding *binding,
                          const lw_kind *matched)
{
    lw_policy_params params = { 0 };
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_match_verdict match = lw_policy_request_match_binding(r->request, binding, &why);
    if (match == LW_MATCH_ERROR)
        add_configuration_error(r, policy, binding, lw_buf_view(&why));
    if (match != LW_MATCH_FOUND) {
        lw_buf_done(&why);
        return;
    }
    lw_status st = lw_policy_params_find(r->request, policy, binding, &params, &why);
    if (st == LW_ERR_INVALID)
        add_configuration_error(r, policy, binding, lw_buf_view(&why));
    else
        note_failure(r, st);
    for (size_t i = 0; r->st == LW_OK && st == LW_OK && i < lw_policy_params_count(&params); i++)
        run_mutations(r, policy, binding, matched, &params, i);
    lw_policy_params_done(&params);
    lw_buf_done(&why);
}

static bool has_known_params(run *r, const lw_policy *policy)
{
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    bool is_known = lw_policy_params_are_known(r->request, policy, &why);
    if (!is_known)
        add_configuration_error(r, policy, NULL, lw_buf_view(&why));
    lw_buf_done(&why);
    return is_known;
}

static void visit_policy(run *r, const lw_policy_hook *hook, bool *was_invoked)
{
    const lw_policy *policy = hook->policy;
    const lw_kind *matched = NULL;
    lw_api_status failure;
    if (r->is_second && !(policy->is_reinvoked && *was_invoked))
        return;
    if (policy->rules_error.len > 0) {
        add_configuration_error(r, policy, NULL, policy->rules_error);
        return;
    }
    lw_match_verdict match =
        lw_match_rules_decide(policy->rules, &r->request->match, &matched, &failure);
    if (match == LW_MATCH_ERROR) {
        add_configuration_error(r, policy, NULL, lw_api_status_str(&failure, failure.message));
        lw_api_status_done(&failure);
    }
    if (match != LW_MATCH_FOUND || !has_known_params(r, policy))
        return;
    *was_invoked = true;
    for (size_t i = 0; r->st == LW_OK && i < hook->count; i++)
        visit_binding(r, policy, hook->bindings[i], matched);
}

static bool conclude(run *r)
{
    bool is_failed = r->st < 0 || r->request->access.is_pending;
    if (is_failed && r->errors > 0)
        lw_api_status_done(r->status);
    if (r->request->access.is_pending)
        /* The request is served again when the webhook has answered (asker.h). */
        lw_api_status_unavailable(r->status, LW_STR("waiting for the authorization webhook"));
    else if (r->st == LW_ERR_NOT_FOUND)
        lw_api_status_not_found(r->status, lw_gvr_make("", "v1", "namespaces"),
                                r->request->match.ns);
    else if (r->st < 0)
        lw_api_status_of_failure(r->status, r->st);
    return !is_failed && r->errors == 0;
}

bool lw_mutating_policies_admit(lw_policy_request *request, lw_pending_object *pending,
                                void (*set_defaults)(void *arg), void *arg, lw_api_status *status)
{
    const lw_policy_hooks *hooks = lw_policies_look(request->port, LW_POLICY_MUTATING);
    run r = { .request = request,
              .pending = pending,
              .set_defaults = set_defaults,
              .arg = arg,
              .status = status };
    if (!hooks || (!request->user && !request->call) || lw_match_is_exempt(request->match.kind))
        return true;
    r.was_invoked = lw_alloc_zero(hooks->count, sizeof(bool));
    if (!r.was_invoked)
        note_failure(&r, LW_ERR_NOMEM);
    lw_policy_request_begin(request);
    for (size_t i = 0; r.st == LW_OK && i < hooks->count; i++)
        visit_policy(&r, &hooks->list[i], &r.was_invoked[i]);
    r.is_second = true;
    for (size_t i = 0; r.has_changed && r.errors == 0 && r.st == LW_OK && i < hooks->count; i++)
        visit_policy(&r, &hooks->list[i], &r.was_invoked[i]);
    bool is_admitted = conclude(&r);
    lw_policy_request_done(request);
    lw_free(r.was_invoked);
    return is_admitted;
}
