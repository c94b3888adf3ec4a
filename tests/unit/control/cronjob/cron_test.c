/* SPDX-License-Identifier: Apache-2.0 */
/* cron_test.c -- schedules and their moments. */
#include "control/cronjob/cron.h"

#include "unit/control/zone_file.h"

static int64_t seconds(const char *moment)
{
    int64_t ns = 0;
    assert_true(lw_time_parse_ns(lw_str_of(moment), &ns));
    return ns / LW_NS_PER_S;
}

static lw_cron cron_of(const char *text)
{
    lw_cron cron;
    lw_error err = LW_ERROR_INIT;
    if (lw_cron_parse(&cron, lw_str_of(text), &err) < 0)
        fail_msg("%s: %s", text, err.message);
    return cron;
}

static void assert_next(const char *text, const lw_zone *zone, const char *after, const char *next)
{
    char found[LW_TIME_TEXT_SIZE];
    lw_cron cron = cron_of(text);
    lw_time_format_ns(found, lw_cron_next(&cron, zone, seconds(after)) * LW_NS_PER_S);
    if (strcmp(found, next) != 0)
        fail_msg("%s after %s: %s, not %s", text, after, found, next);
}

static void the_next_moment_is_found(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "* * * * *", "2026-11-17T00:00:00Z", "2026-11-17T00:01:00Z" },
        { "* * * * *", "2026-11-17T00:00:59Z", "2026-11-17T00:01:00Z" },
        { "*/15 * * * *", "2026-11-17T00:15:00Z", "2026-11-17T00:30:00Z" },
        { "5/20 * * * *", "2026-11-17T00:06:00Z", "2026-11-17T00:25:00Z" },
        { "0 9-17/4 * * *", "2026-11-17T09:00:00Z", "2026-11-17T13:00:00Z" },
        { "30 4 1,15 * *", "2026-11-17T00:00:00Z", "2026-12-01T04:30:00Z" },
        { "30 4 1,15 * 5", "2026-11-17T00:00:00Z", "2026-11-20T04:30:00Z" }, /* either */
        { "30 4 */2 * 5", "2026-11-17T00:00:00Z", "2026-11-17T04:30:00Z" },  /* either */
        { "0 0 * * MON-FRI", "2026-11-20T00:00:00Z", "2026-11-23T00:00:00Z" },
        { "0 0 ? * sun", "2026-11-17T00:00:00Z", "2026-11-22T00:00:00Z" },
        { "0 0 1 JAN,jul *", "2026-11-17T00:00:00Z", "2027-01-01T00:00:00Z" },
        { "0 0 29 2 *", "2026-11-17T00:00:00Z", "2028-02-29T00:00:00Z" },
        { "  0   0  *  *  *  ", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z" },
        { "@hourly", "2026-11-17T00:00:00Z", "2026-11-17T01:00:00Z" },
        { "@daily", "2026-11-17T00:00:00Z", "2026-11-18T00:00:00Z" },
        { "@weekly", "2026-11-17T00:00:00Z", "2026-11-22T00:00:00Z" },
        { "@monthly", "2026-11-17T00:00:00Z", "2026-12-01T00:00:00Z" },
        { "@yearly", "2026-11-17T00:00:00Z", "2027-01-01T00:00:00Z" },
        { "@every 1h30m5s", "2026-11-17T00:00:00Z", "2026-11-17T01:30:05Z" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_next(cases[i][0], NULL, cases[i][1], cases[i][2]);
}

static void moments_are_those_of_the_zone(void **state)
{
    (void)state;
    lw_zone *zone = berlin();
    assert_next("0 12 * * *", zone, "2026-07-01T00:00:00Z", "2026-07-01T10:00:00Z");
    assert_next("0 12 * * *", zone, "2026-12-01T00:00:00Z", "2026-12-01T11:00:00Z");
    /* The hour that is left out has none, the one that comes twice has two. */
    assert_next("30 2 * * *", zone, "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z");
    assert_next("30 2 * * *", zone, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z");
    assert_next("30 2 * * *", zone, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z");
    assert_next("0 0 1 * *", zone, "2026-03-15T00:00:00Z", "2026-03-31T22:00:00Z");
    assert_next("0 0 1 11 *", zone, "2026-03-15T00:00:00Z", "2026-10-31T23:00:00Z");
    lw_zone_free(zone);
}

static void what_never_comes_is_told_apart(void **state)
{
    (void)state;
    lw_cron cron = cron_of("0 0 30 2 *");
    assert_int_equal(lw_cron_next(&cron, NULL, seconds("2026-11-17T00:00:00Z")), -1);
}

static void what_is_no_schedule_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",          "*",           "* * * *",     "* * * * * *",      "60 * * * *",  "* 24 * * *",
        "* * 0 * *", "* * 32 * *",  "* * * 13 *",  "* * * * 7",        "*/0 * * * *", "5-1 * * * *",
        "a * * * *", "* * * foo *", "1,, * * * *", "@never",           "@every",      "@every 1x",
        "@every 0s", "-1 * * * *",  "1- * * * *",  "TZ=UTC * * * * *", "* * * an- *",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_cron cron;
        if (lw_cron_parse(&cron, lw_str_of(wrong[i]), NULL) != LW_ERR_INVALID)
            fail_msg("\"%s\" is taken for a schedule", wrong[i]);
    }
}

static void assert_due(const char *text, const char *since, const char *now, const char *last,
                       size_t missed, const char *next)
{
    lw_cron cron = cron_of(text);
    lw_cron_due due = lw_cron_due_of(&cron, NULL, seconds(since), seconds(now));
    assert_int_equal(due.last_s, last ? seconds(last) : -1);
    assert_int_equal(due.missed, missed);
    assert_int_equal(due.next_s, seconds(next));
}

static void of_those_that_are_due_the_last_one_counts(void **state)
{
    (void)state;
    assert_due("*/5 * * * *", "2026-11-17T00:00:00Z", "2026-11-17T00:04:59Z", NULL, 0,
               "2026-11-17T00:05:00Z");
    assert_due("*/5 * * * *", "2026-11-17T00:00:00Z", "2026-11-17T00:05:00Z",
               "2026-11-17T00:05:00Z", 1, "2026-11-17T00:10:00Z");
    assert_due("*/5 * * * *", "2026-11-17T00:00:00Z", "2026-11-17T00:12:00Z",
               "2026-11-17T00:10:00Z", 2, "2026-11-17T00:15:00Z");
    assert_due("* * * * *", "2020-11-17T00:00:00Z", "2026-11-17T00:12:30Z", "2026-11-17T00:12:00Z",
               LW_CRON_MISSED_MANY, "2026-11-17T00:13:00Z");
    assert_due("0 0 1 * *", "1990-01-01T00:00:00Z", "2026-11-17T00:12:30Z", "2026-11-01T00:00:00Z",
               LW_CRON_MISSED_MANY, "2026-12-01T00:00:00Z");
    assert_due("@every 1h", "2020-01-01T00:00:30Z", "2026-11-17T00:12:00Z", "2026-11-17T00:00:30Z",
               LW_CRON_MISSED_MANY, "2026-11-17T01:00:30Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_next_moment_is_found),
        TEST(moments_are_those_of_the_zone),
        TEST(what_never_comes_is_told_apart),
        TEST(what_is_no_schedule_is_refused),
        TEST(of_those_that_are_due_the_last_one_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
