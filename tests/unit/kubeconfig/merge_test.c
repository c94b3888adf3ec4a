/* SPDX-License-Identifier: Apache-2.0 */
/* merge_test.c -- several kubeconfig files as one: the first wins. */
#include "kubeconfig/file.h"

#include "base/str.h"
#include "unit/kubeconfig/place.h"

static void the_first_file_wins_an_entry_whole(void **state)
{
    place *p = *state;
    place_write(p, "a", "clusters: [{name: c, cluster: {server: 'https://a'}}]\n");
    place_write(p, "b",
                "clusters: [{name: c, cluster: {server: 'https://b', tls-server-name: b}},\n"
                "           {name: d, cluster: {server: 'https://d'}}]\n"
                "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n");
    place_kubeconfig(p, "a", "b");
    place_load(p, NULL);
    assert_string_equal(lw_config_server(p->config), "https://a");
    /* Not one field of the second file's entry. */
    assert_null(lw_config_get_endpoint(p->config)->tls_server_name);
    assert_string_equal(lw_config_origin(p->config), place_path(p, "b"));
}

static void the_first_current_context_wins(void **state)
{
    place *p = *state;
    const char *text = "clusters: [{name: c, cluster: {server: 'https://c'}}]\n"
                       "contexts: [{name: x, context: {cluster: c, namespace: nx}},\n"
                       "           {name: z, context: {cluster: c, namespace: nz}}]\n";
    place_write(p, "a", text);
    place_write(p, "b", "current-context: z\n");
    place_kubeconfig(p, "a", "b");
    place_load(p, NULL);
    assert_string_equal(lw_config_namespace(p->config), "nz");
    place_write(p, "a", "current-context: x\n");
    place_write(p, "b",
                "clusters: [{name: c, cluster: {server: 'https://c'}}]\n"
                "contexts: [{name: x, context: {cluster: c, namespace: nx}},\n"
                "           {name: z, context: {cluster: c, namespace: nz}}]\n"
                "current-context: z\n");
    place_load(p, NULL);
    assert_string_equal(lw_config_namespace(p->config), "nx");
}

static void relative_paths_belong_to_their_own_file(void **state)
{
    place *p = *state;
    place_dir(p, "one");
    place_dir(p, "two");
    place_write(p, "one/ca", PEM("one"));
    place_write(p, "two/token", "two-token");
    place_write(
        p, "one/config",
        "clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: ca}}]\n");
    place_write(p, "two/config",
                "users: [{name: u, user: {tokenFile: ../two/./token}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n");
    place_kubeconfig(p, "one/config", "two/config");
    place_load(p, NULL);
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("one"));
    assert_str_equal(lw_buf_view(&place_get(p)->token), "two-token");
}

static void missing_and_repeated_files_are_passed_over(void **state)
{
    place *p = *state;
    place_write(p, "a", "users: [{name: u}]\n");
    char list[2048];
    (void)snprintf(list, sizeof(list), ":%s/missing::%s/a:%s/a:%s/a/below:", p->root, p->root,
                   p->root, p->root);
    lw_kube_files files = { 0 };
    assert_int_equal(lw_kube_files_read_list(&files, list, &p->err), LW_OK);
    assert_int_equal(files.count, 1);
    assert_non_null(lw_kube_files_find(&files, LW_KUBE_USERS, LW_STR("u")));
    assert_null(lw_kube_files_find(&files, LW_KUBE_USERS, LW_STR("v")));
    lw_kube_files_done(&files);
}

static void a_broken_file_of_the_list_is_named(void **state)
{
    place *p = *state;
    place_write(p, "a", "{}");
    place_write(p, "b", "users: 1");
    place_kubeconfig(p, "a", "b");
    assert_int_equal(place_try(p, NULL), LW_ERR_INVALID);
    assert_non_null(strstr(p->err.message, place_path(p, "b")));
}

static void a_list_without_end_is_refused(void **state)
{
    place *p = *state;
    char list[LW_KUBE_FILES + 2];
    memset(list, ':', sizeof(list) - 1);
    list[sizeof(list) - 1] = '\0';
    lw_kube_files files = { 0 };
    assert_int_equal(lw_kube_files_read_list(&files, list, &p->err), LW_ERR_LIMIT);
    lw_kube_files_done(&files);
}

static void names_are_listed_once_and_as_many_as_fit(void **state)
{
    place *p = *state;
    place_write(p, "a", "users: [{name: anna}, {name: bert}]\n");
    place_write(p, "b", "users: [{name: bert}, {name: carl}]\n");
    char list[2048];
    (void)snprintf(list, sizeof(list), "%s/a:%s/b", p->root, p->root);
    lw_kube_files files = { 0 };
    char names[64];
    lw_kube_files_names(&files, LW_KUBE_USERS, names, sizeof(names));
    assert_string_equal(names, "none");
    assert_int_equal(lw_kube_files_read_list(&files, list, &p->err), LW_OK);
    lw_kube_files_names(&files, LW_KUBE_USERS, names, sizeof(names));
    assert_string_equal(names, "anna, bert, carl");
    lw_kube_files_names(&files, LW_KUBE_USERS, names, 14);
    assert_string_equal(names, "anna, ...");
    lw_kube_files_names(&files, LW_KUBE_USERS, names, 5);
    assert_string_equal(names, "...");
    lw_kube_files_done(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(the_first_file_wins_an_entry_whole),
        TEST_IN_PLACE(the_first_current_context_wins),
        TEST_IN_PLACE(relative_paths_belong_to_their_own_file),
        TEST_IN_PLACE(missing_and_repeated_files_are_passed_over),
        TEST_IN_PLACE(a_broken_file_of_the_list_is_named),
        TEST_IN_PLACE(a_list_without_end_is_refused),
        TEST_IN_PLACE(names_are_listed_once_and_as_many_as_fit),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
