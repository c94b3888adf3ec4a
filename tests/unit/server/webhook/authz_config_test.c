/* SPDX-License-Identifier: Apache-2.0 */
/* authz_config_test.c -- reads authorization configurations, and refuses bad ones with the place of
 * the error. */
#include "server/webhook/authz_config.h"

#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

#define HEAD "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n"
#define HOOK(more)                                                                                 \
    HEAD "authorizers: [{type: Webhook, name: w, webhook: {timeout: 3s, "                          \
         "subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "            \
         "KubeConfigFile, kubeConfigFile: /etc/hostname}" more "}}]\n"

static void reads_authorizers_in_order(void **state)
{
    static const char text[] =
        HEAD "authorizers:\n- {type: Node, name: node}\n- type: Webhook\n  name: hook.example.com\n"
             "  webhook:\n    timeout: 2.5s\n    authorizedTTL: 1m\n"
             "    cacheUnauthorizedRequests: false\n    subjectAccessReviewVersion: v1beta1\n"
             "    matchConditionSubjectAccessReviewVersion: v1\n    failurePolicy: NoOpinion\n"
             "    connectionInfo: {type: KubeConfigFile, kubeConfigFile: /etc/hostname}\n"
             "    matchConditions:\n    - expression: request.user == 'ann'\n"
             "- {type: RBAC, name: rbac}\n";
    lw_authz_config config;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    if (lw_authz_config_parse(&config, lw_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(config.count, 3);
    assert_int_equal(config.at[0].mode, LW_AUTHZ_MODE_NODE);
    assert_int_equal(config.at[1].mode, LW_AUTHZ_MODE_WEBHOOK);
    assert_int_equal(config.at[2].mode, LW_AUTHZ_MODE_RBAC);
    assert_true(lw_str_equal(config.at[1].name, LW_STR("hook.example.com")));
    const lw_authz_webhook *hook = &config.at[1].webhook;
    assert_int_equal(hook->timeout_ns, 2500 * LW_NS_PER_MS);
    assert_int_equal(hook->allowed_ttl_ns, 60 * LW_NS_PER_S);
    assert_int_equal(hook->denied_ttl_ns, 0);
    assert_int_equal(hook->version, LW_REVIEW_V1BETA1);
    assert_int_equal(hook->on_error, LW_AUTHZ_NO_OPINION);
    assert_non_null(hook->conditions);
    lw_authz_config_done(&config);
}

static void the_times_have_defaults(void **state)
{
    lw_authz_config config;
    (void)state;
    assert_int_equal(lw_authz_config_parse(&config, lw_str_of(HOOK("")), NULL), LW_OK);
    assert_int_equal(config.at[0].webhook.allowed_ttl_ns, 300 * LW_NS_PER_S);
    assert_int_equal(config.at[0].webhook.denied_ttl_ns, 30 * LW_NS_PER_S);
    lw_authz_config_done(&config);
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "", "empty" },
        { "kind: Pod\napiVersion: v1\n", "not an authorization configuration" },
        { HEAD, "authorizers: must be a list with at least one authorizer" },
        { HEAD "authorizers: []\nmore: 1\n", "\"more\" is an unknown field" },
        { HEAD "authorizers: [{type: RBAC}]\n", "authorizers[0].name: is required" },
        { HEAD "authorizers: [{type: RBAC, name: A_B}]\n", "\"A_B\" is not a valid name" },
        { HEAD "authorizers: [{type: ABAC, name: a}]\n", "authorizers[0].type: \"ABAC\" must be" },
        { HEAD "authorizers: [{type: RBAC, name: a}, {type: RBAC, name: b}]\n",
          "authorizers[1].type: \"RBAC\" is there twice" },
        { HEAD "authorizers: [{type: RBAC, name: a}, {type: Node, name: a}]\n",
          "authorizers[1].name: \"a\" is the name of another authorizer" },
        { HEAD "authorizers: [{type: RBAC, name: a, webhook: {}}]\n", "only be set when type" },
        { HEAD "authorizers: [{type: Webhook, name: a}]\n", "authorizers[0].webhook: is required" },
        { HEAD "authorizers: [{type: Webhook, name: a, webhook: {timeout: 31s}}]\n",
          "authorizers[0].webhook.timeout: \"31s\" must be > 0s and <= 30s" },
        { HEAD "authorizers: [{type: Webhook, name: a, webhook: {timeout: soon}}]\n",
          "\"soon\" is not a duration" },
        { HEAD "authorizers: [{type: Webhook, name: a, webhook: {timeout: 3s}}]\n",
          "webhook.subjectAccessReviewVersion: must be v1 or v1beta1" },
        { HEAD "authorizers: [{type: Webhook, name: a, webhook: {timeout: 3s, "
               "subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
               "InClusterConfig}}}]\n",
          "connectionInfo.type: \"InClusterConfig\" is not supported" },
        { HEAD "authorizers: [{type: Webhook, name: a, webhook: {timeout: 3s, "
               "subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
               "KubeConfigFile, kubeConfigFile: here}}}]\n",
          "kubeConfigFile: \"here\" must be an absolute path" },
        { HOOK(", matchConditions: [{expression: 'true'}]"),
          "matchConditionSubjectAccessReviewVersion: must be v1" },
        { HOOK(", matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{expression: "
               "'1'}]"),
          "matchConditions[0].expression: must evaluate to bool but got int" },
        { HOOK(", matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{expression: "
               "'true'}, {expression: request.nobody}]"),
          "matchConditions[1].expression: compilation failed: ERROR" },
        { HOOK(", matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{expression: "
               "'true'}, {expression: 'true'}]"),
          "matchConditions[1].expression: \"true\" is there twice" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_authz_config config;
        lw_error err = LW_ERROR_INIT;
        assert_true(lw_authz_config_parse(&config, lw_str_of(rows[i].text), &err) < 0);
        lw_authz_config_done(&config);
        if (!strstr(err.message, rows[i].message))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].message, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_authorizers_in_order),
        cmocka_unit_test(the_times_have_defaults),
        cmocka_unit_test(errors_name_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
