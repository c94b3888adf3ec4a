/* SPDX-License-Identifier: Apache-2.0 */
/* ip_range_test.c -- IP addresses and ranges as text. */
#include "base/text/ip_range.h"

#include "base/str.h"
#include "unit/test.h"

static void addresses_are_written_in_canonical_form(void **state)
{
    static const char *const cases[][2] = {
        { "10.9.8.7", "10.9.8.7" },
        { "2001:DB8:0:0:0:0:0:1", "2001:db8::1" },
        { "::", "::" },
        { "::ffff:1.2.3.4", "1.2.3.4" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_ip_range ip;
        char text[LW_IP_SIZE];
        assert_true(lw_ip_parse(lw_str_of(cases[i][0]), &ip));
        lw_ip_format(text, &ip);
        assert_string_equal(text, cases[i][1]);
    }
}

static void what_is_no_address_is_refused(void **state)
{
    static const char *const cases[] = { "",          "1.2.3", "01.2.3.4", "1.2.3.4.5",
                                         "1.2.3.4/8", "x",     ":",        "1:2:3:4:5:6:7:8:9" };
    lw_ip_range ip;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (lw_ip_parse(lw_str_of(cases[i]), &ip))
            fail_msg("taken as an address: %s", cases[i]);
    }
}

static void a_range_has_a_prefix_that_fits(void **state)
{
    static const char *const bad[] = { "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
                                       "::/129",   "/8",        "10.0.0.0/08", "10.0.0.0/8/8" };
    lw_ip_range ip;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (lw_ip_range_parse(lw_str_of(bad[i]), &ip))
            fail_msg("taken as a range: %s", bad[i]);
    }
    assert_true(lw_ip_range_parse(LW_STR("10.1.2.3/8"), &ip));
    assert_int_equal(ip.prefix, 8);
    assert_int_equal(ip.family, 4);
}

static void a_mask_clears_what_is_behind_the_prefix(void **state)
{
    lw_ip_range ip;
    char text[LW_IP_SIZE];
    (void)state;
    assert_true(lw_ip_range_parse(LW_STR("10.1.2.3/15"), &ip));
    ip = lw_ip_range_masked(&ip, 15);
    lw_ip_format(text, &ip);
    assert_string_equal(text, "10.0.0.0");
}

static void a_range_contains_its_parts(void **state)
{
    lw_ip_range range, other;
    (void)state;
    assert_true(lw_ip_range_parse(LW_STR("10.1.2.3/15"), &range));
    assert_true(lw_ip_range_parse(LW_STR("10.1.9.0/24"), &other));
    assert_true(lw_ip_range_contains(&range, &other));
    assert_false(lw_ip_range_contains(&other, &range));
    assert_true(lw_ip_parse(LW_STR("10.2.0.0"), &other));
    assert_false(lw_ip_range_contains(&range, &other));
    assert_true(lw_ip_parse(LW_STR("fd00::1"), &other));
    assert_false(lw_ip_range_contains(&range, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_written_in_canonical_form),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(a_range_has_a_prefix_that_fits),
        cmocka_unit_test(a_range_contains_its_parts),
        cmocka_unit_test(a_mask_clears_what_is_behind_the_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
