/* SPDX-License-Identifier: Apache-2.0 */
/* policy_test.c -- which requests an audit policy records, and which policies are refused. */
#include "server/audit/policy.h"

#include "base/str.h"
#include "unit/server/scratch_folder.h"

#define HEAD "apiVersion: audit.k8s.io/v1\nkind: Policy\n"

static lw_audit_policy *parsed(const char *text)
{
    lw_audit_policy *policy = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_audit_policy_parse(&policy, lw_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
    return policy;
}

static const lw_str groups[] = { LW_STR_INIT("dev"), LW_STR_INIT("system:authenticated") };
static const lw_user jane = { .name = LW_STR_INIT("jane"), .groups = groups, .group_count = 2 };

/* "get pods/log x of namespace n", or a path. */
static lw_authz_attributes resource(const char *verb, const char *group, const char *name,
                                    const char *sub, const char *ns, const char *object)
{
    return (lw_authz_attributes){ .user = &jane,
                                  .verb = lw_str_of(verb),
                                  .is_resource = true,
                                  .group = lw_str_of(group),
                                  .version = LW_STR("v1"),
                                  .resource = lw_str_of(name),
                                  .subresource = lw_str_of(sub),
                                  .ns = lw_str_of(ns),
                                  .name = lw_str_of(object) };
}

static lw_authz_attributes path(const char *text)
{
    return (lw_authz_attributes){ .user = &jane, .verb = LW_STR("get"), .path = lw_str_of(text) };
}

static void assert_level(const char *rule, lw_authz_attributes a, lw_audit_level level)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), HEAD "rules:\n- level: Request\n%s", rule);
    lw_audit_policy *policy = parsed(text);
    lw_audit_level found = lw_audit_policy_decide(policy, &a).level;
    lw_audit_policy_free(policy);
    if (found != level)
        fail_msg("level %d instead of %d for the rule\n%s", (int)found, (int)level, rule);
}

static void the_first_rule_that_matches_counts(void **state)
{
    (void)state;
    lw_audit_policy *policy = parsed(HEAD "rules:\n"
                                          "- {level: None, users: [bob]}\n"
                                          "- {level: RequestResponse, verbs: [create]}\n"
                                          "- {level: Metadata, users: [jane]}\n"
                                          "- {level: Request}\n");
    lw_authz_attributes a = resource("create", "", "pods", "", "n", "");
    assert_int_equal(lw_audit_policy_decide(policy, &a).level, LW_AUDIT_REQUEST_RESPONSE);
    a.verb = LW_STR("get");
    assert_int_equal(lw_audit_policy_decide(policy, &a).level, LW_AUDIT_METADATA);
    a.user = NULL; /* authentication has failed */
    assert_int_equal(lw_audit_policy_decide(policy, &a).level, LW_AUDIT_REQUEST);
    lw_audit_policy_free(policy);
}

static void a_request_without_a_rule_is_not_recorded(void **state)
{
    (void)state;
    assert_level("  users: [bob]\n", path("/healthz"), LW_AUDIT_NONE);
}

static void rules_match_users_groups_and_verbs(void **state)
{
    (void)state;
    lw_authz_attributes get = resource("get", "", "pods", "", "ns", "x");
    assert_level("  users: [bob, jane]\n", get, LW_AUDIT_REQUEST);
    assert_level("  userGroups: [dev]\n", get, LW_AUDIT_REQUEST);
    assert_level("  userGroups: [ops]\n", get, LW_AUDIT_NONE);
    assert_level("  verbs: [get]\n  userGroups: [dev]\n", get, LW_AUDIT_REQUEST);
    assert_level("  verbs: [list]\n", get, LW_AUDIT_NONE);
    assert_level("  users: ['*']\n", get, LW_AUDIT_NONE); /* no wildcard, as in kube-apiserver */
}

