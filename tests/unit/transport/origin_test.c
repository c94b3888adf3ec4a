/* SPDX-License-Identifier: Apache-2.0 */
/* origin_test.c -- the parts of a server's URL. */
#include "transport/upstream.h"

#include "base/str.h"
#include "unit/test.h"

static lw_origin parsed(const char *url)
{
    lw_origin origin = { 0 };
    lw_error err = LW_ERROR_INIT;
    if (lw_origin_parse(&origin, lw_str_of(url), &err) < 0)
        fail_msg("%s", err.message);
    return origin;
}

static void takes_urls_apart(void **state)
{
    (void)state;
    lw_origin origin = parsed("https://example.com:6443");
    assert_true(origin.is_tls);
    assert_str_equal(origin.host, "example.com");
    assert_str_equal(origin.authority, "example.com:6443");
    assert_int_equal(origin.port, 6443);
    assert_str_equal(origin.path, "");
}

static void knows_the_ports_of_schemes(void **state)
{
    (void)state;
    assert_int_equal(parsed("https://h").port, 443);
    assert_int_equal(parsed("HTTP://h/").port, 80);
    assert_false(parsed("Http://h").is_tls);
}

static void ipv6_addresses_lose_their_brackets(void **state)
{
    (void)state;
    lw_origin origin = parsed("https://[::1]:6443/");
    assert_str_equal(origin.host, "::1");
    assert_str_equal(origin.authority, "[::1]:6443");
    assert_int_equal(origin.port, 6443);
    assert_int_equal(parsed("https://[::1]").port, 443);
}

static void keeps_a_path_without_its_last_slash(void **state)
{
    (void)state;
    assert_str_equal(parsed("https://h/k8s/clusters/c-1/").path, "/k8s/clusters/c-1");
    assert_str_equal(parsed("https://h//").path, "");
}

static void refuses_what_is_no_server(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "h:6443",
        "ftp://h",
        "https://",
        "https://:6443",
        "https://h:",
        "https://h:0",
        "https://h:65536",
        "https://h:1x",
        "https://[::1",
        "https://[]",
        "https://[::1]x",
        "https://u@h",
        "https://h/?q",
        "https://h/#f",
        "https://h h",
        "https://h\r\n",
        "https://h\x7f",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_origin origin;
        lw_error err = LW_ERROR_INIT;
        if (lw_origin_parse(&origin, lw_str_of(wrong[i]), &err) != LW_ERR_INVALID)
            fail_msg("\"%s\" was taken", wrong[i]);
        assert_non_null(strstr(err.message, "https://HOST:PORT"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_urls_apart),
        TEST(knows_the_ports_of_schemes),
        TEST(ipv6_addresses_lose_their_brackets),
        TEST(keeps_a_path_without_its_last_slash),
        TEST(refuses_what_is_no_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
