/* SPDX-License-Identifier: Apache-2.0 */
/* endpoints_test.c -- how endpoints are written, and what is said of those that are wrong. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "etcd/client.h"
#include "etcd/endpoints.h"
#include "unit/test.h"

/* "host|port ..." and "tls", or the error. */
static void expect(const char *text, const char *expected)
{
    lw_etcd_endpoints endpoints;
    lw_error err = LW_ERROR_INIT;
    lw_buf out;
    lw_buf_init(&out, 4096);
    lw_status st = lw_etcd_endpoints_parse(&endpoints, lw_str_of(text), &err);
    if (st == LW_OK) {
        for (size_t i = 0; i < endpoints.count; i++)
            lw_buf_printf(&out, "%s|%u ", endpoints.items[i].host, endpoints.items[i].port);
        lw_buf_append_text(&out, endpoints.is_tls ? "tls" : "plain");
        lw_etcd_endpoints_done(&endpoints);
    } else {
        assert_int_equal(st, LW_ERR_INVALID);
        lw_buf_append_text(&out, err.message);
    }
    assert_str_equal(lw_buf_view(&out), expected);
    lw_buf_done(&out);
}

static void lists_of_endpoints_are_read(void **state)
{
    (void)state;
    expect("http://10.0.0.1:2379", "10.0.0.1|2379 plain");
    expect("http://a:1,http://b:2, http://c:3 ,", "a|1 b|2 c|3 plain");
    expect("https://etcd-0.etcd:12379/,https://[::1]:2380", "etcd-0.etcd|12379 ::1|2380 tls");
    expect("localhost", "localhost|2379 plain");
    expect("localhost:99", "localhost|99 plain");
    expect("https://[fe80::1%eth0]", "fe80::1%eth0|2379 tls");
}

static void wrong_ones_are_named(void **state)
{
    static const char *const wrong[] = {
        "http://",      "http://a:0",  "http://a:65536", "http://a:x", "ftp://a", "http://a/path",
        "http://u@a:1", "http://[::1", "http://[::1]x",  "http://a b", "::1",     "http://a:",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char expected[256];
        (void)snprintf(expected, sizeof(expected),
                       "\"%s\" is not an etcd endpoint: use http://HOST:PORT or https://HOST:PORT",
                       wrong[i]);
        expect(wrong[i], expected);
    }
    expect("http://a:1,https://b:1",
           "\"https://b:1\": some etcd endpoints use http and some https: use one scheme for all");
    expect("", "no etcd endpoint given: use http://HOST:PORT");
    expect(" , ", "no etcd endpoint given: use http://HOST:PORT");
}

static void more_than_a_client_takes_are_refused(void **state)
{
    lw_buf text;
    (void)state;
    lw_buf_init(&text, 4096);
    for (int i = 0; i <= LW_ETCD_ENDPOINTS_MAX; i++)
        lw_buf_printf(&text, "http://m%d:1,", i);
    char *list = lw_buf_take_text(&text);
    assert_non_null(list);
    expect(list, "too many etcd endpoints; the limit is 32");
    lw_free(list);
}

static void expect_refused(const lw_etcd_options *options, const char *word)
{
    lw_error err = LW_ERROR_INIT;
    lw_loop *loop = NULL;
    lw_etcd *etcd = NULL;
    assert_int_equal(lw_loop_new(&loop, NULL, &err), LW_OK);
    assert_int_equal(lw_etcd_new(&etcd, loop, options, &err), LW_ERR_INVALID);
    if (!strstr(err.message, word))
        fail_msg("%s", err.message);
    lw_loop_free(loop);
}

static void options_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    expect_refused(&(lw_etcd_options){ .endpoints = "http://a", .ca_file = "/ca" }, "https://");
    expect_refused(&(lw_etcd_options){ .endpoints = "https://a", .cert_file = "/c" }, "both");
    expect_refused(&(lw_etcd_options){ .endpoints = "http://a", .user = "u" }, "password");
    expect_refused(&(lw_etcd_options){ .endpoints = NULL }, "no etcd endpoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_of_endpoints_are_read),
        TEST(wrong_ones_are_named),
        TEST(more_than_a_client_takes_are_refused),
        TEST(options_that_do_not_go_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
