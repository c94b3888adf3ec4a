/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_user_test.c -- the user that claims make. */
#include "server/authn/oidc/oidc_user.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "unit/test.h"

#define HEAD                                                                                       \
    "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n"            \
    "- issuer: {url: 'https://a.example', audiences: [x]}\n"
#define BY_SUB   "  claimMappings:\n    username: {claim: sub, prefix: 'x:'}\n"
#define BY_EMAIL "  claimMappings:\n    username: {claim: email, prefix: ''}\n"

/* Makes the user of |claims| with the configuration HEAD |rest|. */
static lw_status make(const char *rest, const char *claims, const lw_user **user, lw_error *err)
{
    char text[4096];
    lw_oidc_config *config = NULL;
    lw_tree *tree = NULL;
    lw_buf why;
    lw_buf_init(&why, 4096);
    (void)snprintf(text, sizeof(text), HEAD "%s", rest);
    assert_int_equal(lw_oidc_config_read(&config, lw_str_of(text), err), LW_OK);
    if (lw_oidc_config_validate(config, NULL, 0, &why) < 0)
        fail_msg("%.*s", LW_STR_ARG(lw_buf_view(&why)));
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(claims), 0, err), LW_OK);
    lw_status st = lw_oidc_user_make(user, lw_oidc_issuer_at(config, 0), lw_tree_root(tree), err);
    lw_tree_free(tree);
    lw_oidc_config_unref(config);
    lw_buf_done(&why);
    return st;
}

static const lw_user *user_of(const char *rest, const char *claims)
{
    const lw_user *user = NULL;
    lw_error err = LW_ERROR_INIT;
    if (make(rest, claims, &user, &err) < 0)
        fail_msg("%s", err.message);
    return user;
}

static void assert_name(const char *rest, const char *claims, const char *name)
{
    const lw_user *user = user_of(rest, claims);
    assert_str_equal(user->name, name);
    lw_user_unref(user);
}

