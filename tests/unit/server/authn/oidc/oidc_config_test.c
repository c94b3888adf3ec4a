/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_config_test.c -- authentication configurations that are read, and those that are refused. */
#include "server/authn/oidc/oidc_config.h"

#include "base/error.h"
#include "base/str.h"
#include "unit/test.h"

#define HEAD   "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
#define ISSUER "- issuer: {url: 'https://a.example', audiences: [x]}\n"
#define NAME   "  claimMappings:\n    username: {claim: sub, prefix: ''}\n"

static lw_status read_config(lw_oidc_config **out, const char *text, lw_error *err)
{
    return lw_oidc_config_read(out, lw_str_of(text), err);
}

/* Expects that |text| cannot be read, because of |why|. */
static void assert_unreadable(const char *text, const char *why)
{
    lw_error err = LW_ERROR_INIT;
    lw_oidc_config *config = NULL;
    assert_true(read_config(&config, text, &err) < 0);
    assert_string_equal(err.message, why);
    assert_null(config);
}

/* Expects that |text| has exactly the errors |why|; "" if there are none. */
static void assert_errors(const char *text, const char *why)
{
    static const lw_str own[] = { LW_STR_INIT("https://own.example") };
    lw_error err = LW_ERROR_INIT;
    lw_oidc_config *config = NULL;
    lw_buf found;
    lw_buf_init(&found, 64 * 1024);
    if (read_config(&config, text, &err) < 0)
        fail_msg("%s", err.message);
    lw_status st = lw_oidc_config_validate(config, own, 1, &found);
    assert_str_equal(lw_buf_view(&found), why);
    assert_int_equal(st, *why ? LW_ERR_INVALID : LW_OK);
    lw_buf_done(&found);
    lw_oidc_config_unref(config);
}

static void all_fields_are_read(void **state)
{
    lw_oidc_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    lw_status st =
        read_config(&config,
                    HEAD "jwt:\n"
                         "- issuer:\n"
                         "    url: https://a.example\n"
                         "    discoveryURL: https://b.example/x\n"
                         "    audiences: [one, two]\n"
                         "    audienceMatchPolicy: MatchAny\n"
                         "  claimValidationRules:\n"
                         "  - {claim: hd, requiredValue: example.com}\n"
                         "  - {expression: 'true', message: nope}\n"
                         "  claimMappings:\n"
                         "    username: {claim: sub, prefix: ''}\n"
                         "    groups: {expression: claims.groups}\n"
                         "    uid: {claim: id}\n"
                         "    extra: [{key: example.com/a, valueExpression: claims.a}]\n"
                         "  userValidationRules: [{expression: 'user.uid != \"\"', message: uid}]\n"
                         "anonymous: {enabled: true, conditions: [{path: /livez}]}\n",
                    &err);
    if (st < 0)
        fail_msg("%s", err.message);
    assert_int_equal(config->issuers.count, 1);
    const lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, 0);
    assert_str_equal(issuer->url, "https://a.example");
    assert_str_equal(issuer->discovery_url, "https://b.example/x");
    assert_int_equal(issuer->audiences.count, 2);
    assert_str_equal(lw_oidc_text_at(&issuer->audiences, 1), "two");
    assert_str_equal(lw_oidc_rule_at(&issuer->claim_rules, 0)->required_value, "example.com");
    assert_str_equal(lw_oidc_rule_at(&issuer->claim_rules, 1)->message, "nope");
    assert_true(issuer->username.has_prefix);
    assert_str_equal(issuer->groups.expression, "claims.groups");
    assert_str_equal(issuer->uid.claim, "id");
    assert_str_equal(lw_oidc_extra_at(&issuer->extra, 0)->key, "example.com/a");
    assert_str_equal(lw_oidc_rule_at(&issuer->user_rules, 0)->message, "uid");
    assert_true(config->anonymous.is_set && config->anonymous.is_enabled);
    assert_str_equal(lw_oidc_text_at(&config->anonymous.paths, 0), "/livez");
    assert_int_equal(config->algorithms, LW_OIDC_ALGORITHMS);
    lw_oidc_config_unref(config);
}

