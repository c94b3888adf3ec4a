/* SPDX-License-Identifier: Apache-2.0 */
/* load_test.c -- which configuration is chosen, and the effect of the options. */
#include "kubeconfig/environment.h"

#include "unit/kubeconfig/place.h"

/* A file with one cluster and its context. */
#define CLUSTER(fields) "clusters: [{name: c, cluster: {server: 'https://one:6443'" fields "}}]\n"
#define USER(fields)    "users: [{name: u, user: {" fields "}}]\n"
#define CONTEXT(fields) "contexts: [{name: x, context: {cluster: c, user: u" fields "}}]\n"
#define CURRENT         "current-context: x\n"
#define PLAIN           CLUSTER("") USER("token: secret") CONTEXT("") CURRENT

static void reads_the_current_context(void **state)
{
    place *p = *state;
    place_load_text(p, CLUSTER("") USER("token: secret") CONTEXT(", namespace: team") CURRENT);
    assert_string_equal(lw_config_server(p->config), "https://one:6443");
    assert_string_equal(lw_config_namespace(p->config), "team");
    assert_string_equal(lw_config_origin(p->config), place_path(p, "config"));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "secret");
    assert_null(lw_config_headers(p->config)[0]);
}

static void the_namespace_is_default_where_nobody_says_so(void **state)
{
    place *p = *state;
    place_load_text(p, PLAIN);
    assert_string_equal(lw_config_namespace(p->config), "default");
}

static void another_context_can_be_chosen(void **state)
{
    place *p = *state;
    place_write(p, "config", PLAIN "---\n# nothing\n");
    place_write(p, "two",
                "clusters: [{name: d, cluster: {server: 'https://two'}}]\n"
                "contexts: [{name: z, context: {cluster: d}}]\n");
    place_kubeconfig(p, "config", "two");
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.context = "z";
    place_load(p, &options);
    assert_string_equal(lw_config_server(p->config), "https://two");
    assert_int_equal(place_get(p)->token.len, 0);
}

static void an_unknown_context_is_named_with_those_there_are(void **state)
{
    place *p = *state;
    place_write(p, "config", PLAIN);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.context = "nope";
    assert_int_equal(place_try(p, &options), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(p->err.message, "context \"nope\" not found; existing entries: x"));
}

static void a_context_whose_cluster_or_user_is_missing_is_refused(void **state)
{
    place *p = *state;
    place_refuses(p, USER("") CONTEXT("") CURRENT, LW_ERR_NOT_FOUND, "cluster \"c\" not found",
                  "none");
    place_refuses(p, CLUSTER("") CONTEXT("") CURRENT, LW_ERR_NOT_FOUND, "user \"u\" not found",
                  NULL);
    place_refuses(p, CLUSTER("") "contexts: [{name: x}]\n" CURRENT, LW_ERR_INVALID,
                  "must be the name of a cluster", NULL);
    place_refuses(p, "clusters: [{name: c}]\nusers: [{name: u}]\n" CONTEXT("") CURRENT,
                  LW_ERR_INVALID, "server must be set", "cluster \"c\"");
}

static void without_a_current_context_it_says_what_to_choose(void **state)
{
    place *p = *state;
    place_refuses(p, CLUSTER("") USER("") CONTEXT(""), LW_ERR_NOT_FOUND,
                  "current-context is not set", "existing contexts: x");
}

static void a_file_that_is_asked_for_must_exist(void **state)
{
    place *p = *state;
    place_pod(p);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = place_path(p, "missing");
    assert_int_equal(place_try(p, &options), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(p->err.message, "missing"));
}

static void the_file_that_is_asked_for_beats_the_environment(void **state)
{
    place *p = *state;
    place_write(p, "mine", PLAIN);
    place_write(p, "config", "current-context: other\n");
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = place_path(p, "mine");
    place_load(p, &options);
    assert_string_equal(lw_config_origin(p->config), place_path(p, "mine"));
}

static void without_a_variable_the_file_at_home_counts(void **state)
{
    place *p = *state;
    place_dir(p, ".kube");
    place_write(p, ".kube/config", PLAIN);
    p->env.home = p->root;
    place_load(p, NULL);
    assert_string_equal(lw_config_origin(p->config), place_path(p, ".kube/config"));
}

