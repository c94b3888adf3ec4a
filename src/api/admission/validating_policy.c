/* SPDX-License-Identifier: Apache-2.0 */
/* validating_policy.c -- evaluates the validating policies that match a request, and denies it,
 * warns, or annotates the audit event, in the words of kube-apiserver. */
#include "api/admission/validating_policy.h"

#include "api/http/failures.h"
#include "base/clock.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 256 * 1024,
    EVALUATED_MESSAGE_MAX = 5 * 1024,
    ANNOTATION_MAX = 10 * 1024,
    FAILURES_MAX = 50, /* in the audit annotation */
};

/* The first denial decides the reply. */
typedef struct verdict {
    lw_policy_request *request;
    bool is_denied;
    lw_buf message;  /* "ValidatingAdmissionPolicy 'P' with binding 'B' denied request: ..." */
    lw_str reason;   /* of the policy; empty: Invalid */
    lw_buf failures; /* elements of the annotation validation_failure */
    size_t failure_count;
    lw_tree *annotations; /* key -> array of values, of the policy under way; NULL: none */
    int64_t started_ns;   /* of the evaluation under way */
    lw_status st;         /* LW_ERR_NOMEM, ...: the request fails */
} verdict;

static void note_failure(verdict *v, lw_status st)
{
    if (v->st == LW_OK && st < 0)
        v->st = st;
}

static void deny(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                 lw_str message, lw_str reason)
{
    if (v->is_denied)
        return;
    v->is_denied = true;
    v->reason = reason;
    lw_buf_printf(&v->message, "ValidatingAdmissionPolicy '%.*s'", LW_STR_ARG(policy->name));
    if (binding)
        lw_buf_printf(&v->message, " with binding '%.*s'", LW_STR_ARG(binding->name));
    lw_buf_append_text(&v->message, " denied request: ");
    lw_buf_append_str(&v->message, message);
}

/* What is wrong with the configuration denies the request, if the failure policy is Fail. */
static void deny_configuration(verdict *v, const lw_policy *policy,
                               const lw_policy_binding *binding, lw_str why)
{
    lw_buf text;
    if (policy->ignores_failures)
        return;
    lw_buf_init(&text, MESSAGE_MAX);
    lw_buf_printf(&text, "failed to configure %s: ", binding ? "binding" : "policy");
    lw_buf_append_str(&text, why);
    deny(v, policy, binding, lw_buf_view(&text), LW_STR(""));
    note_failure(v, text.st);
    lw_buf_done(&text);
}

static void audit_failure(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                          lw_str message, size_t index)
{
    lw_json_writer w;
    if (v->failure_count++ >= FAILURES_MAX)
        return;
    lw_buf_append_text(&v->failures, v->failures.len > 0 ? "," : "[");
    lw_json_writer_init(&w, &v->failures, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "message", message);
    lw_json_write_member_string(&w, "policy", policy->name);
    lw_json_write_member_string(&w, "binding", binding->name);
    lw_json_write_member_int(&w, "expressionIndex", (int64_t)index);
    lw_json_write_key(&w, LW_STR("validationActions"));
    lw_json_write_raw(&w, binding->actions_json);
    lw_json_write_object_end(&w);
}

static void count(const verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                  const char *action, lw_str message)
{
    lw_api_port *port = v->request->port;
    int64_t now = lw_clock_now(lw_loop_clock(port->loop));
    if (port->api->policies)
        lw_policy_metrics_validated(lw_policies_metrics(port->api->policies), policy->name,
                                    binding->name, action, message, now - v->started_ns);
}

static void count_actions(const verdict *v, const lw_policy *policy,
                          const lw_policy_binding *binding, lw_str message)
{
    if (binding->actions & LW_POLICY_DENY)
        count(v, policy, binding, "deny", message);
    if (binding->actions & LW_POLICY_AUDIT)
        count(v, policy, binding, "audit", message);
    if (binding->actions & LW_POLICY_WARN)
        count(v, policy, binding, "warn", message);
}

