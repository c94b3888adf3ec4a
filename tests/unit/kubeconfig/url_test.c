/* SPDX-License-Identifier: Apache-2.0 */
/* url_test.c -- addresses of servers and proxies. */
#include "base/alloc.h"
#include "kubeconfig/cluster.h"
#include "unit/test.h"

static void servers_lose_their_last_slash(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_tls;
        const char *url;
    } cases[] = {
        { "https://host:6443", false, "https://host:6443" },
        { "https://host:6443/", false, "https://host:6443" },
        { "https://host/k8s/clusters/c-1//", false, "https://host/k8s/clusters/c-1" },
        { "http://localhost:8080", true, "http://localhost:8080" },
        { "https://[::1]:6443", false, "https://[::1]:6443" },
        { "https://[fd00::1]", false, "https://[fd00::1]" },
        { "host:6443", true, "https://host:6443" },
        { "host", false, "http://host" },
        { "host/a", false, "http://host/a" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *url = NULL;
        assert_int_equal(lw_server_url_read(cases[i].text, cases[i].is_tls, "f", &url, NULL),
                         LW_OK);
        assert_string_equal(url, cases[i].url);
        lw_free(url);
    }
}

static void what_is_no_server_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "https://",
        "ftp://host",
        "https://user@host",
        "https://host:0",
        "https://:1",
        "https://host:",
        "https://host:x",
        "https://host:70000",
        "https://host?a=b",
        "https://a b",
        "https://host/#x",
        "https://ho\nst",
        "https://[::1",
        "https://[]:1",
        "HTTPS://host",
        "https://h\xc3\xb6st",
        "unix:///run/x",
        "https://[::1]x",
        "https://a{b}",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *url = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_server_url_read(bad[i], true, "the file", &url, &err) != LW_ERR_INVALID)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_null(url);
        assert_non_null(strstr(err.message, "the file: server"));
    }
}

static void proxies_are_http_https_and_socks5(void **state)
{
    (void)state;
    static const char *const good[] = {
        "http://proxy:3128",           "https://proxy", "socks5://p:1080", "socks5h://p:1080",
        "http://me:secret@proxy:3128", "http://proxy/"
    };
    static const char *const bad[] = { "proxy:3128", "ftp://proxy", "http://", "http://a b",
                                       "http://me@", "http://p:x",  "" };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(lw_proxy_url_check(good[i], "f", NULL), LW_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(lw_proxy_url_check(bad[i], "f", NULL), LW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(servers_lose_their_last_slash),
        TEST(what_is_no_server_is_refused),
        TEST(proxies_are_http_https_and_socks5),
    };
    return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