static void a_variable_hides_the_file_at_home(void **state)
{
    place *p = *state;
    place_dir(p, ".kube");
    place_write(p, ".kube/config", PLAIN);
    p->env.home = p->root;
    place_kubeconfig(p, "missing", NULL);
    assert_int_equal(place_try(p, NULL), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(p->err.message, "no configuration"));
}

static void with_nothing_at_all_it_says_what_to_do(void **state)
{
    place *p = *state;
    assert_int_equal(place_try(p, NULL), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(p->err.message, "set KUBECONFIG"));
}

static void a_server_alone_needs_no_kubeconfig(void **state)
{
    place *p = *state;
    place_pod(p);
    place_write(p, "ca.pem", PEM("mine"));
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = "https://three:6443/";
    options.token = "given";
    options.ca_file = place_path(p, "ca.pem");
    place_load(p, &options);
    assert_string_equal(lw_config_server(p->config), "https://three:6443");
    assert_string_equal(lw_config_origin(p->config), "options");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "given");
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("mine"));
}

static void another_server_forgets_the_tls_name_of_the_old_one(void **state)
{
    place *p = *state;
    place_write(p, "config",
                CLUSTER(", tls-server-name: inner") USER("token: secret") CONTEXT("") CURRENT);
    place_kubeconfig(p, "config", NULL);
    place_load(p, NULL);
    assert_string_equal(lw_config_get_endpoint(p->config)->tls_server_name, "inner");
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = "https://three";
    place_load(p, &options);
    assert_null(lw_config_get_endpoint(p->config)->tls_server_name);
    assert_string_equal(lw_config_server(p->config), "https://three");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "secret");
}

static void a_ca_of_ones_own_replaces_what_the_cluster_says_about_checking(void **state)
{
    place *p = *state;
    place_write(p, "ca.pem", PEM("mine"));
    place_write(p, "config",
                CLUSTER(", insecure-skip-tls-verify: true") USER("") CONTEXT("") CURRENT);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.ca_file = place_path(p, "ca.pem");
    place_load(p, &options);
    assert_false(lw_config_get_endpoint(p->config)->is_insecure);
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("mine"));
    assert_string_equal(lw_config_ca(p->config), PEM("mine"));

    place_write(p, "config",
                CLUSTER(", certificate-authority: ca.pem") USER("") CONTEXT("") CURRENT);
    options = (lw_config_options)LW_CONFIG_OPTIONS_INIT;
    options.is_insecure = true;
    place_load(p, &options);
    assert_true(lw_config_get_endpoint(p->config)->is_insecure);
    lw_credentials_done(&p->credentials);
    assert_int_equal(place_get(p)->ca_pem.len, 0);
    assert_null(lw_config_ca(p->config));
}

static void insecure_and_a_ca_contradict_each_other(void **state)
{
    place *p = *state;
    place_write(p, "ca.pem", PEM("mine"));
    place_refuses(p,
                  CLUSTER(", certificate-authority: ca.pem, insecure-skip-tls-verify: true")
                      USER("") CONTEXT("") CURRENT,
                  LW_ERR_INVALID, "mutually exclusive", "insecure-skip-tls-verify");
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.ca_file = place_path(p, "ca.pem");
    options.is_insecure = true;
    assert_int_equal(place_try(p, &options), LW_ERR_INVALID);
}

static void a_token_of_ones_own_replaces_the_users_other_ways(void **state)
{
    place *p = *state;
    place_write(p, "token", "from-file");
    place_write(p, "config", CLUSTER("") USER("tokenFile: token") CONTEXT("") CURRENT);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.token = "given";
    place_load(p, &options);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "given");
    place_pass_seconds(p, 60);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "given");

    place_write(p, "config", CLUSTER("") USER("username: a, password: b") CONTEXT("") CURRENT);
    place_load(p, &options);
    lw_credentials_done(&p->credentials);
    assert_int_equal(place_get(p)->basic.len, 0);
    options.token = "two words";
    assert_int_equal(place_try(p, &options), LW_ERR_INVALID);
}

