/* SPDX-License-Identifier: Apache-2.0 */
/* event_log_test.c -- each event is stored once, as long as a listener needs it. */
#include "informer/delivery/event_log.h"

#include "support/script_source.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void append(lw_event_log *log, const char *key, uint64_t rv)
{
    lw_object *obj = script_object(key, rv, 0);
    const lw_event event = { .type = LW_EVENT_ADD, .object = obj, .revision = rv };
    lw_event_log_append(log, &event);
    lw_object_unref(obj);
}

static void readers_see_what_is_published(void **state)
{
    (void)state;
    lw_event_log log;
    lw_event_log_init(&log);
    assert_int_equal(lw_event_log_reserve(&log, 2), LW_OK);
    append(&log, "a/x", 1);
    assert_int_equal(log.end, 0);
    append(&log, "a/y", 2);
    lw_event_log_publish(&log);
    assert_int_equal(log.end, 2);
    assert_int_equal(lw_event_log_at(&log, 1)->revision, 2);
    lw_event_log_done(&log);
}

static void a_place_that_was_not_needed_holds_nothing(void **state)
{
    (void)state;
    lw_event_log log;
    lw_event_log_init(&log);
    assert_int_equal(lw_event_log_reserve(&log, 3), LW_OK);
    append(&log, "a/x", 1);
    lw_event_log_publish(&log);
    assert_int_equal(log.end, 3);
    assert_int_equal(lw_event_log_at(&log, 0)->type, LW_EVENT_ADD);
    assert_int_equal(lw_event_log_at(&log, 1)->type, 0);
    assert_int_equal(lw_event_log_at(&log, 2)->type, 0);
    assert_int_equal(lw_event_log_reserve(&log, 1), LW_OK);
    append(&log, "a/y", 2);
    lw_event_log_publish(&log);
    assert_int_equal(lw_event_log_at(&log, 3)->revision, 2);
    lw_event_log_done(&log);
}

static void trimming_gives_the_objects_back(void **state)
{
    (void)state;
    failing_alloc alloc;
    lw_event_log log;
    failing_alloc_begin(&alloc, SIZE_MAX);
    lw_event_log_init(&log);
    assert_int_equal(lw_event_log_reserve(&log, 4), LW_OK);
    for (uint64_t i = 1; i <= 4; i++)
        append(&log, "a/x", i);
    lw_event_log_publish(&log);
    size_t before = alloc.live;
    lw_event_log_trim(&log, 3);
    assert_int_equal(alloc.live, before - 3);
    assert_int_equal(lw_event_log_at(&log, 3)->revision, 4);
    lw_event_log_trim(&log, 1); /* long gone */
    lw_event_log_done(&log);
    assert_int_equal(alloc.live, 0);
    failing_alloc_end();
}

static void without_memory_there_is_no_room(void **state)
{
    (void)state;
    failing_alloc alloc;
    lw_event_log log;
    lw_event_log_init(&log);
    failing_alloc_begin(&alloc, 0);
    assert_int_equal(lw_event_log_reserve(&log, 1), LW_ERR_NOMEM);
    lw_event_log_publish(&log);
    failing_alloc_end();
    lw_event_log_done(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readers_see_what_is_published),
        TEST(a_place_that_was_not_needed_holds_nothing),
        TEST(trimming_gives_the_objects_back),
        TEST(without_memory_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
