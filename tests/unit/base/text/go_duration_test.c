/* SPDX-License-Identifier: Apache-2.0 */
/* go_duration_test.c -- durations as Go reads them. */
#include "base/text/duration.h"

#include "base/str.h"
#include "unit/test.h"

static void reads_what_go_reads(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        { "0", 0 },
        { "5s", INT64_C(5000000000) },
        { "30s", INT64_C(30000000000) },
        { "1m30s", INT64_C(90000000000) },
        { "1.5h", INT64_C(5400000000000) },
        { "100ms", INT64_C(100000000) },
        { "-2s", INT64_C(-2000000000) },
        { "+5s", INT64_C(5000000000) },
        { ".5s", INT64_C(500000000) },
        { "5.s", INT64_C(5000000000) },
        { "3us", INT64_C(3000) },
        { "3\xc2\xb5s", INT64_C(3000) },
        { "12ns", 12 },
        { "-0", 0 },
        { "1h0m0.000000001s", INT64_C(3600000000001) },
        { "0.9999999999999999999s", 999999999 },
        { "2562047h47m16.854775807s", INT64_MAX },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t ns = -1;
        lw_str unit;
        lw_go_duration_error error = lw_go_duration_parse(lw_str_of(rows[i].text), &ns, &unit);
        if (error != LW_GO_DURATION_OK || ns != rows[i].ns)
            fail_msg("%s: error %d, %lld", rows[i].text, error, (long long)ns);
    }
}

static void tells_what_is_wrong_and_leaves_the_result_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lw_go_duration_error error;
        const char *unit;
    } rows[] = {
        { "", LW_GO_DURATION_INVALID, "" },
        { "-", LW_GO_DURATION_INVALID, "" },
        { ".s", LW_GO_DURATION_INVALID, "" },
        { "s", LW_GO_DURATION_INVALID, "" },
        { "99999999999999999999ns", LW_GO_DURATION_INVALID, "" },
        { "99999999999999h", LW_GO_DURATION_INVALID, "" },
        { "2562047h47m16.854775808s", LW_GO_DURATION_INVALID, "" },
        { "3", LW_GO_DURATION_NO_UNIT, "" },
        { "1m3", LW_GO_DURATION_NO_UNIT, "" },
        { "1.2.3s", LW_GO_DURATION_NO_UNIT, "" },
        { "5x", LW_GO_DURATION_UNKNOWN_UNIT, "x" },
        { "1m5 s", LW_GO_DURATION_UNKNOWN_UNIT, " s" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t ns = 7;
        lw_str unit = LW_STR("");
        assert_int_equal(lw_go_duration_parse(lw_str_of(rows[i].text), &ns, &unit), rows[i].error);
        assert_int_equal(ns, 7);
        assert_str_equal(unit, rows[i].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_go_reads),
        TEST(tells_what_is_wrong_and_leaves_the_result_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