static void older_versions_and_no_issuers_are_accepted(void **state)
{
    (void)state;
    assert_errors("apiVersion: apiserver.config.k8s.io/v1beta1\n"
                  "kind: AuthenticationConfiguration\njwt:\n" ISSUER NAME,
                  "");
    assert_errors("{\"apiVersion\":\"apiserver.config.k8s.io/v1alpha1\","
                  "\"kind\":\"AuthenticationConfiguration\"}",
                  "");
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    assert_unreadable("", "empty config data");
    assert_unreadable("[]", "the file is not an object");
    assert_unreadable("apiVersion: v1\nkind: X\n",
                      "no kind \"X\" is registered for version \"v1\": use kind "
                      "AuthenticationConfiguration of apiserver.config.k8s.io/v1");
    assert_unreadable(HEAD "jwt: {}\n", "jwt: must be a list");
    assert_unreadable(HEAD "jwt: [{issuer: {uri: x}}]\n",
                      "strict decoding error: unknown field \"jwt[0].issuer.uri\"");
    assert_unreadable(HEAD "jwt: [{issuer: {url: 5}}]\n", "jwt[0].issuer.url: must be a string");
    assert_unreadable(HEAD "jwt: [{issuer: {audiences: [a, {}]}}]\n",
                      "jwt[0].issuer.audiences[1]: must be a string");
    assert_unreadable(HEAD "anonymous: {enabled: 'yes'}\n",
                      "anonymous.enabled: must be true or false");
    assert_unreadable(HEAD "jwt: []\njwt: []\n",
                      "strict decoding error: line 4: key \"jwt\" already set in map");
    assert_unreadable(HEAD "---\n" HEAD, "the file has more than one document");
}

static void errors_of_the_issuer_are_named(void **state)
{
    (void)state;
    assert_errors(HEAD "jwt:\n- issuer: {audiences: [x]}\n" NAME,
                  "jwt[0].issuer.url: Required value");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'http://a.example', audiences: [x]}\n" NAME,
                  "jwt[0].issuer.url: Invalid value: \"http://a.example\": URL scheme must be "
                  "https");
    assert_errors(
        HEAD "jwt:\n- issuer: {url: 'https://u@a.example?b#c', audiences: [x]}\n" NAME,
        "[jwt[0].issuer.url: Invalid value: \"https://u@a.example?b#c\": URL must not contain a "
        "username or password, jwt[0].issuer.url: Invalid value: \"https://u@a.example?b#c\": URL "
        "must not contain a query, jwt[0].issuer.url: Invalid value: \"https://u@a.example?b#c\": "
        "URL must not contain a fragment]");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://own.example', audiences: [x]}\n" NAME,
                  "jwt[0].issuer.url: Invalid value: \"https://own.example\": URL must not overlap "
                  "with disallowed issuers: [https://own.example]");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://a', discoveryURL: 'https://a/', audiences: "
                       "[x]}\n" NAME,
                  "jwt[0].issuer.discoveryURL: Invalid value: \"https://a/\": discoveryURL must be "
                  "different from URL");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://a'}\n" NAME,
                  "jwt[0].issuer.audiences: Required value: at least one "
                  "jwt[0].issuer.audiences is required");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://a', audiences: [b, b]}\n" NAME,
                  "[jwt[0].issuer.audiences[1]: Duplicate value: \"b\", "
                  "jwt[0].issuer.audienceMatchPolicy: Invalid value: \"\": audienceMatchPolicy "
                  "must be MatchAny for multiple audiences]");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://a', audiences: [b], certificateAuthority: "
                       "x}\n" NAME,
                  "jwt[0].issuer.certificateAuthority: Invalid value: \"<omitted>\": data does not "
                  "contain any valid RSA or ECDSA certificates");
    assert_errors(HEAD "jwt:\n" ISSUER NAME ISSUER NAME,
                  "jwt[1].issuer.url: Duplicate value: \"https://a.example\"");
    assert_errors(HEAD "jwt:\n- issuer: {url: 'https://a', audiences: [b], egressSelectorType: "
                       "cluster}\n" NAME,
                  "jwt[0].issuer.egressSelectorType: Invalid value: \"cluster\": egress selectors "
                  "are not supported: this server connects to issuers directly");
}

