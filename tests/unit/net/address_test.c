/* SPDX-License-Identifier: Apache-2.0 */
/* address_test.c -- socket addresses and their text. */
#include "net/address.h"

#include "unit/test.h"

static void an_address_and_its_text_are_the_same(void **state)
{
    (void)state;
    static const char *const good[] = { "127.0.0.1:6443", "0.0.0.0:0", "[::1]:65535", "[::]:80",
                                        "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535" };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        lw_address address;
        char text[LW_ADDRESS_SIZE];
        assert_int_equal(lw_address_parse(&address, lw_str_of(good[i]), NULL), LW_OK);
        assert_str_equal(lw_address_format(&address, text), good[i]);
    }
}

static void refuses_what_is_no_address_and_port(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "127.0.0.1",
        "127.0.0.1:",
        ":80",
        "localhost:80",
        "1.2.3:80",
        "127.0.0.1:x",
        "127.0.0.1:-1",
        "[]:80",
        "127.0.0.1:65536",
        "::1:80",
        "[::1]",
        "[127.0.0.1]:80",
        "[::1:80",
        "[::1]80",
        "127.1:80",
        "[::1]:80 ",
        "127.0.0.1 :80",
        "[::1]::80",
        "[1111111111111111111111111111111111111111111111111111111111111111]:1",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_address address;
        lw_error err = LW_ERROR_INIT;
        if (lw_address_parse(&address, lw_str_of(bad[i]), &err) != LW_ERR_INVALID) {
            print_error("taken: \"%s\"\n", bad[i]);
            fail();
        }
        assert_int_equal(err.code, LW_ERR_INVALID);
    }
}

static void knows_its_port(void **state)
{
    (void)state;
    lw_address address;
    assert_int_equal(lw_address_parse(&address, lw_str_of("[::1]:6443"), NULL), LW_OK);
    assert_int_equal(lw_address_port(&address), 6443);
    assert_int_equal(lw_address_parse(&address, lw_str_of("127.0.0.1:1"), NULL), LW_OK);
    assert_int_equal(lw_address_port(&address), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_and_its_text_are_the_same),
        TEST(refuses_what_is_no_address_and_port),
        TEST(knows_its_port),
    };
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
