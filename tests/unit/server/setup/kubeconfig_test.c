/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig_test.c -- how kubectl finds the server, and gets in. */
#include "server/setup/kubeconfig.h"

#include "base/str.h"
#include "unit/server/scratch_folder.h"

static void assert_written(const lw_kubeconfig *config, const char *text)
{
    lw_buf out;
    lw_buf_init(&out, LW_KUBECONFIG_MAX);
    lw_kubeconfig_write(config, &out);
    assert_int_equal(out.st, LW_OK);
    assert_str_equal(lw_buf_view(&out), text);
    lw_buf_done(&out);
}

static void has_the_server_the_trust_and_the_token(void **state)
{
    (void)state;
    const lw_kubeconfig config = { LW_STR("https://127.0.0.1:6443"), LW_STR("PEM\n"),
                                   LW_STR("secret") };
    assert_written(&config, "apiVersion: v1\n"
                            "kind: Config\n"
                            "clusters:\n"
                            "- name: listwatch\n"
                            "  cluster:\n"
                            "    server: \"https://127.0.0.1:6443\"\n"
                            "    certificate-authority-data: UEVNCg==\n"
                            "users:\n"
                            "- name: admin\n"
                            "  user:\n"
                            "    token: \"secret\"\n"
                            "contexts:\n"
                            "- name: listwatch\n"
                            "  context:\n"
                            "    cluster: listwatch\n"
                            "    user: admin\n"
                            "    namespace: default\n"
                            "current-context: listwatch\n");
}

static void plain_http_needs_neither(void **state)
{
    (void)state;
    const lw_kubeconfig config = { .url = LW_STR("http://[::1]:8080") };
    assert_written(&config, "apiVersion: v1\n"
                            "kind: Config\n"
                            "clusters:\n"
                            "- name: listwatch\n"
                            "  cluster:\n"
                            "    server: \"http://[::1]:8080\"\n"
                            "users:\n"
                            "- name: admin\n"
                            "  user: {}\n"
                            "contexts:\n"
                            "- name: listwatch\n"
                            "  context:\n"
                            "    cluster: listwatch\n"
                            "    user: admin\n"
                            "    namespace: default\n"
                            "current-context: listwatch\n");
}

static void a_token_of_odd_letters_is_still_a_string(void **state)
{
    (void)state;
    const lw_kubeconfig config = { .url = LW_STR("http://a"), .token = LW_STR("a\"b\\c: #\t") };
    lw_buf out;
    lw_buf_init(&out, LW_KUBECONFIG_MAX);
    lw_kubeconfig_write(&config, &out);
    lw_str text = lw_buf_view(&out);
    const char *token = memmem(text.ptr, text.len, "token: ", 7);
    assert_non_null(token);
    assert_memory_equal(token, "token: \"a\\\"b\\\\c: #\\x09\"\n", 24);
    lw_buf_done(&out);
}

static void a_file_that_says_the_same_is_left_alone(void **state)
{
    (void)state;
    scratch s;
    struct stat before, after;
    lw_error err = LW_ERROR_INIT;
    lw_kubeconfig config = { .url = LW_STR("http://127.0.0.1:1") };
    scratch_begin(&s);
    assert_int_equal(lw_kubeconfig_save(&config, scratch_path(&s, "kc"), &err), LW_OK);
    assert_int_equal(scratch_mode(&s, "kc"), 0600);
    assert_int_equal(stat(scratch_path(&s, "kc"), &before), 0);
    assert_int_equal(lw_kubeconfig_save(&config, scratch_path(&s, "kc"), &err), LW_OK);
    assert_int_equal(stat(scratch_path(&s, "kc"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    config.url = LW_STR("http://127.0.0.1:2");
    assert_int_equal(lw_kubeconfig_save(&config, scratch_path(&s, "kc"), &err), LW_OK);
    assert_int_equal(stat(scratch_path(&s, "kc"), &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    /* One that others can read is replaced by one that they cannot. */
    assert_int_equal(chmod(scratch_path(&s, "kc"), 0644), 0);
    assert_int_equal(lw_kubeconfig_save(&config, scratch_path(&s, "kc"), &err), LW_OK);
    assert_int_equal(scratch_mode(&s, "kc"), 0600);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_the_server_the_trust_and_the_token),
        TEST(plain_http_needs_neither),
        TEST(a_token_of_odd_letters_is_still_a_string),
        TEST(a_file_that_says_the_same_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