static void errors_of_mappings_are_named(void **state)
{
    (void)state;
    assert_errors(HEAD "jwt:\n" ISSUER,
                  "jwt[0].claimMappings.username: Required value: claim or expression is required");
    assert_errors(HEAD "jwt:\n" ISSUER "  claimMappings: {username: {claim: sub}}\n",
                  "jwt[0].claimMappings.username.prefix: Required value: prefix is required when "
                  "claim is set. It can be set to an empty string to disable prefixing");
    assert_errors(HEAD "jwt:\n" ISSUER NAME "    uid: {claim: a, expression: b}\n",
                  "jwt[0].claimMappings.uid: Invalid value: \"\": claim and expression can't both "
                  "be set");
    assert_errors(HEAD "jwt:\n" ISSUER NAME "    groups: {expression: claims.g, prefix: x}\n",
                  "jwt[0].claimMappings.groups.prefix: Invalid value: \"x\": may not be specified "
                  "when expression is set");
    assert_errors(HEAD "jwt:\n" ISSUER NAME
                       "    extra:\n    - {key: a, valueExpression: claims.a}\n"
                       "    - {key: x.k8s.io/a, valueExpression: claims.a}\n"
                       "    - {key: example.com/A}\n",
                  "[jwt[0].claimMappings.extra[0].key: Invalid value: \"a\": must be a "
                  "domain-prefixed path (such as \"acme.io/foo\"), "
                  "jwt[0].claimMappings.extra[1].key: Invalid value: \"x.k8s.io/a\": k8s.io, "
                  "kubernetes.io and their subdomains are reserved for Kubernetes use, "
                  "jwt[0].claimMappings.extra[2].key: Invalid value: \"example.com/A\": must be "
                  "lowercase, jwt[0].claimMappings.extra[2].valueExpression: Required value]");
}

static void an_unverified_address_is_not_a_name(void **state)
{
    (void)state;
    const char *why =
        "jwt[0].claimMappings.username.expression: Invalid value: \"claims.email\": "
        "claims.email_verified must be used in claimMappings.username.expression or "
        "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when "
        "claims.email is used in claimMappings.username.expression";
    assert_errors(HEAD "jwt:\n" ISSUER "  claimMappings: {username: {expression: claims.email}}\n",
                  why);
    assert_errors(HEAD "jwt:\n" ISSUER "  claimMappings: {username: {expression: claims.email}}\n"
                       "  claimValidationRules: [{expression: "
                       "'claims.?email_verified.orValue(true) == true'}]\n",
                  "");
    assert_errors(HEAD "jwt:\n" ISSUER "  claimMappings: {username: {expression: '[1].exists(x, "
                       "has(claims.email_verified)) ? claims.email : claims.sub'}}\n",
                  "");
}

static void errors_of_rules_are_named(void **state)
{
    (void)state;
    assert_errors(
        HEAD "jwt:\n" ISSUER NAME "  claimValidationRules: [{}, {claim: a, message: m}, "
             "{claim: a}, {expression: claims.x}, {expression: 'true', requiredValue: x}, "
             "{claim: b, expression: 'false'}]\n",
        "[jwt[0].claimValidationRules[0]: Required value: claim or expression is required, "
        "jwt[0].claimValidationRules[1].message: Invalid value: \"m\": may not be specified when "
        "claim is set, jwt[0].claimValidationRules[2].claim: Duplicate value: \"a\", "
        "jwt[0].claimValidationRules[3].expression: Invalid value: \"claims.x\": must evaluate to "
        "bool, jwt[0].claimValidationRules[4].requiredValue: Invalid value: \"x\": may not be "
        "specified when expression is set, jwt[0].claimValidationRules[5]: Invalid value: \"b\": "
        "claim and expression can't both be set]");
    assert_errors(
        HEAD "jwt:\n" ISSUER NAME "  userValidationRules: [{}, {expression: 'user.x == 1'}, "
             "{expression: 'true'}, {expression: 'true'}]\n",
        "[jwt[0].userValidationRules[0].expression: Required value, "
        "jwt[0].userValidationRules[1].expression: Invalid value: \"user.x == 1\": compilation "
        "failed: ERROR: <input>:1:5: undefined field 'x'\n | user.x == 1\n | ....^, "
        "jwt[0].userValidationRules[3].expression: Duplicate value: \"true\"]");
    assert_errors(HEAD "anonymous: {enabled: false, conditions: [{path: /x}]}\n",
                  "anonymous.conditions: Invalid value: \"/x\": enabled should be set to true when "
                  "conditions are defined");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fields_are_read),
        cmocka_unit_test(older_versions_and_no_issuers_are_accepted),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(errors_of_the_issuer_are_named),
        cmocka_unit_test(errors_of_mappings_are_named),
        cmocka_unit_test(an_unverified_address_is_not_a_name),
        cmocka_unit_test(errors_of_rules_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
