/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_test.c -- endpoints are validated and converted for curl. */
#include "transport/upstream.h"

#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

#define CERT "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
#define KEY  "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

static lw_upstream made(lw_transport_endpoint from)
{
    lw_upstream upstream = { 0 };
    lw_error err = LW_ERROR_INIT;
    if (lw_upstream_init(&upstream, &from, &err) < 0)
        fail_msg("%s", err.message);
    return upstream;
}

static void expect_refused(lw_transport_endpoint from, const char *words)
{
    lw_upstream upstream;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_upstream_init(&upstream, &from, &err), LW_ERR_INVALID);
    if (!strstr(err.message, words))
        fail_msg("%s", err.message);
}

static void keeps_the_servers_address_and_path(void **state)
{
    (void)state;
    lw_upstream upstream = made((lw_transport_endpoint){ .server = "https://h:6443/c/1/" });
    assert_string_equal(upstream.base_url, "https://h:6443/c/1");
    assert_string_equal(upstream.server, "https://h:6443/c/1/");
    assert_null(upstream.host_header);
    assert_null(upstream.connect_to);
    assert_null(upstream.proxy_url);
    lw_upstream_done(&upstream);
}

static void another_tls_name_goes_into_the_url(void **state)
{
    (void)state;
    lw_upstream upstream = made((lw_transport_endpoint){ .server = "https://[::1]:6443/c",
                                                         .tls_server_name = "api.local" });
    assert_string_equal(upstream.base_url, "https://api.local:6443/c");
    assert_string_equal(upstream.host_header, "Host: [::1]:6443");
    assert_string_equal(upstream.connect_to, "api.local:6443:[::1]:6443");
    lw_upstream_done(&upstream);
}

static void the_same_tls_name_changes_nothing(void **state)
{
    (void)state;
    lw_upstream upstream =
        made((lw_transport_endpoint){ .server = "https://h", .tls_server_name = "h" });
    assert_null(upstream.connect_to);
    lw_upstream_done(&upstream);
    upstream = made((lw_transport_endpoint){ .server = "http://h", .tls_server_name = "x" });
    assert_null(upstream.connect_to);
    lw_upstream_done(&upstream);
}

static void socks_proxies_look_names_up(void **state)
{
    (void)state;
    lw_upstream upstream =
        made((lw_transport_endpoint){ .server = "https://h", .proxy_url = "socks5://p:1080" });
    assert_string_equal(upstream.proxy_url, "socks5h://p:1080");
    lw_upstream_done(&upstream);
    upstream = made((lw_transport_endpoint){ .server = "https://h", .proxy_url = "http://p:1" });
    assert_string_equal(upstream.proxy_url, "http://p:1");
    lw_upstream_done(&upstream);
}

static void refuses_what_cannot_be_used(void **state)
{
    (void)state;
    lw_str cert = LW_STR(CERT), key = LW_STR(KEY);
    expect_refused((lw_transport_endpoint){ .server = "h" }, "is not a URL");
    expect_refused((lw_transport_endpoint){ .server = NULL }, "is not a URL");
    expect_refused((lw_transport_endpoint){ .server = "https://h", .tls_server_name = "a b" },
                   "tls-server-name");
    expect_refused((lw_transport_endpoint){ .server = "https://h", .proxy_url = "ftp://p" },
                   "proxy \"ftp://p\"");
    expect_refused((lw_transport_endpoint){ .server = "https://h", .ca_pem = key },
                   "the certificate authority");
    expect_refused((lw_transport_endpoint){ .server = "https://h", .cert_pem = cert },
                   "a client certificate is configured without its key");
    expect_refused((lw_transport_endpoint){ .server = "https://h", .key_pem = key },
                   "a client key is configured without its certificate");
    expect_refused((lw_transport_endpoint){ .server = "https://h",
                                            .cert_pem = cert,
                                            .key_pem = cert },
                   "the client key contains no PEM private key");
}

static void certificates_mean_nothing_to_plain_http(void **state)
{
    (void)state;
    lw_upstream upstream =
        made((lw_transport_endpoint){ .server = "http://h", .ca_pem = LW_STR("nonsense") });
    assert_int_equal(upstream.ca_pem.len, 0);
    lw_upstream_done(&upstream);
}

static void a_copy_is_the_same_endpoint(void **state)
{
    (void)state;
    lw_upstream copy, upstream = made((lw_transport_endpoint){ .server = "https://h",
                                                               .tls_server_name = "name",
                                                               .proxy_url = "socks5://p:1080",
                                                               .ca_pem = LW_STR(CERT),
                                                               .cert_pem = LW_STR(CERT),
                                                               .key_pem = LW_STR(KEY),
                                                               .is_insecure = true });
    assert_int_equal(lw_upstream_copy(&copy, &upstream), LW_OK);
    assert_true(lw_upstream_is_same(&copy, &upstream));
    assert_string_equal(copy.server, upstream.server);
    assert_true(copy.is_tls);
    lw_upstream_done(&upstream);
    lw_upstream_done(&copy);
}

static void a_rotated_certificate_is_another_endpoint(void **state)
{
    (void)state;
    lw_transport_endpoint from = { .server = "https://h",
                                   .cert_pem = LW_STR(CERT),
                                   .key_pem = LW_STR(KEY) };
    lw_upstream a = made(from), b = made(from);
    assert_true(lw_upstream_is_same(&a, &b));
    lw_upstream_done(&b);
    from.cert_pem = LW_STR("\n" CERT);
    b = made(from);
    assert_false(lw_upstream_is_same(&a, &b));
    lw_upstream_done(&b);
    lw_upstream_done(&a);
}

static void running_out_of_memory_is_answered(void **state)
{
    (void)state;
    lw_transport_endpoint from = { .server = "https://h",
                                   .tls_server_name = "x",
                                   .proxy_url = "http://p",
                                   .ca_pem = LW_STR(CERT),
                                   .cert_pem = LW_STR(CERT),
                                   .key_pem = LW_STR(KEY) };
    lw_status st = LW_ERR_NOMEM;
    size_t allowed = 0;
    for (; st < 0; allowed++) {
        failing_alloc f;
        lw_upstream upstream;
        failing_alloc_begin(&f, allowed);
        st = lw_upstream_init(&upstream, &from, NULL);
        assert_true(st == LW_OK || st == LW_ERR_NOMEM);
        if (st == LW_OK)
            lw_upstream_done(&upstream);
        failing_alloc_end();
        assert_int_equal(f.live, 0);
    }
    assert_true(allowed > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_servers_address_and_path), TEST(another_tls_name_goes_into_the_url),
        TEST(the_same_tls_name_changes_nothing),  TEST(socks_proxies_look_names_up),
        TEST(refuses_what_cannot_be_used),        TEST(certificates_mean_nothing_to_plain_http),
        TEST(a_copy_is_the_same_endpoint),        TEST(a_rotated_certificate_is_another_endpoint),
        TEST(running_out_of_memory_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
