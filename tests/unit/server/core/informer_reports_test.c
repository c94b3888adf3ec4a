/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reports_test.c -- what informers say of themselves is kept for a while, and no more. */
#include "server/core/informer_reports.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    TEXT_MAX = 1 << 20,
};

static lw_informer_reports reports;
static lw_buf text;

static int set_up(void **state)
{
    (void)state;
    lw_informer_reports_init(&reports);
    lw_buf_init(&text, TEXT_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_buf_done(&text);
    lw_informer_reports_done(&reports);
    return 0;
}

static lw_status take(const char *json, int64_t at_s, lw_error *err)
{
    return lw_informer_reports_take(&reports, lw_str_of(json), at_s * LW_NS_PER_S, err);
}

static const char *written(int64_t at_s)
{
    lw_json_writer w;
    lw_buf_reset(&text);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_informer_reports_write(&reports, at_s * LW_NS_PER_S, &w);
    lw_buf_append_char(&text, '\0');
    return text.data;
}

static void a_report_is_told_with_its_age(void **state)
{
    (void)state;
    assert_int_equal(take("{\"reporter\":\"c\",\"informers\":[{\"resource\":\"pods\","
                          "\"namespace\":\"a\",\"is_synced\":true,\"objects\":12,\"revision\":40,"
                          "\"unheard\":1}]}",
                          100, NULL),
                     LW_OK);
    assert_string_equal(
        written(103),
        "[{\"reporter\":\"c\",\"resource\":\"pods\",\"namespace\":\"a\",\"is_synced\":true,"
        "\"objects\":12,\"revision\":40,\"lists\":0,\"relists\":0,\"watches\":0,"
        "\"queue_depth\":0,\"handler_depth\":0,\"age_ms\":3000}]");
}

static void a_report_replaces_the_last_one_of_its_reporter_alone(void **state)
{
    (void)state;
    assert_int_equal(take("{\"reporter\":\"a\",\"informers\":[{\"resource\":\"pods\"},"
                          "{\"resource\":\"nodes\"}]}",
                          1, NULL),
                     LW_OK);
    assert_int_equal(take("{\"reporter\":\"b\",\"informers\":[{\"resource\":\"jobs\"}]}", 1, NULL),
                     LW_OK);
    assert_int_equal(take("{\"reporter\":\"a\",\"informers\":[{\"resource\":\"leases\"}]}", 2,
                          NULL),
                     LW_OK);
    const char *told = written(2);
    assert_null(strstr(told, "pods"));
    assert_null(strstr(told, "nodes"));
    assert_non_null(strstr(told, "jobs"));
    assert_non_null(strstr(told, "leases"));
}

static void silence_is_forgotten(void **state)
{
    (void)state;
    assert_int_equal(take("{\"reporter\":\"a\",\"informers\":[{\"resource\":\"pods\"}]}", 1, NULL),
                     LW_OK);
    assert_non_null(strstr(written(1 + LW_REPORT_LIFE_S), "pods"));
    assert_string_equal(written(2 + LW_REPORT_LIFE_S), "[]");
}

static void what_is_no_report_is_refused_and_the_last_one_stays(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "[]",
        "{",
        "{\"reporter\":\"a\"}",
        "{\"reporter\":\"\",\"informers\":[]}",
        "{\"reporter\":1,\"informers\":[]}",
        "{\"reporter\":\"a\\u0000b\",\"informers\":[]}",
        "{\"reporter\":\"a\",\"informers\":[1]}",
        "{\"reporter\":\"a\",\"informers\":[{}]}",
        "{\"reporter\":\"a\",\"informers\":[{\"resource\":\"x\",\"objects\":-1}]}",
        "{\"reporter\":\"a\",\"informers\":[{\"resource\":\"x\",\"objects\":\"1\"}]}",
    };
    assert_int_equal(take("{\"reporter\":\"a\",\"informers\":[{\"resource\":\"pods\"}]}", 1, NULL),
                     LW_OK);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        if (take(wrong[i], 1, &err) == LW_OK || err.message[0] == '\0')
            fail_msg("taken, or refused without a word: %s", wrong[i]);
    }
    assert_non_null(strstr(written(1), "pods"));
}

static void there_are_only_so_many(void **state)
{
    (void)state;
    lw_buf json;
    char reporter[32];
    lw_status st = LW_OK;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&json, TEXT_MAX);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(reporter, sizeof(reporter), "{\"reporter\":\"r%d\"", i);
        lw_buf_reset(&json);
        lw_buf_append_text(&json, reporter);
        lw_buf_append_text(&json, ",\"informers\":[");
        for (int n = 0; n < LW_REPORT_INFORMERS / 2; n++)
            lw_buf_append_text(&json, n ? ",{\"resource\":\"x\"}" : "{\"resource\":\"x\"}");
        lw_buf_append_text(&json, "]}");
        st = lw_informer_reports_take(&reports, lw_buf_view(&json), 0, &err);
        assert_int_equal(st, i < 2 ? LW_OK : LW_ERR_LIMIT);
    }
    /* When the others are silent, there is room. */
    assert_int_equal(lw_informer_reports_take(&reports, lw_buf_view(&json), 60 * LW_NS_PER_S, &err),
                     LW_OK);
    assert_int_equal(reports.count, LW_REPORT_INFORMERS / 2);
    lw_buf_done(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_report_is_told_with_its_age, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_report_replaces_the_last_one_of_its_reporter_alone,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence_is_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_report_is_refused_and_the_last_one_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(there_are_only_so_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
