/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint_test.c -- where a server listens, as text. */
#include "net/endpoint.h"

#include "base/str.h"
#include "unit/test.h"

static lw_endpoint parsed(const char *text)
{
    lw_endpoint address;
    lw_error err = LW_ERROR_INIT;
    if (lw_endpoint_parse(&address, lw_str_of(text), &err) < 0)
        fail_msg("%s: %s", text, err.message);
    return address;
}

static void assert_refused(const char *text)
{
    lw_endpoint address;
    lw_error err = LW_ERROR_INIT;
    if (lw_endpoint_parse(&address, lw_str_of(text), &err) != LW_ERR_INVALID)
        fail_msg("\"%s\" is taken for an address", text);
    assert_non_null(strstr(err.message, "127.0.0.1:6443")); /* what it should look like */
}

static void assert_written(const char *text, const char *again, const char *url)
{
    lw_endpoint address = parsed(text);
    lw_buf out;
    lw_buf_init(&out, 256);
    lw_endpoint_write(&address, &out);
    assert_str_equal(lw_buf_view(&out), again);
    lw_buf_reset(&out);
    lw_endpoint_write_url(&address, "https", &out);
    assert_str_equal(lw_buf_view(&out), url);
    lw_buf_done(&out);
}

static void an_address_is_written_as_it_was_read(void **state)
{
    (void)state;
    assert_written("127.0.0.1:6443", "127.0.0.1:6443", "https://127.0.0.1:6443");
    assert_written("[::1]:0", "[::1]:0", "https://[::1]:0");
    assert_written("localhost:80", "127.0.0.1:80", "https://127.0.0.1:80");
    assert_written("10.1.2.3:65535", "10.1.2.3:65535", "https://10.1.2.3:65535");
}

static void all_addresses_are_called_by_the_loopback(void **state)
{
    (void)state;
    assert_written("0.0.0.0:6443", "0.0.0.0:6443", "https://127.0.0.1:6443");
    assert_written("[::]:6443", "[::]:6443", "https://[::1]:6443");
    assert_true(parsed("0.0.0.0:1").is_any);
    assert_true(parsed("[::]:1").is_any);
    assert_false(parsed("127.0.0.1:1").is_any);
}

static void knows_the_loopback(void **state)
{
    (void)state;
    assert_true(parsed("127.0.0.1:1").is_loopback);
    assert_true(parsed("127.9.8.7:1").is_loopback);
    assert_true(parsed("[::1]:1").is_loopback);
    assert_true(parsed("[::ffff:127.0.0.1]:1").is_loopback);
    assert_true(parsed("LocalHost:1").is_loopback);
    assert_false(parsed("0.0.0.0:1").is_loopback);
    assert_false(parsed("[::]:1").is_loopback);
    assert_false(parsed("10.0.0.1:1").is_loopback);
    assert_false(parsed("[::ffff:10.0.0.1]:1").is_loopback);
    assert_false(parsed("[fe80::1]:1").is_loopback);
}

static void refuses_what_is_no_address(void **state)
{
    (void)state;
    assert_refused("");
    assert_refused("127.0.0.1");
    assert_refused("127.0.0.1:");
    assert_refused("127.0.0.1:65536");
    assert_refused("127.0.0.1:-1");
    assert_refused("127.0.0.1:80x");
    assert_refused(":80");
    assert_refused("::1:80");
    assert_refused("[::1]80");
    assert_refused("[::1");
    assert_refused("example.com:80");
    assert_refused("256.0.0.1:80");
    assert_refused("[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001]:80");
}

static void finds_the_host_of_an_authority(void **state)
{
    (void)state;
    lw_str host;
    assert_true(lw_endpoint_host_of(LW_STR("example.com"), &host));
    assert_str_equal(host, "example.com");
    assert_true(lw_endpoint_host_of(LW_STR("example.com:8080"), &host));
    assert_str_equal(host, "example.com");
    assert_true(lw_endpoint_host_of(LW_STR("[::1]:8080"), &host));
    assert_str_equal(host, "::1");
    assert_true(lw_endpoint_host_of(LW_STR("[::1]"), &host));
    assert_str_equal(host, "::1");
    assert_false(lw_endpoint_host_of(LW_STR(""), &host));
    assert_false(lw_endpoint_host_of(LW_STR(":80"), &host));
    assert_false(lw_endpoint_host_of(LW_STR("::1"), &host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_is_written_as_it_was_read),
        TEST(all_addresses_are_called_by_the_loopback),
        TEST(knows_the_loopback),
        TEST(refuses_what_is_no_address),
        TEST(finds_the_host_of_an_authority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