static void assert_refused(const char *rest, const char *claims, const char *why)
{
    const lw_user *user = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(make(rest, claims, &user, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, why);
    assert_null(user);
}

static void claims_become_name_groups_and_uid(void **state)
{
    (void)state;
    const lw_user *user = user_of(BY_SUB "    groups: {claim: g, prefix: 'g:'}\n"
                                         "    uid: {claim: id}\n",
                                  "{\"sub\":\"ann\",\"g\":[\"a\",\"\"],\"id\":\"7\"}");
    assert_str_equal(user->name, "x:ann");
    assert_str_equal(user->uid, "7");
    assert_int_equal(user->group_count, 3);
    assert_str_equal(user->groups[0], "g:a");
    assert_str_equal(user->groups[1], "g:");
    assert_str_equal(user->groups[2], "system:authenticated");
    assert_int_equal(user->extra_count, 0);
    lw_user_unref(user);
    user = user_of(BY_SUB "    groups: {claim: g, prefix: ''}\n",
                   "{\"sub\":\"ann\",\"g\":\"one\",\"jti\":\"t\"}");
    assert_str_equal(user->groups[0], "one");
    assert_str_equal(user->extras[0].key, "authentication.kubernetes.io/credential-id");
    assert_str_equal(user->extras[0].values[0], "JTI=t");
    lw_user_unref(user);
}

static void missing_and_malformed_claims_are_refused(void **state)
{
    (void)state;
    assert_refused(BY_SUB, "{}", "it has no claim sub");
    assert_refused(BY_SUB, "{\"sub\":5}", "its claim sub is not a string");
    assert_refused(BY_EMAIL, "{\"email\":\"\"}", "its username is empty");
    assert_refused(BY_SUB "    groups: {claim: g, prefix: ''}\n", "{\"sub\":\"a\",\"g\":5}",
                   "its claim g is not a string or a list of strings");
    assert_refused(BY_SUB "    groups: {claim: g, prefix: ''}\n", "{\"sub\":\"a\",\"g\":[5]}",
                   "one of its groups is not a string");
    assert_refused(BY_SUB "    uid: {claim: id}\n", "{\"sub\":\"a\"}", "it has no claim id");
}

static void an_address_must_not_be_unverified(void **state)
{
    (void)state;
    assert_name(BY_EMAIL, "{\"email\":\"a@b\"}", "a@b");
    assert_name(BY_EMAIL, "{\"email\":\"a@b\",\"email_verified\":true}", "a@b");
    assert_refused(BY_EMAIL, "{\"email\":\"a@b\",\"email_verified\":false}",
                   "its email address is not verified");
    assert_refused(BY_EMAIL, "{\"email\":\"a@b\",\"email_verified\":\"true\"}",
                   "its claim email_verified is not a boolean");
    assert_name(BY_SUB, "{\"sub\":\"ann\",\"email_verified\":false}", "x:ann");
}

static void expressions_map_claims(void **state)
{
    (void)state;
    const lw_user *user = user_of(
        "  claimMappings:\n    username: {expression: \"claims.a + claims['b-c']\"}\n"
        "    groups: {expression: claims.g}\n"
        "    uid: {expression: string(claims.n)}\n"
        "    extra:\n    - {key: example.com/one, valueExpression: claims.a}\n"
        "    - {key: example.com/none, valueExpression: 'null'}\n"
        "    - {key: example.com/many, valueExpression: 'claims.g.filter(x, x != \"p\")'}\n",
        "{\"a\":\"A\",\"b-c\":\"B\",\"g\":[\"p\",\"\",\"q\"],\"n\":7}");
    assert_str_equal(user->name, "AB");
    assert_str_equal(user->uid, "7");
    assert_int_equal(user->group_count, 3);
    assert_str_equal(user->groups[1], "q");
    assert_int_equal(user->extra_count, 2);
    assert_str_equal(user->extras[1].key, "example.com/many");
    assert_int_equal(user->extras[1].count, 1);
    assert_str_equal(user->extras[1].values[0], "q");
    lw_user_unref(user);
}

static void numbers_are_doubles_as_in_kube_apiserver(void **state)
{
    (void)state;
    assert_name("  claimMappings:\n    username: {expression: 'string(type(claims.n) == double && "
                "type(claims.l[0].m) == double && claims.n < 8)'}\n",
                "{\"n\":7,\"l\":[{\"m\":1}]}", "true");
    assert_refused("  claimMappings:\n    username: {expression: 'string(claims.n + 1)'}\n",
                   "{\"n\":7}", "the expression 'string(claims.n + 1)' failed: no such overload");
}

static void expressions_of_another_type_are_refused(void **state)
{
    (void)state;
    assert_refused("  claimMappings:\n    username: {expression: claims.n}\n", "{\"n\":7}",
                   "the expression 'claims.n' is not a string");
    assert_refused("  claimMappings:\n    username: {expression: claims.n}\n", "{}",
                   "the expression 'claims.n' failed: no such key: n");
    assert_refused("  claimMappings:\n    username: {expression: claims.n}\n", "{\"n\":\"\"}",
                   "its username is empty");
    assert_refused(BY_SUB "    groups: {expression: claims.g}\n", "{\"sub\":\"a\",\"g\":[\"x\",1]}",
                   "the expression 'claims.g' is not a string or a list of strings");
}

static void rules_decide(void **state)
{
    const char *required = BY_SUB "  claimValidationRules: [{claim: hd, requiredValue: x}]\n";
    const char *rule =
        BY_SUB "  claimValidationRules: [{expression: 'claims.n > 5', message: m}]\n";
    const char *about_user =
        BY_SUB "    groups: {claim: g, prefix: ''}\n"
               "    extra: [{key: example.com/a, valueExpression: claims.sub}]\n"
               "  userValidationRules:\n"
               "  - {expression: \"user.username == 'x:ann' && user.uid == '' && "
               "user.groups == ['p'] && user.extra['example.com/a'] == ['ann']\", message: u}\n";
    (void)state;
    assert_name(required, "{\"sub\":\"ann\",\"hd\":\"x\"}", "x:ann");
    assert_refused(required, "{\"sub\":\"ann\"}", "it has no claim hd");
    assert_refused(required, "{\"sub\":\"ann\",\"hd\":\"y\"}",
                   "its claim hd is \"y\"; must be \"x\"");
    assert_name(rule, "{\"sub\":\"ann\",\"n\":6}", "x:ann");
    assert_refused(rule, "{\"sub\":\"ann\",\"n\":5}",
                   "validation expression 'claims.n > 5' failed: m");
    assert_name(about_user, "{\"sub\":\"ann\",\"g\":\"p\"}", "x:ann");
    const lw_user *user = NULL;
    assert_int_equal(make(about_user, "{\"sub\":\"bob\",\"g\":\"p\"}", &user, NULL),
                     LW_ERR_INVALID);
}

static void too_many_groups_are_refused(void **state)
{
    lw_buf claims;
    (void)state;
    lw_buf_init(&claims, 64 * 1024);
    lw_buf_append_text(&claims, "{\"sub\":\"ann\",\"g\":[\"0\"");
    for (int i = 1; i < LW_USER_GROUPS_MAX; i++)
        lw_buf_printf(&claims, ",\"%d\"", i);
    lw_buf_append_text(&claims, "]}");
    char *text = lw_buf_take_text(&claims), why[80];
    (void)snprintf(why, sizeof(why), "it has too many groups; the limit is %d",
                   LW_USER_GROUPS_MAX - 1);
    assert_refused(BY_SUB "    groups: {claim: g, prefix: ''}\n", text, why);
    lw_free(text);
    lw_buf_done(&claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_become_name_groups_and_uid),
        cmocka_unit_test(missing_and_malformed_claims_are_refused),
        cmocka_unit_test(an_address_must_not_be_unverified),
        cmocka_unit_test(expressions_map_claims),
        cmocka_unit_test(numbers_are_doubles_as_in_kube_apiserver),
        cmocka_unit_test(expressions_of_another_type_are_refused),
        cmocka_unit_test(rules_decide),
        cmocka_unit_test(too_many_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
