/* SPDX-License-Identifier: Apache-2.0 */
/* service_ranges_test.c -- the ranges of cluster IPs and node ports. */
#include "api/context/service_ranges.h"
#include "unit/test.h"

static void ranges_are_parsed(void **state)
{
    lw_service_ranges ranges;
    (void)state;
    assert_int_equal(lw_service_ranges_parse(&ranges, "10.0.0.7/24", "30000+100", NULL), LW_OK);
    assert_string_equal(ranges.ip_text, "10.0.0.0/24");
    assert_int_equal(ranges.ip_first, 10u << 24);
    assert_string_equal(ranges.port_text, "30000-30100");
    assert_int_equal(lw_service_ranges_parse(&ranges, "fd00::/112,10.1.0.0/16", "80-80", NULL),
                     LW_OK);
    assert_string_equal(ranges.ip_text, "10.1.0.0/16");
    assert_int_equal(ranges.port_max, 80);
}

static void defaults_are_used_for_what_is_not_given(void **state)
{
    lw_service_ranges ranges;
    (void)state;
    assert_int_equal(lw_service_ranges_parse(&ranges, NULL, NULL, NULL), LW_OK);
    assert_string_equal(ranges.ip_text, "10.96.0.0/16");
    assert_string_equal(ranges.port_text, "30000-32767");
    assert_int_equal(ranges.ip_first, 0x0a600000);
}

static void invalid_ranges_are_refused(void **state)
{
    static const char *const ips[] = { "",          "10.0.0.0",      "10.0.0.0/11", "10.0.0.0/30",
                                       "10.0.0/24", "10.0.0.256/24", "10.0.0.0/2x", "fd00::/112",
                                       "," };
    static const char *const ports[] = { "",
                                         "30000",
                                         "0-100",
                                         "200-100",
                                         "1-65536",
                                         "65535+1",
                                         "a-b",
                                         "1+99999999999999999999",
                                         "18446744073709551615+1" };
    lw_service_ranges ranges;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    for (size_t i = 0; i < sizeof(ips) / sizeof(ips[0]); i++) {
        assert_int_equal(lw_service_ranges_parse(&ranges, ips[i], NULL, &err), LW_ERR_INVALID);
        assert_non_null(strstr(err.message, "10.96.0.0/16"));
    }
    for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
        assert_int_equal(lw_service_ranges_parse(&ranges, NULL, ports[i], NULL), LW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ranges_are_parsed),
        TEST(defaults_are_used_for_what_is_not_given),
        TEST(invalid_ranges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
