/* SPDX-License-Identifier: Apache-2.0 */
/* webhook_scenarios.c -- webhooks of authorization with every allocation failing in turn: without
 * memory nothing is allowed, and nobody waits forever. */
#include "api/context/asker.h"
#include "base/clock.h"
#include "base/error.h"
#include "oom/oom.h"
#include "server/faults/faults.h"
#include "server/hook_server/review.h"
#include "server/webhook/access_webhook.h"
#include "server/webhook/authz_config.h"
#include "support/fake_http.h"
#include "support/fake_webhook.h"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status reads_a_configuration(lw_error *err)
{
    static const lw_str text = LW_STR_INIT(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n"
        "authorizers: [{type: Webhook, name: w, webhook: {timeout: 3s, "
        "subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
        "KubeConfigFile, kubeConfigFile: /etc/hostname}, matchConditionSubjectAccessReviewVersion: "
        "v1, matchConditions: [{expression: 'request.user == \"ann\"'}]}}]\n");
    lw_authz_config config;
    lw_status st = lw_authz_config_parse(&config, text, err);
    if (st == LW_OK) {
        lw_match_result result = lw_match_conditions_eval(config.at[0].webhook.conditions,
                                                          LW_STR("{\"user\":\"ann\"}"), NULL);
        if (result == LW_MATCH_NO)
            st = wrong(err, "the condition is false");
        else if (result == LW_MATCH_FAILED)
            st = lw_error_nomem(err);
    }
    lw_authz_config_done(&config);
    return st;
}

typedef struct scene {
    lw_loop *loop;
    lw_webhook_caller *caller;
    fake_webhook *fake; /* the authorizer's */
    lw_authz *authz;
    fake_http *http;
} scene;

static lw_status open_scene(scene *s, lw_error *err)
{
    static const fake_http_request request = { .method = "GET", .target = "/" };
    lw_authz_step step = { .mode = LW_AUTHZ_MODE_WEBHOOK, .name = LW_STR("w") };
    lw_status st = lw_loop_new(&s->loop, NULL, err);
    if (st == LW_OK)
        st = lw_webhook_caller_new(&s->caller, NULL, err);
    if (st == LW_OK &&
        (!(s->http = fake_http_new(s->loop, &request)) || !(s->fake = fake_webhook_new())))
        st = lw_error_nomem(err);
    if (st < 0)
        return st;
    const lw_access_webhook_options options = { .name = LW_STR("w"),
                                                .caller = s->caller,
                                                .transport = &s->fake->base,
                                                .timeout_ns = LW_NS_PER_S,
                                                .allowed_ttl_ns = 60 * LW_NS_PER_S,
                                                .on_error = LW_AUTHZ_DENY,
                                                .clock = lw_clock_system() };
    if (lw_access_webhook_new(&step.hook, &options) < 0)
        return lw_error_nomem(err);
    st = lw_authz_new_chain(&s->authz, &step, 1, false, err);
    lw_authz_hook_unref(step.hook);
    return st;
}

static lw_status ask(scene *s, lw_error *err)
{
    static const lw_user ann = { .name = LW_STR_INIT("ann") };
    const lw_authz_attributes attributes = { .user = &ann,
                                             .verb = LW_STR("list"),
                                             .is_resource = true,
                                             .resource = LW_STR("pods"),
                                             .field_selector = LW_STR("metadata.name=x"),
                                             .label_selector = LW_STR("a in (b,c)"),
                                             .stream = &s->http->stream };
    lw_authz_decision decision = lw_authz_decide(s->authz, &attributes, NULL);
    if (decision == LW_AUTHZ_DENY)
        return lw_error_nomem(err); /* the failure policy */
    if (decision != LW_AUTHZ_PENDING)
        return wrong(err, "it is not pending");
    (void)lw_loop_turn(lw_webhook_caller_loop(s->caller), 0, NULL);
    if (s->fake->count != 1)
        return wrong(err, "the webhook was not asked");
    fake_webhook_answer(s->fake, 200, "{\"status\":{\"allowed\":true,\"reason\":\"x\"}}");
    (void)lw_loop_turn(s->loop, 0, NULL);
    if (lw_asker_is_waiting(&s->http->stream))
        return wrong(err, "the request waits although the answer is there");
    decision = lw_authz_decide(s->authz, &attributes, NULL);
    return decision == LW_AUTHZ_ALLOW  ? LW_OK
           : decision == LW_AUTHZ_DENY ? lw_error_nomem(err)
                                       : wrong(err, "the answer does not count");
}

static lw_status asks_a_webhook(lw_error *err)
{
    scene s = { .loop = NULL };
    lw_status st = open_scene(&s, err);
    if (st == LW_OK)
        st = ask(&s, err);
    fake_http_free(s.http);
    lw_webhook_caller_stop(s.caller);
    lw_authz_free(s.authz);
    lw_webhook_caller_free(s.caller);
    lw_loop_free(s.loop);
    return st;
}

static void answer_review(const lw_webhook_admission *request, lw_webhook_response *response,
                          void *arg)
{
    (void)arg;
    lw_webhook_warn(response, "%s", request->name);
    lw_webhook_annotate(response, "name", request->name);
    lw_webhook_patch(response, LW_STR("[]"));
}

/* The webhooks of a controller: a review is answered, or refused with 500. */
static lw_status answers_reviews(lw_error *err)
{
    static const char body[] =
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{"
        "\"uid\":\"u\",\"name\":\"a\"}}";
    const lw_review_handler handler = { .admit = answer_review };
    lw_buf out;
    lw_buf_init(&out, LW_REVIEW_ANSWER_MAX);
    int status = lw_review_answer(&handler, lw_str_of(body), &out);
    lw_buf_done(&out);
    if (status == 200)
        return LW_OK;
    return status == 500 ? lw_error_nomem(err) : LW_ERR_INTERNAL;
}

/* Faults of a test: a rule is added, or not. */
static lw_status adds_faults(lw_error *err)
{
    const lw_server_fault fault = { .size = sizeof(fault),
                                    .verb = "get",
                                    .resource = "pods",
                                    .ns = "default",
                                    .name = "a",
                                    .status = 500 };
    lw_faults faults;
    lw_faults_init(&faults);
    lw_status st = lw_faults_add(&faults, &fault, err);
    if ((st == LW_OK) != (atomic_load(&faults.rule_count) == 1))
        st = LW_ERR_INTERNAL;
    lw_faults_done(&faults);
    return st;
}

const oom_scenario webhook_scenarios[] = {
    { "answers_reviews", answers_reviews },
    { "adds_faults", adds_faults },
    { "reads_a_configuration", reads_a_configuration },
    { "asks_a_webhook", asks_a_webhook },
};
const size_t webhook_scenario_count = sizeof(webhook_scenarios) / sizeof(webhook_scenarios[0]);