/* A validation has denied the request: does what the binding says. */
static void act(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                lw_str message, lw_str reason, size_t index)
{
    lw_api_call *call = v->request->call;
    count_actions(v, policy, binding, message);
    if (binding->actions & LW_POLICY_DENY)
        deny(v, policy, binding, message, reason);
    if (binding->actions & LW_POLICY_AUDIT)
        audit_failure(v, policy, binding, message, index);
    if (!(binding->actions & LW_POLICY_WARN) || !call)
        return;
    lw_buf text;
    lw_buf_init(&text, MESSAGE_MAX);
    lw_buf_printf(&text,
                  "Validation failed for ValidatingAdmissionPolicy '%.*s' with binding "
                  "'%.*s': ",
                  LW_STR_ARG(policy->name), LW_STR_ARG(binding->name));
    lw_buf_append_str(&text, message);
    lw_call_warn(call, lw_buf_view(&text));
    lw_buf_done(&text);
}

/* An evaluation that failed counts as a denial, unless failures are ignored. */
static void act_on_error(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                         lw_str message, size_t index)
{
    if (!policy->ignores_failures)
        act(v, policy, binding, message, LW_STR(""), index);
    else
        count(v, policy, binding, "allow", message);
}

/* Appends the message of validation |index|: its expression's, its own, or one made of the
 * validation. */
static void append_message(const lw_policy *policy, const lw_policy_results *messages, size_t index,
                           lw_buf *out)
{
    lw_str text = LW_STR("");
    if (index < messages->count && messages->list[index].outcome == LW_POLICY_VALUE)
        text = lw_str_trim(lw_buf_view(&messages->list[index].text));
    if (text.len > EVALUATED_MESSAGE_MAX || (text.len > 0 && memchr(text.ptr, '\n', text.len)))
        text = LW_STR("");
    if (text.len == 0)
        text = policy->details[index].message;
    if (text.len == 0) {
        lw_buf_append_text(out, "failed expression: ");
        text = lw_str_trim(policy->validations.list[index].text);
    }
    lw_buf_append_str(out, text);
}

static void judge(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                  const lw_policy_results *results, const lw_policy_results *messages)
{
    for (size_t i = 0; i < results->count; i++) {
        const lw_policy_result *result = &results->list[i];
        lw_buf text;
        lw_buf_init(&text, MESSAGE_MAX);
        if (result->outcome == LW_POLICY_ERROR) {
            act_on_error(v, policy, binding, lw_buf_view(&result->text), i);
        } else if (messages->fatal.len > 0) {
            lw_buf_append_text(&text, "failed messageExpression: ");
            lw_buf_append_str(&text, lw_buf_view(&messages->fatal));
            act_on_error(v, policy, binding, lw_buf_view(&text), i);
        } else if (!result->boolean) {
            append_message(policy, messages, i, &text);
            act(v, policy, binding, lw_buf_view(&text), policy->details[i].reason, i);
        }
        note_failure(v, text.st);
        lw_buf_done(&text);
    }
}

/* Collects the value of an annotation, once. */
static void collect(verdict *v, lw_str key, lw_str value)
{
    if (!v->annotations)
        note_failure(v, lw_tree_new(&v->annotations, 0));
    if (!v->annotations)
        return;
    lw_tree *tree = v->annotations;
    if (!lw_tree_root(tree))
        lw_tree_set_root(tree, lw_tree_object(tree));
    lw_node *values = lw_node_get(lw_tree_root(tree), key);
    if (!values) {
        values = lw_tree_array(tree);
        lw_node_put(tree, lw_tree_root(tree), key, values);
    }
    if (value.len > ANNOTATION_MAX)
        value.len = ANNOTATION_MAX;
    if (!lw_fields_list_has(values, value))
        lw_node_append(tree, values, lw_tree_string(tree, value));
}

