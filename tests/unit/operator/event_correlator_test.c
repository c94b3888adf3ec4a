/* SPDX-License-Identifier: Apache-2.0 */
/* event_correlator_test.c -- the limits of Events over time. */
#include "operator/event_correlator.h"

#include <stdio.h>

#include <listwatch/time.h>

#include "unit/test.h"

static lw_event_correlator correlator;
static lw_object *pod;

static int set_up(void **state)
{
    static const char json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\""
        ",\"namespace\":\"n\",\"uid\":\"1\"}}";
    (void)state;
    memset(&correlator, 0, sizeof(correlator));
    lw_event_correlator_init(&correlator);
    return lw_object_from_json(&pod, json, sizeof(json) - 1, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    lw_object_unref(pod);
    return 0;
}

static lw_event_verdict say(const char *reason, const char *message, int64_t at_s)
{
    const lw_event_content content = { pod, "test", "", "Normal", reason, message, at_s };
    return lw_event_correlate(&correlator, &content, at_s * LW_NS_PER_S);
}

static void equal_events_are_one_series(void **state)
{
    (void)state;
    lw_event_verdict first = say("Same", "x", 1), second = say("Same", "x", 2);
    assert_ptr_equal(first.series, second.series);
    assert_int_equal(second.series->count, 2);
    assert_int_equal(second.series->first_wall_ns, 1);
    assert_int_equal(say("Other", "x", 3).series->count, 1);
}

static void the_tenth_different_message_is_combined(void **state)
{
    (void)state;
    char message[16];
    for (int i = 1; i <= 12; i++) {
        (void)snprintf(message, sizeof(message), "%d", i);
        lw_event_verdict verdict = say("Many", message, i);
        assert_int_equal(verdict.is_combined, i >= 10);
        assert_int_equal(verdict.series->count, i <= 10 ? 1 : i - 9);
    }
    assert_false(say("Many", "3", 13).is_combined); /* it is known */
    assert_false(say("Different", "13", 13).is_combined);
}

static void after_ten_quiet_minutes_messages_are_not_combined(void **state)
{
    (void)state;
    char message[16];
    for (int i = 1; i <= 12; i++) {
        (void)snprintf(message, sizeof(message), "%d", i);
        (void)say("Many", message, i);
    }
    assert_true(say("Many", "new", 12 + LW_CORRELATOR_WINDOW_S).is_combined);
    assert_false(say("Many", "new", 13 + 2 * LW_CORRELATOR_WINDOW_S).is_combined);
}

static void an_object_has_25_events_and_one_more_every_five_minutes(void **state)
{
    (void)state;
    for (int i = 0; i < LW_CORRELATOR_BURST; i++)
        assert_false(say("Same", "x", 1).is_filtered);
    assert_true(say("Same", "x", 1).is_filtered);
    assert_true(say("Other", "x", LW_CORRELATOR_REFILL_S).is_filtered);
    lw_event_verdict next = say("Same", "x", LW_CORRELATOR_REFILL_S + 2);
    assert_false(next.is_filtered);
    assert_int_equal(next.series->count, LW_CORRELATOR_BURST + 2); /* with the filtered one */
    assert_true(say("Same", "x", LW_CORRELATOR_REFILL_S + 3).is_filtered);
}

#define FRESH(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(equal_events_are_one_series),
        FRESH(the_tenth_different_message_is_combined),
        FRESH(after_ten_quiet_minutes_messages_are_not_combined),
        FRESH(an_object_has_25_events_and_one_more_every_five_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
