/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp_test.c -- moments as text and back. */
#include "control/runtime/timestamp.h"

#include "unit/test.h"

static void writes_seconds_and_microseconds(void **state)
{
    (void)state;
    char text[LW_TIMESTAMP_SIZE];
    lw_timestamp_format(text, 1763258400 * LW_SECOND_NS + 999999999);
    assert_string_equal(text, "2025-11-16T02:00:00Z");
    lw_timestamp_format_micro(text, 1763258400 * LW_SECOND_NS + 1234567);
    assert_string_equal(text, "2025-11-16T02:00:00.001234Z");
    lw_timestamp_format_micro(text, -1000);
    assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
}

static void reads_what_it_writes(void **state)
{
    (void)state;
    int64_t ns = 0;
    assert_true(lw_timestamp_parse("2025-11-16T02:00:00Z", &ns));
    assert_int_equal(ns, 1763258400 * LW_SECOND_NS);
    assert_true(lw_timestamp_parse("2025-11-16T02:00:00.001234Z", &ns));
    assert_int_equal(ns, 1763258400 * LW_SECOND_NS + 1234000);
    assert_true(lw_timestamp_parse("1969-12-31T23:59:59.5Z", &ns));
    assert_int_equal(ns, -LW_SECOND_NS / 2);
}

static void refuses_what_is_no_moment(void **state)
{
    (void)state;
    static const char *const cases[] = { "",
                                         "2025-11-16",
                                         "2025-11-16T02:00:00",
                                         "x",
                                         "2025-11-16T02:00:00+01:00",
                                         "2025-11-16T02:00:00Zx",
                                         "0001-01-01T00:00:00Z" };
    int64_t ns = 7;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_false(lw_timestamp_parse(cases[i], &ns));
    assert_false(lw_timestamp_parse(NULL, &ns));
    assert_int_equal(ns, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_seconds_and_microseconds),
        TEST(reads_what_it_writes),
        TEST(refuses_what_is_no_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