static void publish_annotations(verdict *v, const lw_policy *policy)
{
    const lw_node *root = v->annotations ? lw_tree_root(v->annotations) : NULL;
    for (size_t i = 0; v->request->call && i < lw_node_count(root); i++) {
        lw_buf key, value;
        const lw_node *values = lw_node_at(root, i);
        lw_buf_init(&key, MESSAGE_MAX);
        lw_buf_init(&value, LW_CALL_ANNOTATION_BYTES);
        lw_buf_printf(&key, "%.*s/%.*s", LW_STR_ARG(policy->name),
                      LW_STR_ARG(lw_node_key_at(root, i)));
        for (size_t k = 0; k < lw_node_count(values); k++) {
            lw_buf_append_text(&value, k > 0 ? ", " : "");
            lw_buf_append_str(&value, lw_node_text(lw_node_at(values, k)));
        }
        lw_call_annotate(v->request->call, lw_buf_view(&key), lw_buf_view(&value));
        lw_buf_done(&key);
        lw_buf_done(&value);
    }
    lw_tree_free(v->annotations);
    v->annotations = NULL;
}

static void annotate(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                     const lw_policy_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const lw_policy_result *result = &results->list[i];
        lw_str value = lw_str_trim(lw_buf_view(&result->text));
        if (result->outcome == LW_POLICY_ERROR && !policy->ignores_failures) {
            count(v, policy, binding, "deny", lw_buf_view(&result->text));
            deny(v, policy, binding, lw_buf_view(&result->text), LW_STR(""));
        } else if (result->outcome == LW_POLICY_VALUE && value.len > 0)
            collect(v, policy->annotations.list[i].name, value);
    }
}

/* Evaluates |policy| with the parameters in |input|. */
static void evaluate(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                     const lw_policy_input *input)
{
    lw_policy_results results = { 0 }, messages = { 0 }, annotations = { 0 };
    uint64_t work = 0;
    lw_buf why;
    lw_status st;
    lw_buf_init(&why, MESSAGE_MAX);
    v->started_ns = lw_clock_now(lw_loop_clock(v->request->port->loop));
    bool is_match = lw_policy_matches(policy, input, &work, &why, &st);
    if (why.len > 0)
        act_on_error(v, policy, binding, lw_buf_view(&why), 0);
    if (is_match)
        st = lw_policy_eval(policy, &policy->validations, LW_POLICY_IN_VALIDATION, input,
                            LW_POLICY_COST_MAX, &results);
    bool is_over = results.fatal.len > 0;
    if (is_match && st == LW_OK && !is_over)
        st = lw_policy_eval(policy, &policy->messages, LW_POLICY_IN_MESSAGE, input, results.left,
                            &messages);
    if (is_match && st == LW_OK && !is_over)
        st = lw_policy_eval(policy, &policy->annotations, LW_POLICY_IN_VALIDATION, input,
                            LW_POLICY_COST_MAX, &annotations);
    if (st == LW_OK && is_over)
        act_on_error(v, policy, binding, lw_buf_view(&results.fatal), 0);
    else if (st == LW_OK && annotations.fatal.len > 0)
        act_on_error(v, policy, binding, lw_buf_view(&annotations.fatal), 0);
    else if (st == LW_OK && is_match) {
        judge(v, policy, binding, &results, &messages);
        annotate(v, policy, binding, &annotations);
    }
    note_failure(v, st);
    work += results.work + messages.work + annotations.work;
    if (!lw_policy_request_charge(v->request, work))
        note_failure(v, LW_ERR_LIMIT);
    lw_policy_results_done(&results);
    lw_policy_results_done(&messages);
    lw_policy_results_done(&annotations);
    lw_buf_done(&why);
}

static void evaluate_params(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                            const lw_kind *matched, const lw_policy_params *params)
{
    lw_policy_input input;
    size_t count = lw_policy_params_count(params);
    lw_status st = count > 0 ? lw_policy_request_input(v->request, matched, &input) : LW_OK;
    for (size_t i = 0; st == LW_OK && v->st == LW_OK && i < count; i++) {
        lw_tree *tree = NULL;
        st = lw_policy_params_set(params, i, &input, &tree);
        if (st == LW_OK)
            evaluate(v, policy, binding, &input);
        lw_tree_free(tree);
    }
    note_failure(v, st);
}

