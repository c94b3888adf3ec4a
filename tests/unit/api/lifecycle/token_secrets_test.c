/* SPDX-License-Identifier: Apache-2.0 */
/* token_secrets_test.c -- Secrets that get the token of a service account. */
#include "api/lifecycle/token_secrets.h"

#include "unit/api/lived.h"

#define SECRET DEFAULT "secrets/s"
#define SECRET_OF(account)                                                                         \
    "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"kubernetes.io/"                              \
    "service-account.name\":\"" account "\"}},\"type\":\"kubernetes.io/service-account-token\"}"

static void create(api_world *world, const char *resource, const char *body)
{
    char target[128];
    (void)snprintf(target, sizeof(target), DEFAULT "%s", resource);
    fake_http_free(send(world, "POST", target, body, 201));
    await_rest(world);
}

static void create_robot(api_world *world)
{
    create(world, "serviceaccounts", "{\"metadata\":{\"name\":\"robot\"}}");
}

static void a_secret_gets_token_ca_and_namespace(void **state)
{
    create_robot(*state);
    create(*state, "secrets", SECRET_OF("robot"));
    /* "account=default/robot/", "PEM" and "default" in base64 */
    assert_shows(*state, SECRET, "\"token\":\"YWNjb3VudD1kZWZhdWx0L3JvYm90", true);
    assert_shows(*state, SECRET, "\"ca.crt\":\"UEVN\"", true);
    assert_shows(*state, SECRET, "\"namespace\":\"ZGVmYXVsdA==\"", true);
    assert_shows(*state, SECRET, "\"kubernetes.io/service-account.uid\":\"", true);
}

static void a_token_is_kept_and_other_data_too(void **state)
{
    create_robot(*state);
    create(*state, "secrets",
           "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"kubernetes.io/service-account.name\":"
           "\"robot\"}},\"type\":\"kubernetes.io/service-account-token\",\"data\":{\"token\":"
           "\"QUJD\",\"more\":\"QUJD\"}}");
    assert_shows(*state, SECRET, "\"token\":\"QUJD\"", true);
    assert_shows(*state, SECRET, "\"more\":\"QUJD\"", true);
    assert_shows(*state, SECRET, "\"namespace\":\"ZGVmYXVsdA==\"", true);
}

static void a_secret_goes_with_its_account(void **state)
{
    create_robot(*state);
    create(*state, "secrets", SECRET_OF("robot"));
    fake_http_free(send(*state, "DELETE", DEFAULT "serviceaccounts/robot", "", 200));
    await_end(*state, SECRET);
}

static void a_secret_of_an_account_that_does_not_exist_goes(void **state)
{
    create(*state, "secrets", SECRET_OF("nobody"));
    await_end(*state, SECRET);
}

static void other_secrets_stay_as_they_are(void **state)
{
    create(*state, "secrets",
           "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"kubernetes.io/service-account.name\":"
           "\"nobody\"}}}");
    assert_shows(*state, SECRET, "\"token\"", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(a_secret_gets_token_ca_and_namespace),
        LIVED_TEST(a_token_is_kept_and_other_data_too),
        LIVED_TEST(a_secret_goes_with_its_account),
        LIVED_TEST(a_secret_of_an_account_that_does_not_exist_goes),
        LIVED_TEST(other_secrets_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
