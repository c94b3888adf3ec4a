/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster_test.c -- the pod's own configuration. */
#include "kubeconfig/environment.h"

#include "unit/kubeconfig/place.h"

static void it_takes_both_variables_and_a_token(void **state)
{
    place *p = *state;
    assert_false(lw_in_cluster_is_possible(&p->env));
    place_pod(p);
    assert_true(lw_in_cluster_is_possible(&p->env));
    lw_config_environment env = p->env;
    env.service_port = "";
    assert_false(lw_in_cluster_is_possible(&env));
    env = p->env;
    env.service_host = NULL;
    assert_false(lw_in_cluster_is_possible(&env));
    assert_int_equal(unlink(place_path(p, "account/token")), 0);
    assert_false(lw_in_cluster_is_possible(&p->env));
    place_dir(p, "account/token");
    assert_false(lw_in_cluster_is_possible(&p->env));
}

static void ipv6_gets_its_brackets(void **state)
{
    place *p = *state;
    place_pod(p);
    p->env.service_host = "fd00::1";
    p->env.service_port = "6443";
    place_load(p, NULL);
    assert_string_equal(lw_config_server(p->config), "https://[fd00::1]:6443");
    p->env.service_host = "[fd00::2]";
    place_load(p, NULL);
    assert_string_equal(lw_config_server(p->config), "https://[fd00::2]:6443");
}

static void a_host_that_is_none_is_refused(void **state)
{
    place *p = *state;
    place_pod(p);
    p->env.service_host = "a b";
    assert_int_equal(place_try(p, NULL), LW_ERR_INVALID);
    p->env.service_host = "10.0.0.1";
    p->env.service_port = "99999";
    assert_int_equal(place_try(p, NULL), LW_ERR_INVALID);
}

static void without_a_ca_the_systems_are_used(void **state)
{
    place *p = *state;
    place_pod(p);
    assert_int_equal(unlink(place_path(p, "account/ca.crt")), 0);
    place_load(p, NULL);
    assert_int_equal(place_get(p)->ca_pem.len, 0);
    assert_false(lw_config_get_endpoint(p->config)->is_insecure);
}

static void the_namespace_is_the_variables_then_the_accounts(void **state)
{
    place *p = *state;
    place_pod(p);
    p->env.pod_namespace = "env-ns";
    place_load(p, NULL);
    assert_string_equal(lw_config_namespace(p->config), "env-ns");
    p->env.pod_namespace = "";
    place_load(p, NULL);
    assert_string_equal(lw_config_namespace(p->config), "pod-ns");
    assert_int_equal(unlink(place_path(p, "account/namespace")), 0);
    place_load(p, NULL);
    assert_string_equal(lw_config_namespace(p->config), "default");
}

static void its_token_is_read_again(void **state)
{
    place *p = *state;
    place_pod(p);
    place_load(p, NULL);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "pod-token");
    place_write(p, "account/token", "next\n");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "next");
}

static void options_go_over_it(void **state)
{
    place *p = *state;
    place_pod(p);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.is_in_cluster = true;
    options.token = "mine";
    options.ns = "other";
    place_load(p, &options);
    assert_string_equal(lw_config_namespace(p->config), "other");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(it_takes_both_variables_and_a_token),
        TEST_IN_PLACE(ipv6_gets_its_brackets),
        TEST_IN_PLACE(a_host_that_is_none_is_refused),
        TEST_IN_PLACE(without_a_ca_the_systems_are_used),
        TEST_IN_PLACE(the_namespace_is_the_variables_then_the_accounts),
        TEST_IN_PLACE(its_token_is_read_again),
        TEST_IN_PLACE(options_go_over_it),
    };
    return cmocka_run_group_tests_name("in_cluster", tests, NULL, NULL);
}
