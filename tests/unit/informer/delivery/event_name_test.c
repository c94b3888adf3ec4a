/* SPDX-License-Identifier: Apache-2.0 */
/* event_name_test.c -- what events, their causes and relists are called. */
#include <listwatch/event.h>
#include <listwatch/stats.h>

#include "unit/test.h"

static void events_and_causes_have_the_names_that_are_promised(void **state)
{
    (void)state;
    assert_string_equal(lw_event_type_name(LW_EVENT_ADD), "ADD");
    assert_string_equal(lw_event_type_name(LW_EVENT_UPDATE), "UPDATE");
    assert_string_equal(lw_event_type_name(LW_EVENT_DELETE), "DELETE");
    assert_string_equal(lw_event_cause_name(LW_CAUSE_INITIAL), "initial");
    assert_string_equal(lw_event_cause_name(LW_CAUSE_WATCH), "watch");
    assert_string_equal(lw_event_cause_name(LW_CAUSE_RELIST), "relist");
    assert_string_equal(lw_event_cause_name(LW_CAUSE_RESYNC), "resync");
}

static void what_is_none_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(lw_event_type_name((lw_event_type)0), "unknown");
    assert_string_equal(lw_event_cause_name((lw_event_cause)99), "unknown");
    assert_string_equal(lw_relist_reason_name((lw_relist_reason)99), "unknown");
    assert_string_equal(lw_relist_reason_name(LW_RELIST_SHORT_WATCH), "short-watch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_and_causes_have_the_names_that_are_promised),
        TEST(what_is_none_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