static void rules_match_resources_and_subresources(void **state)
{
    (void)state;
    lw_authz_attributes pod = resource("get", "", "pods", "", "ns", "x");
    lw_authz_attributes log = resource("get", "", "pods", "log", "ns", "x");
    static const struct {
        const char *rule;
        lw_audit_level of_pod, of_log;
    } cases[] = {
        { "  resources: [{resources: [pods]}]\n", LW_AUDIT_REQUEST, LW_AUDIT_NONE },
        { "  resources: [{resources: ['pods/log']}]\n", LW_AUDIT_NONE, LW_AUDIT_REQUEST },
        { "  resources: [{resources: ['pods/*']}]\n", LW_AUDIT_REQUEST, LW_AUDIT_REQUEST },
        { "  resources: [{resources: ['*/log']}]\n", LW_AUDIT_NONE, LW_AUDIT_REQUEST },
        { "  resources: [{resources: ['*']}]\n", LW_AUDIT_REQUEST, LW_AUDIT_REQUEST },
        { "  resources: [{group: ''}]\n", LW_AUDIT_REQUEST, LW_AUDIT_REQUEST },
        { "  resources: [{group: apps, resources: ['*']}]\n", LW_AUDIT_NONE, LW_AUDIT_NONE },
        { "  resources: [{resources: [pods], resourceNames: [x]}]\n", LW_AUDIT_REQUEST,
          LW_AUDIT_NONE },
        { "  resources: [{resources: [pods], resourceNames: [other]}]\n", LW_AUDIT_NONE,
          LW_AUDIT_NONE },
        { "  resources: [{group: apps}, {resources: [pods]}]\n", LW_AUDIT_REQUEST, LW_AUDIT_NONE },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_level(cases[i].rule, pod, cases[i].of_pod);
        assert_level(cases[i].rule, log, cases[i].of_log);
    }
}

static void rules_match_namespaces(void **state)
{
    (void)state;
    assert_level("  namespaces: [ns]\n", resource("get", "", "pods", "", "ns", "x"),
                 LW_AUDIT_REQUEST);
    assert_level("  namespaces: [m]\n", resource("get", "", "pods", "", "ns", "x"), LW_AUDIT_NONE);
    assert_level("  namespaces: ['']\n", resource("get", "", "nodes", "", "", "x"),
                 LW_AUDIT_REQUEST);
    assert_level("  namespaces: ['']\n", path("/healthz"), LW_AUDIT_NONE);
}

static void rules_match_paths(void **state)
{
    (void)state;
    assert_level("  nonResourceURLs: [/healthz]\n", path("/healthz"), LW_AUDIT_REQUEST);
    assert_level("  nonResourceURLs: [/healthz]\n", path("/healthz/etcd"), LW_AUDIT_NONE);
    assert_level("  nonResourceURLs: ['/healthz*']\n", path("/healthz/etcd"), LW_AUDIT_REQUEST);
    assert_level("  nonResourceURLs: ['*']\n", path("/"), LW_AUDIT_REQUEST);
    assert_level("  nonResourceURLs: ['*']\n", resource("get", "", "pods", "", "ns", "x"),
                 LW_AUDIT_NONE);
}

static void omitted_stages_add_up_and_managed_fields_are_overridden(void **state)
{
    (void)state;
    lw_audit_policy *policy =
        parsed(HEAD "omitStages: [RequestReceived]\nomitManagedFields: true\nrules:\n"
                    "- {level: Metadata, verbs: [get], omitStages: [ResponseStarted, Panic],\n"
                    "   omitManagedFields: false}\n"
                    "- {level: Metadata}\n");
    lw_authz_attributes a = resource("get", "", "pods", "", "ns", "x");
    lw_audit_decision first = lw_audit_policy_decide(policy, &a);
    a.verb = LW_STR("list");
    lw_audit_decision second = lw_audit_policy_decide(policy, &a);
    assert_int_equal(first.omitted_stages,
                     LW_AUDIT_REQUEST_RECEIVED | LW_AUDIT_RESPONSE_STARTED | LW_AUDIT_PANIC);
    assert_false(first.omits_managed_fields);
    assert_int_equal(second.omitted_stages, LW_AUDIT_REQUEST_RECEIVED);
    assert_true(second.omits_managed_fields);
    lw_audit_policy_free(policy);
}