static void visit_binding(verdict *v, const lw_policy *policy, const lw_policy_binding *binding,
                          const lw_kind *matched)
{
    lw_policy_params params = { 0 };
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_match_verdict match = lw_policy_request_match_binding(v->request, binding, &why);
    if (match == LW_MATCH_ERROR)
        deny_configuration(v, policy, binding, lw_buf_view(&why));
    if (match != LW_MATCH_FOUND) {
        lw_buf_done(&why);
        return;
    }
    lw_status st = lw_policy_params_find(v->request, policy, binding, &params, &why);
    if (st == LW_ERR_INVALID)
        deny_configuration(v, policy, binding, lw_buf_view(&why));
    else if (st < 0)
        note_failure(v, st);
    else
        evaluate_params(v, policy, binding, matched, &params);
    lw_policy_params_done(&params);
    lw_buf_done(&why);
}

static bool has_known_params(verdict *v, const lw_policy *policy)
{
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    bool is_known = lw_policy_params_are_known(v->request, policy, &why);
    if (!is_known)
        deny_configuration(v, policy, NULL, lw_buf_view(&why));
    lw_buf_done(&why);
    return is_known;
}

static void visit_policy(verdict *v, const lw_policy_hook *hook)
{
    const lw_policy *policy = hook->policy;
    const lw_kind *matched = NULL;
    lw_api_status failure;
    if (policy->rules_error.len > 0) {
        deny_configuration(v, policy, NULL, policy->rules_error);
        return;
    }
    lw_match_verdict match =
        lw_match_rules_decide(policy->rules, &v->request->match, &matched, &failure);
    if (match == LW_MATCH_ERROR) {
        deny_configuration(v, policy, NULL, lw_api_status_str(&failure, failure.message));
        lw_api_status_done(&failure);
    }
    if (match == LW_MATCH_FOUND && has_known_params(v, policy)) {
        for (size_t i = 0; v->st == LW_OK && i < hook->count; i++)
            visit_binding(v, policy, hook->bindings[i], matched);
    }
    publish_annotations(v, policy);
}

/* Fills in |status|: forbidden with another reason, and the message once more as a cause. */
static void refuse(const verdict *v, lw_api_status *status)
{
    lw_api_reason reason = lw_api_reason_of_text(v->reason);
    if (reason == LW_REASON_UNKNOWN)
        reason = LW_REASON_INVALID;
    lw_api_status_forbidden(status, lw_kind_gvr(v->request->match.kind), v->request->name,
                            lw_buf_view(&v->message));
    lw_api_status_set(status, &status->reason, lw_api_reason_text(reason));
    status->code = lw_api_reason_code(reason);
    lw_api_status_add_cause(status, LW_STR(""), lw_buf_view(&v->message), LW_STR(""));
}

static bool conclude(verdict *v, lw_api_status *status)
{
    if (v->request->access.is_pending) {
        /* The request is served again when the webhook has answered (asker.h). */
        lw_api_status_unavailable(status, LW_STR("waiting for the authorization webhook"));
        return false;
    }
    if (v->st == LW_ERR_NOT_FOUND)
        lw_api_status_not_found(status, lw_gvr_make("", "v1", "namespaces"), v->request->match.ns);
    else if (v->st < 0)
        lw_api_status_of_failure(status, v->st);
    else if (v->is_denied)
        refuse(v, status);
    return v->st == LW_OK && !v->is_denied;
}

bool lw_validating_policies_admit(lw_policy_request *request, lw_api_status *status)
{
    const lw_policy_hooks *hooks = lw_policies_look(request->port, LW_POLICY_VALIDATING);
    verdict v = { .request = request };
    if (!hooks || (!request->user && !request->call) || lw_match_is_exempt(request->match.kind))
        return true;
    lw_buf_init(&v.message, MESSAGE_MAX);
    lw_buf_init(&v.failures, LW_CALL_ANNOTATION_BYTES);
    lw_policy_request_begin(request);
    for (size_t i = 0; v.st == LW_OK && i < hooks->count; i++)
        visit_policy(&v, &hooks->list[i]);
    if (v.failures.len > 0 && request->call) {
        lw_buf_append_char(&v.failures, ']');
        lw_call_annotate(request->call,
                         LW_STR("validation.policy.admission.k8s.io/validation_failure"),
                         lw_buf_view(&v.failures));
    }
    note_failure(&v, v.message.st);
    bool is_admitted = conclude(&v, status);
    lw_policy_request_done(request);
    lw_buf_done(&v.message);
    lw_buf_done(&v.failures);
    return is_admitted;
}