static void a_namespace_of_ones_own_wins(void **state)
{
    place *p = *state;
    place_write(p, "config", CLUSTER("") USER("") CONTEXT(", namespace: team") CURRENT);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.ns = "mine";
    place_load(p, &options);
    assert_string_equal(lw_config_namespace(p->config), "mine");
}

static void a_namespace_that_would_lead_elsewhere_is_refused(void **state)
{
    place *p = *state;
    place_refuses(p, CLUSTER("") USER("") CONTEXT(", namespace: ../../secrets") CURRENT,
                  LW_ERR_INVALID, "namespace", "config");
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = "https://one";
    p->env.kubeconfig = NULL;
    const char *const bad[] = {
        "a/b",
        "A",
        "-a",
        "a-",
        "a.b",
        "a b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        options.ns = bad[i];
        assert_int_equal(place_try(p, &options), LW_ERR_INVALID);
    }
    options.ns = "kube-system-0";
    place_load(p, &options);
}

static void to_act_as_another_user_is_one_header(void **state)
{
    place *p = *state;
    place_write(p, "config", CLUSTER("") USER("as: jane, as-groups: [a]") CONTEXT("") CURRENT);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.impersonate = "system:admin";
    place_load(p, &options);
    const char *const *headers = lw_config_headers(p->config);
    assert_string_equal(headers[0], "Impersonate-User: system:admin");
    assert_null(headers[1]);
    static const char *const groups[] = { "system:nodes", "b", NULL };
    static const char *const evil[] = { "a\r\nX: y", NULL };
    options.impersonate_groups = groups;
    place_load(p, &options);
    headers = lw_config_headers(p->config);
    assert_string_equal(headers[1], "Impersonate-Group: system:nodes");
    assert_string_equal(headers[2], "Impersonate-Group: b");
    assert_null(headers[3]);
    options.impersonate_groups = evil;
    assert_int_equal(place_try(p, &options), LW_ERR_INVALID);
    options.impersonate_groups = NULL;
    options.impersonate = "evil\r\nX: y";
    assert_int_equal(place_try(p, &options), LW_ERR_INVALID);
}

static void secrets_are_for_https_only(void **state)
{
    place *p = *state;
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'http://one:8080'}}]\n" USER(
                           "token: secret, client-certificate: nowhere, client-key: nowhere, "
                           "as: jane") CONTEXT("") CURRENT);
    assert_int_equal(place_get(p)->token.len, 0);
    assert_int_equal(place_get(p)->cert_pem.len, 0);
    assert_string_equal(lw_config_headers(p->config)[0], "Impersonate-User: jane");
}

static void a_host_without_a_scheme_is_https_when_tls_is_configured(void **state)
{
    place *p = *state;
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'one:8080'}}]\n" USER("") CONTEXT("")
                           CURRENT);
    assert_string_equal(lw_config_server(p->config), "http://one:8080");
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'one:8080', "
                       "insecure-skip-tls-verify: true}}]\n" USER("") CONTEXT("") CURRENT);
    assert_string_equal(lw_config_server(p->config), "https://one:8080");
}

static void the_endpoint_tells_what_the_cluster_says(void **state)
{
    place *p = *state;
    place_load_text(p, CLUSTER(", proxy-url: 'socks5://proxy:1080', disable-compression: true")
                           USER("") CONTEXT("") CURRENT);
    const lw_config_endpoint *endpoint = lw_config_get_endpoint(p->config);
    assert_string_equal(endpoint->server, "https://one:6443");
    assert_string_equal(endpoint->proxy_url, "socks5://proxy:1080");
    assert_true(endpoint->is_compression_off);
    assert_false(endpoint->is_insecure);
    assert_null(endpoint->tls_server_name);
}

static void a_proxy_that_is_none_is_refused_without_telling_its_password(void **state)
{
    place *p = *state;
    place_refuses(p, CLUSTER(", proxy-url: 'ftp://me:hunter2@proxy'") USER("") CONTEXT("") CURRENT,
                  LW_ERR_INVALID, "proxy-url", NULL);
    assert_null(strstr(p->err.message, "hunter2"));
}

static void a_reference_keeps_it(void **state)
{
    place *p = *state;
    place_load_text(p, PLAIN);
    lw_config *again = lw_config_ref(p->config);
    assert_ptr_equal(again, p->config);
    lw_config_unref(p->config);
    assert_string_equal(lw_config_server(again), "https://one:6443");
    assert_null(lw_config_ref(NULL));
    lw_config_unref(NULL);
}