static void a_policy_may_be_json(void **state)
{
    (void)state;
    lw_audit_policy_free(parsed("{\"apiVersion\":\"audit.k8s.io/v1\",\"kind\":\"Policy\","
                                "\"metadata\":{\"name\":\"p\"},\"rules\":[{\"level\":\"None\"}]}"));
}

static void mistakes_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "", "empty" },
        { "rules: [{level: None}]", "apiVersion must be audit.k8s.io/v1" },
        { "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]", "apiVersion" },
        { HEAD, "rules: at least one rule is required" },
        { HEAD "rules: [{}]", "rules[0]: level is required" },
        { HEAD "rules: [{level: None}, {level: metadata}]", "rules[1].level: \"metadata\"" },
        { HEAD "rules: [{level: None, user: [a]}]", "rules[0].user: unknown field" },
        { HEAD "rule: [{level: None}]", "rule: unknown field" },
        { HEAD "rules: [{level: None, users: jane}]", "rules[0].users: must be a list" },
        { HEAD "rules: [{level: None, users: [1]}]", "rules[0].users[0]: must be a string" },
        { HEAD "rules: [{level: None, omitStages: [Later]}]",
          "rules[0].omitStages[0]: \"Later\" is not a stage" },
        { HEAD "omitManagedFields: 1\nrules: [{level: None}]", "omitManagedFields: must be true" },
        { HEAD "rules: [{level: None, resources: [{group: apps/v1}]}]",
          "rules[0].resources[0].group: \"apps/v1\"" },
        { HEAD "rules: [{level: None, resources: [{resourceNames: [a]}]}]",
          "rules[0].resources[0]: resourceNames requires" },
        { HEAD "rules: [{level: None, resources: [pods]}]", "rules[0].resources[0]: must be an" },
        { HEAD "rules: [{level: None, nonResourceURLs: [healthz]}]",
          "rules[0].nonResourceURLs[0]: \"healthz\" is not a path" },
        { HEAD "rules: [{level: None, nonResourceURLs: ['/a*b']}]", "has \"*\" before its end" },
        { HEAD "rules: [{level: None, nonResourceURLs: [/a], namespaces: [ns]}]",
          "rules[0]: a rule cannot have both" },
        { HEAD "rules: [{level: None, level: Metadata}]", "already set" },
        { HEAD "rules: [{level: None}]\n---\nkind: Policy\n", "more than one document" },
        { "{\"apiVersion\":\"audit.k8s.io/v1\",\"kind\":\"Policy\",\"rules\":[{\"level\":\"None\","
          "\"level\":\"Request\"}]}",
          "twice" },
        { HEAD "rules: [", "" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_audit_policy *policy = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_audit_policy_parse(&policy, lw_str_of(cases[i].text), &err) == LW_OK)
            fail_msg("accepted:\n%s", cases[i].text);
        if (!strstr(err.message, cases[i].words))
            fail_msg("\"%s\" does not say \"%s\"", err.message, cases[i].words);
        assert_null(policy);
    }
}

static void errors_name_the_file(void **state)
{
    (void)state;
    scratch s;
    lw_audit_policy *policy = NULL;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    scratch_write(&s, "policy.yaml", HEAD "rules: [{level: All}]\n");
    assert_int_equal(lw_audit_policy_read(&policy, scratch_path(&s, "policy.yaml"), &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "/policy.yaml: rules[0].level: \"All\""));
    assert_int_equal(lw_audit_policy_read(&policy, scratch_path(&s, "none.yaml"), &err),
                     LW_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "/none.yaml"));
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_rule_that_matches_counts),
        TEST(a_request_without_a_rule_is_not_recorded),
        TEST(rules_match_users_groups_and_verbs),
        TEST(rules_match_resources_and_subresources),
        TEST(rules_match_namespaces),
        TEST(rules_match_paths),
        TEST(omitted_stages_add_up_and_managed_fields_are_overridden),
        TEST(a_policy_may_be_json),
        TEST(mistakes_are_refused_with_their_place),
        TEST(errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
