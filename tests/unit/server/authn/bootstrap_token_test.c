/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_token_test.c -- which bootstrap tokens authenticate, and as whom. */
#include "server/authn/bootstrap_token.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "unit/test.h"

#define NOW_NS  INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */
#define TYPE    "bootstrap.kubernetes.io/token"
#define GOOD_ID "token-id=abcdef;"
#define GOOD    GOOD_ID "token-secret=0123456789abcdef;usage-bootstrap-authentication=true;"

enum {
    TEXT_MAX = 8192,
};

/* Makes a Secret with |values|, "key=value;key=value;". */
static lw_object *make_secret(const char *type, const char *metadata, const char *values)
{
    lw_object *secret = NULL;
    lw_str rest = lw_str_of(values), pair, key, value;
    lw_buf json;
    lw_buf_init(&json, TEXT_MAX);
    lw_buf_printf(&json,
                  "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                  "\"bootstrap-token-abcdef\"%s},\"type\":\"%s\",\"data\":{",
                  metadata, type);
    for (bool is_first = true; lw_str_cut(rest, ';', &pair, &rest); is_first = false) {
        assert_true(lw_str_cut(pair, '=', &key, &value));
        lw_buf_printf(&json, "%s\"%.*s\":\"", is_first ? "" : ",", LW_STR_ARG(key));
        lw_base64_encode(&json, value);
        lw_buf_append_char(&json, '"');
    }
    lw_buf_append_text(&json, "}}");
    assert_int_equal(lw_object_from_json(&secret, json.data, json.len, NULL), LW_OK);
    lw_buf_done(&json);
    return secret;
}

/* Checks the token abcdef.|secret| against a Secret; the groups of the user, separated by blanks,
 * are |groups|; NULL: it is refused. */
static void assert_token_as(const lw_object *stored, const char *secret, const char *groups)
{
    lw_authn_users users;
    const lw_user *user = NULL;
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_authn_users_init(&users);
    lw_status st = lw_bootstrap_token_check(stored, LW_STR("abcdef"), lw_str_of(secret), NOW_NS,
                                            &users, &user);
    assert_int_equal(st, groups ? LW_OK : LW_ERR_UNAUTHORIZED);
    if (groups) {
        assert_str_equal(user->name, "system:bootstrap:abcdef");
        for (size_t i = 0; i < user->group_count; i++)
            lw_buf_printf(&text, "%s%.*s", i > 0 ? " " : "", LW_STR_ARG(user->groups[i]));
        assert_str_equal(lw_buf_view(&text), groups);
    }
    lw_user_unref(user);
    lw_buf_done(&text);
    lw_authn_users_done(&users);
}

static void assert_token(const char *values, const char *groups)
{
    lw_object *stored = make_secret(TYPE, "", values);
    assert_token_as(stored, "0123456789abcdef", groups);
    lw_object_unref(stored);
}

static void tokens_have_six_and_sixteen_characters(void **state)
{
    static const char *const others[] = { "",
                                          "abcdef",
                                          "abcdef.",
                                          "abcdef.0123456789abcde",
                                          "abcdef.0123456789abcdeff",
                                          "abcde.0123456789abcdef",
                                          "ABCDEF.0123456789abcdef",
                                          "abcdef.0123456789abcde/",
                                          "abcdef.0123456789.bcdef" };
    lw_str id, secret;
    (void)state;
    assert_true(lw_bootstrap_token_split(LW_STR("abcdef.0123456789abcdef"), &id, &secret));
    assert_str_equal(id, "abcdef");
    assert_str_equal(secret, "0123456789abcdef");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(lw_bootstrap_token_split(lw_str_of(others[i]), &id, &secret));
}

static void a_good_token_authenticates(void **state)
{
    (void)state;
    assert_token(GOOD, "system:bootstrappers system:authenticated");
    assert_token(GOOD "expiration=2026-11-15T01:49:25Z;",
                 "system:bootstrappers system:authenticated");
    assert_token(GOOD "auth-extra-groups=system:bootstrappers:a-b:c,system:bootstrappers:d,"
                      "system:bootstrappers:d;",
                 "system:bootstrappers system:bootstrappers:a-b:c system:bootstrappers:d "
                 "system:authenticated");
}

static void a_wrong_secret_is_refused(void **state)
{
    (void)state;
    lw_object *stored = make_secret(TYPE, "", GOOD);
    assert_token_as(stored, "0123456789abcdee", NULL);
    lw_object_unref(stored);
    assert_token(GOOD_ID "usage-bootstrap-authentication=true;", NULL);
    assert_token(GOOD_ID "token-secret=;usage-bootstrap-authentication=true;", NULL);
}

static void expired_tokens_are_refused(void **state)
{
    (void)state;
    assert_token(GOOD "expiration=2026-11-15T01:49:24Z;", NULL);
    assert_token(GOOD "expiration=soon;", NULL);
    assert_token(GOOD "expiration=;", "system:bootstrappers system:authenticated");
    assert_token(GOOD "expiration=2999-01-01T00:00:00Z;",
                 "system:bootstrappers system:authenticated");
}

static void tokens_for_other_purposes_are_refused(void **state)
{
    (void)state;
    assert_token(GOOD_ID "token-secret=0123456789abcdef;", NULL);
    assert_token(GOOD_ID "token-secret=0123456789abcdef;usage-bootstrap-authentication=yes;", NULL);
    assert_token("token-id=fedcba;token-secret=0123456789abcdef;"
                 "usage-bootstrap-authentication=true;",
                 NULL);
    lw_object *stored = make_secret("Opaque", "", GOOD);
    assert_token_as(stored, "0123456789abcdef", NULL);
    lw_object_unref(stored);
    stored = make_secret(TYPE, ",\"deletionTimestamp\":\"2026-11-15T01:49:00Z\"", GOOD);
    assert_token_as(stored, "0123456789abcdef", NULL);
    lw_object_unref(stored);
}

static void groups_of_others_are_refused(void **state)
{
    (void)state;
    assert_token(GOOD "auth-extra-groups=system:masters;", NULL);
    assert_token(GOOD "auth-extra-groups=system:bootstrappers:;", NULL);
    assert_token(GOOD "auth-extra-groups=system:bootstrappers:a:;", NULL);
    assert_token(GOOD "auth-extra-groups=system:bootstrappers:A;", NULL);
    assert_token(GOOD "auth-extra-groups=system:bootstrappers:a,;", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_six_and_sixteen_characters),
        cmocka_unit_test(a_good_token_authenticates),
        cmocka_unit_test(a_wrong_secret_is_refused),
        cmocka_unit_test(expired_tokens_are_refused),
        cmocka_unit_test(tokens_for_other_purposes_are_refused),
        cmocka_unit_test(groups_of_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
