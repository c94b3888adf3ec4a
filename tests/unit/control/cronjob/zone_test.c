/* SPDX-License-Identifier: Apache-2.0 */
/* zone_test.c -- hours of time zones, from zone files. */
#include "control/cronjob/zone.h"

#include "unit/control/zone_file.h"

static int64_t seconds(const char *moment)
{
    int64_t ns = 0;
    assert_true(lw_time_parse_ns(lw_str_of(moment), &ns));
    return ns / LW_NS_PER_S;
}

static void changes_of_the_file_come_first_then_its_rule(void **state)
{
    (void)state;
    lw_zone *zone = berlin();
    assert_int_equal(lw_zone_offset(zone, 999), 3600);
    assert_int_equal(lw_zone_offset(zone, 1000), 7200);
    assert_int_equal(lw_zone_offset(zone, 1999), 7200);
    assert_int_equal(lw_zone_offset(zone, seconds("2026-03-29T00:59:59Z")), 3600);
    assert_int_equal(lw_zone_offset(zone, seconds("2026-03-29T01:00:00Z")), 7200);
    assert_int_equal(lw_zone_offset(zone, seconds("2026-10-25T00:59:59Z")), 7200);
    assert_int_equal(lw_zone_offset(zone, seconds("2026-10-25T01:00:00Z")), 3600);
    lw_zone_free(zone);
    assert_int_equal(lw_zone_offset(NULL, 0), 0);
}

static void rules_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        const char *moment;
        int64_t offset_s;
    } cases[] = {
        { "UTC0", "2026-07-01T00:00:00Z", 0 },
        { "<+0530>-5:30", "2026-07-01T00:00:00Z", 19800 },
        { "EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18000 },
        { "EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14400 },
        { "AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39600 }, /* the other half */
        { "AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36000 },
        { "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200 },
        { "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600 },
        { "XXX0YYY,J60,J300", "2024-03-01T02:00:00Z", 3600 }, /* a year with a 29th of February */
        { "XXX0YYY,J60,J300", "2024-03-01T01:59:59Z", 0 },
        { "XXX0YYY,59,300", "2026-03-01T02:00:00Z", 3600 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_zone_rule rule;
        assert_true(lw_zone_rule_parse(&rule, lw_str_of(cases[i].rule)));
        assert_int_equal(lw_zone_rule_offset(&rule, seconds(cases[i].moment)), cases[i].offset_s);
    }
    static const char *const wrong[] = { "",
                                         "A1",
                                         "ABC",
                                         "ABC25",
                                         "ABC1D",
                                         "ABC1DEF",
                                         "ABC1DEF,M1.1.0",
                                         "<ABC1",
                                         "ABC1 ",
                                         "ABC1DEF,M0.1.0,M1.1.0" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_zone_rule rule;
        assert_false(lw_zone_rule_parse(&rule, lw_str_of(wrong[i])));
    }
}

static void a_file_that_is_cut_or_broken_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[ZONE_FILE_SIZE];
    lw_zone *zone = NULL;
    size_t len = zone_file(bytes, (const int32_t[]){ 0, 3600 }, (const int64_t[]){ 1, 2 }, "UTC0");
    for (size_t i = 0; i < len; i++)
        assert_int_equal(lw_zone_parse(&zone, bytes, i, NULL), LW_ERR_INVALID);
    assert_int_equal(lw_zone_parse(&zone, bytes, len, NULL), LW_OK);
    lw_zone_free(zone);
    len = zone_file(bytes, (const int32_t[]){ 0, 3600 }, (const int64_t[]){ 2, 2 }, "UTC0");
    assert_int_equal(lw_zone_parse(&zone, bytes, len, NULL), LW_ERR_INVALID);
}

static void names_do_not_lead_out_of_the_folder(void **state)
{
    (void)state;
    lw_zone *zone = NULL;
    static const char *const wrong[] = { "", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "a b" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(lw_zone_load(&zone, "/", wrong[i], NULL), LW_ERR_INVALID);
    assert_int_equal(lw_zone_load(&zone, "/nowhere", "UTC", NULL), LW_ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(changes_of_the_file_come_first_then_its_rule),
        TEST(rules_are_read),
        TEST(a_file_that_is_cut_or_broken_is_refused),
        TEST(names_do_not_lead_out_of_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
