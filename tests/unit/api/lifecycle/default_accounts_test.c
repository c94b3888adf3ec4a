/* SPDX-License-Identifier: Apache-2.0 */
/* default_accounts_test.c -- the ServiceAccount "default" of each namespace. */
#include "api/lifecycle/default_accounts.h"

#include "unit/api/lived.h"

#define ACCOUNT "serviceaccounts/default"
#define SPACE   "/api/v1/namespaces/n/"

static int plugin_setup(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    ((api_world *)*state)->api->admits_accounts = true;
    return api_world_live(*state, 0) == LW_OK ? 0 : -1;
}

#define PLUGIN_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, plugin_setup, world_teardown)

static void create_namespace(api_world *world)
{
    fake_http_free(
        send(world, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}", 201));
    await_rest(world);
}

static void each_namespace_has_an_account(void **state)
{
    await_rest(*state);
    assert_shows(*state, DEFAULT ACCOUNT, "\"uid\":\"", true);
    create_namespace(*state);
    assert_shows(*state, SPACE ACCOUNT, "\"namespace\":\"n\"", true);
}

static void a_deleted_account_is_created_again(void **state)
{
    create_namespace(*state);
    fake_http_free(send(*state, "DELETE", SPACE ACCOUNT, "", 200));
    await_rest(*state);
    assert_true(is_there(*state, SPACE ACCOUNT));
}

static void an_account_that_exists_stays_as_it_is(void **state)
{
    create_namespace(*state);
    fake_http_free(send(*state, "PUT", SPACE ACCOUNT,
                        "{\"metadata\":{\"name\":\"default\"},\"imagePullSecrets\":[{\"name\":"
                        "\"s\"}]}",
                        200));
    await_rest(*state);
    assert_shows(*state, SPACE ACCOUNT, "\"imagePullSecrets\":[{\"name\":\"s\"}]", true);
}

static void a_namespace_that_is_deleted_gets_no_new_account(void **state)
{
    create_namespace(*state);
    fake_http_free(send(*state, "DELETE", "/api/v1/namespaces/n", "", 200));
    await_end(*state, "/api/v1/namespaces/n");
    await_rest(*state);
    assert_false(is_there(*state, SPACE ACCOUNT));
}

static void without_the_plugin_there_are_none(void **state)
{
    create_namespace(*state);
    assert_false(is_there(*state, SPACE ACCOUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLUGIN_TEST(each_namespace_has_an_account),
        PLUGIN_TEST(a_deleted_account_is_created_again),
        PLUGIN_TEST(an_account_that_exists_stays_as_it_is),
        PLUGIN_TEST(a_namespace_that_is_deleted_gets_no_new_account),
        LIVED_TEST(without_the_plugin_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
