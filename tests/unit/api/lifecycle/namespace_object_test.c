/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_object_test.c -- the ServiceAccount "default" and the CA of each namespace. */
#include "api/lifecycle/namespace_object.h"

#include "object/quote.h"
#include "unit/api/lived.h"
#include "unit/crypto/made_certificates.h"

#define ACCOUNT "serviceaccounts/default"
#define ROOT_CA "configmaps/kube-root-ca.crt"
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

static int ca_setup(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    api_world *world = *state;
    world->api->issuer.root_ca = LW_STR("PEM\n");
    world->api->controllers |= LW_CONTROLLER_ROOT_CA;
    return api_world_live(*state, 0) == LW_OK ? 0 : -1;
}

#define CA_TEST(function) cmocka_unit_test_setup_teardown(function, ca_setup, world_teardown)

static void each_namespace_has_the_ca_of_the_server(void **state)
{
    await_rest(*state);
    assert_shows(*state, DEFAULT ROOT_CA, "\"data\":{\"ca.crt\":\"PEM\\n\"}", true);
    create_namespace(*state);
    assert_shows(*state, SPACE ROOT_CA, "\"data\":{\"ca.crt\":\"PEM\\n\"}", true);
}

static void a_changed_ca_is_restored(void **state)
{
    create_namespace(*state);
    fake_http_free(send(*state, "PUT", SPACE ROOT_CA,
                        "{\"metadata\":{\"name\":\"kube-root-ca.crt\",\"labels\":{\"a\":\"b\"}},"
                        "\"data\":{\"ca.crt\":\"other\"}}",
                        200));
    await_rest(*state);
    assert_shows(*state, SPACE ROOT_CA, "\"data\":{\"ca.crt\":\"PEM\\n\"}", true);
    assert_shows(*state, SPACE ROOT_CA, "\"labels\":{\"a\":\"b\"}", true);
}

/* What kube-controller-manager publishes need not be the same text. */
static void another_ca_that_verifies_the_server_stays(void **state)
{
    api_world *world = *state;
    lw_buf ca, leaf, body;
    make_certificates(&ca, &leaf);
    lw_buf_init(&body, MADE_CERTIFICATE_MAX);
    world->api->issuer.root_ca = lw_buf_view(&leaf);
    world->api->controllers |= LW_CONTROLLER_ROOT_CA;
    assert_int_equal(api_world_live(world, 0), LW_OK);
    create_namespace(world);
    lw_buf_append_text(&body,
                       "{\"metadata\":{\"name\":\"kube-root-ca.crt\"},\"data\":{\"ca.crt\":");
    lw_quote_append(&body, lw_buf_view(&ca));
    lw_buf_append_text(&body, "}}");
    lw_buf_append_char(&body, '\0');
    fake_http *put = send(world, "PUT", SPACE ROOT_CA, body.data, 200);
    await_rest(world);
    fake_http *got = ask(world, SPACE ROOT_CA, 200);
    assert_true(lw_str_equal(lw_buf_view(&put->body), lw_buf_view(&got->body)));
    fake_http_free(put);
    fake_http_free(got);
    lw_buf_done(&body);
    lw_buf_done(&leaf);
    lw_buf_done(&ca);
}

static void a_deleted_ca_is_published_again(void **state)
{
    create_namespace(*state);
    fake_http_free(send(*state, "DELETE", SPACE ROOT_CA, "", 200));
    await_rest(*state);
    assert_true(is_there(*state, SPACE ROOT_CA));
}

static int left_out_setup(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    ((api_world *)*state)->api->issuer.root_ca = LW_STR("PEM\n");
    return api_world_live(*state, 0) == LW_OK ? 0 : -1;
}

static void nothing_is_published_if_the_controller_is_left_out(void **state)
{
    create_namespace(*state);
    assert_false(is_there(*state, SPACE ROOT_CA));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLUGIN_TEST(each_namespace_has_an_account),
        PLUGIN_TEST(a_deleted_account_is_created_again),
        PLUGIN_TEST(an_account_that_exists_stays_as_it_is),
        PLUGIN_TEST(a_namespace_that_is_deleted_gets_no_new_account),
        LIVED_TEST(without_the_plugin_there_are_none),
        CA_TEST(each_namespace_has_the_ca_of_the_server),
        CA_TEST(a_changed_ca_is_restored),
        cmocka_unit_test_setup_teardown(another_ca_that_verifies_the_server_stays, seeded_setup,
                                        world_teardown),
        CA_TEST(a_deleted_ca_is_published_again),
        cmocka_unit_test_setup_teardown(nothing_is_published_if_the_controller_is_left_out,
                                        left_out_setup, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
