/* SPDX-License-Identifier: Apache-2.0 */
/* retry_after_test.c -- parses the Retry-After header. */
#include "transport/reply_head.h"

#include "base/clock.h"
#include "unit/test.h"

/* Sun, 06 Nov 1994 08:49:37 GMT */
#define THEN_NS (INT64_C(784111777) * LW_NS_PER_S)

static int after(const char *value)
{
    return lw_retry_after_s(lw_str_of(value), THEN_NS);
}

static void reads_seconds(void **state)
{
    (void)state;
    assert_int_equal(after("7"), 7);
    assert_int_equal(after(" 120 "), 120);
    assert_int_equal(after("0"), 0);
}

/* client-go takes numbers only; RFC 9110 has dates as well. */
static void reads_dates(void **state)
{
    (void)state;
    assert_int_equal(after("Sun, 06 Nov 1994 08:49:47 GMT"), 10);
    assert_int_equal(after("Mon, 07 Nov 1994 08:49:36 GMT"), 24 * 3600 - 1);
    assert_int_equal(after("Sun, 06 Nov 1994 08:49:30 GMT"), 0);
}

static void nobody_asks_for_more_than_a_day(void **state)
{
    (void)state;
    assert_int_equal(after("100000000"), LW_RETRY_AFTER_MAX_S);
    assert_int_equal(after("Wed, 06 Nov 2094 08:49:47 GMT"), LW_RETRY_AFTER_MAX_S);
}

static void nonsense_is_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "-1",
        "1.5",
        "soon",
        "99999999999999999999999",
        "Sun, 06 Nov 1994 08:49:47 CET",
        "Sun, 06 Nix 1994 08:49:47 GMT",
        "Sun, 36 Nov 1994 08:49:47 GMT",
        "Sun, 06 Nov 1994 28:49:47 GMT",
        "Sun,106 Nov 1994 08:49:47 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (after(wrong[i]) != 0)
            fail_msg("\"%s\" is %d", wrong[i], after(wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_seconds),
        TEST(reads_dates),
        TEST(nobody_asks_for_more_than_a_day),
        TEST(nonsense_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