static void a_pod_is_used_when_there_is_no_file(void **state)
{
    place *p = *state;
    place_pod(p);
    place_load(p, NULL);
    assert_string_equal(lw_config_origin(p->config), "in-cluster");
    assert_string_equal(lw_config_server(p->config), "https://10.0.0.1:443");
    assert_string_equal(lw_config_namespace(p->config), "pod-ns");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "pod-token");
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("pod-ca"));
}

static void a_pod_is_used_when_the_files_choose_nothing(void **state)
{
    place *p = *state;
    place_pod(p);
    place_write(p, "config", "");
    place_kubeconfig(p, "config", "missing");
    place_load(p, NULL);
    assert_string_equal(lw_config_origin(p->config), "in-cluster");
}

static void a_kubeconfig_beats_the_pod_but_the_pod_knows_the_namespace(void **state)
{
    place *p = *state;
    place_pod(p);
    place_load_text(p, PLAIN);
    assert_string_equal(lw_config_server(p->config), "https://one:6443");
    assert_string_equal(lw_config_namespace(p->config), "pod-ns");
    place_load_text(p, CLUSTER("") USER("") CONTEXT(", namespace: team") CURRENT);
    assert_string_equal(lw_config_namespace(p->config), "team");
}

static void only_the_pod_is_used_where_that_is_asked_for(void **state)
{
    place *p = *state;
    place_write(p, "config", PLAIN);
    place_kubeconfig(p, "config", NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.is_in_cluster = true;
    assert_int_equal(place_try(p, &options), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(p->err.message, "KUBERNETES_SERVICE_HOST"));
    place_pod(p);
    place_load(p, &options);
    assert_string_equal(lw_config_origin(p->config), "in-cluster");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(reads_the_current_context),
        TEST_IN_PLACE(the_namespace_is_default_where_nobody_says_so),
        TEST_IN_PLACE(another_context_can_be_chosen),
        TEST_IN_PLACE(an_unknown_context_is_named_with_those_there_are),
        TEST_IN_PLACE(a_context_whose_cluster_or_user_is_missing_is_refused),
        TEST_IN_PLACE(without_a_current_context_it_says_what_to_choose),
        TEST_IN_PLACE(a_file_that_is_asked_for_must_exist),
        TEST_IN_PLACE(the_file_that_is_asked_for_beats_the_environment),
        TEST_IN_PLACE(without_a_variable_the_file_at_home_counts),
        TEST_IN_PLACE(a_variable_hides_the_file_at_home),
        TEST_IN_PLACE(with_nothing_at_all_it_says_what_to_do),
        TEST_IN_PLACE(a_server_alone_needs_no_kubeconfig),
        TEST_IN_PLACE(another_server_forgets_the_tls_name_of_the_old_one),
        TEST_IN_PLACE(a_ca_of_ones_own_replaces_what_the_cluster_says_about_checking),
        TEST_IN_PLACE(insecure_and_a_ca_contradict_each_other),
        TEST_IN_PLACE(a_token_of_ones_own_replaces_the_users_other_ways),
        TEST_IN_PLACE(a_namespace_of_ones_own_wins),
        TEST_IN_PLACE(a_namespace_that_would_lead_elsewhere_is_refused),
        TEST_IN_PLACE(to_act_as_another_user_is_one_header),
        TEST_IN_PLACE(secrets_are_for_https_only),
        TEST_IN_PLACE(a_host_without_a_scheme_is_https_when_tls_is_configured),
        TEST_IN_PLACE(the_endpoint_tells_what_the_cluster_says),
        TEST_IN_PLACE(a_proxy_that_is_none_is_refused_without_telling_its_password),
        TEST_IN_PLACE(a_reference_keeps_it),
        TEST_IN_PLACE(a_pod_is_used_when_there_is_no_file),
        TEST_IN_PLACE(a_pod_is_used_when_the_files_choose_nothing),
        TEST_IN_PLACE(a_kubeconfig_beats_the_pod_but_the_pod_knows_the_namespace),
        TEST_IN_PLACE(only_the_pod_is_used_where_that_is_asked_for),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
