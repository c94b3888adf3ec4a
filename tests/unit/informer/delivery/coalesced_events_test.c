/* SPDX-License-Identifier: Apache-2.0 */
/* coalesced_events_test.c -- events of one object merged into one, and of several kept in their
 * order. */
#include "informer/delivery/coalesced_events.h"

#include <stdio.h>

#include "unit/failing_alloc.h"
#include "unit/test.h"

/* An object of that name; the uid is |uid|, the revision |rv|. */
static lw_object *object(const char *name, unsigned uid, unsigned rv)
{
    char json[200];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"%u\","
                       "\"resourceVersion\":\"%u\"}}",
                       name, uid, rv);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

/* Adds what happened to x: |old_rv| 0: it is new; |rv| 0: it is gone; uids are |rv| / 100. */
static bool happen(lw_coalesced_events *coalesced, unsigned old_rv, unsigned rv)
{
    bool is_merged = false;
    lw_queued_event queued = { .cause = LW_CAUSE_WATCH, .revision = rv ? rv : old_rv + 1 };
    queued.object = rv ? object("x", rv / 100, rv) : object("x", old_rv / 100, old_rv);
    if (old_rv && rv)
        queued.old_object = object("x", old_rv / 100, old_rv);
    queued.type = rv ? (old_rv ? LW_EVENT_UPDATE : LW_EVENT_ADD) : LW_EVENT_DELETE;
    assert_int_equal(lw_coalesced_events_add(coalesced, &queued, &is_merged), LW_OK);
    lw_queued_event_done(&queued);
    return is_merged;
}

/* Removes one event and returns it as text: "+3", "~1>3", "~1>201!", "-2". */
static void assert_next(lw_coalesced_events *coalesced, const char *expected)
{
    char text[64];
    lw_queued_event queued;
    assert_true(lw_coalesced_events_pop(coalesced, &queued));
    lw_event event = lw_queued_event_event(&queued);
    const char *rv = lw_object_resource_version(event.object);
    if (event.type == LW_EVENT_UPDATE)
        snprintf(text, sizeof(text), "~%s>%s%s", lw_object_resource_version(event.old_object), rv,
                 event.is_uid_changed ? "!" : "");
    else
        snprintf(text, sizeof(text), "%c%s", event.type == LW_EVENT_ADD ? '+' : '-', rv);
    assert_string_equal(text, expected);
    lw_queued_event_done(&queued);
}

static void assert_none(lw_coalesced_events *coalesced)
{
    lw_queued_event queued;
    assert_int_equal(lw_coalesced_events_count(coalesced), 0);
    assert_false(lw_coalesced_events_pop(coalesced, &queued));
    lw_coalesced_events_done(coalesced);
}

static void an_add_that_is_updated_is_an_add_of_the_latest(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    assert_false(happen(&coalesced, 0, 1));
    assert_true(happen(&coalesced, 1, 2));
    assert_true(happen(&coalesced, 2, 3));
    assert_next(&coalesced, "+3");
    assert_none(&coalesced);
}

static void an_add_that_is_deleted_is_nothing(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 0, 1);
    (void)happen(&coalesced, 1, 2);
    assert_true(happen(&coalesced, 2, 0));
    assert_none(&coalesced);
}

static void an_update_tells_from_the_first_old_to_the_latest_new(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 1, 2);
    (void)happen(&coalesced, 2, 3);
    (void)happen(&coalesced, 3, 4);
    assert_next(&coalesced, "~1>4");
    assert_none(&coalesced);
}

static void an_update_that_is_deleted_is_a_delete(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 1, 2);
    (void)happen(&coalesced, 2, 0);
    assert_next(&coalesced, "-2");
    assert_none(&coalesced);
}

static void a_delete_that_is_created_again_is_an_update_with_another_uid(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 1, 0);
    (void)happen(&coalesced, 0, 201);
    assert_next(&coalesced, "~1>201!");
    assert_none(&coalesced);
}

static void what_was_told_survives_any_number_of_lives(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 1, 2);
    (void)happen(&coalesced, 2, 0);
    (void)happen(&coalesced, 0, 201);
    (void)happen(&coalesced, 201, 0);
    assert_int_equal(lw_coalesced_events_count(&coalesced), 1); /* it knows of 1, so it must hear */
    (void)happen(&coalesced, 0, 301);
    assert_next(&coalesced, "~1>301!");
    assert_none(&coalesced);
}

static void a_second_life_after_nothing_is_an_add(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    lw_coalesced_events_init(&coalesced);
    (void)happen(&coalesced, 0, 1);
    (void)happen(&coalesced, 1, 0);
    assert_false(happen(&coalesced, 0, 201));
    assert_next(&coalesced, "+201");
    assert_none(&coalesced);
}

static void objects_leave_in_the_order_of_their_first_event(void **state)
{
    (void)state;
    lw_coalesced_events coalesced;
    static const char *const names[] = { "c", "a", "b", "a", "c" };
    lw_coalesced_events_init(&coalesced);
    for (unsigned i = 0; i < 5; i++) {
        bool is_merged;
        lw_queued_event queued = { .type = LW_EVENT_ADD, .object = object(names[i], 1, i + 1) };
        assert_int_equal(lw_coalesced_events_add(&coalesced, &queued, &is_merged), LW_OK);
        lw_queued_event_done(&queued);
    }
    assert_next(&coalesced, "+5");
    assert_next(&coalesced, "+4");
    assert_next(&coalesced, "+3");
    assert_none(&coalesced);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    failing_alloc alloc;
    lw_coalesced_events coalesced;
    bool is_merged;
    lw_coalesced_events_init(&coalesced);
    lw_queued_event queued = { .type = LW_EVENT_ADD, .object = object("x", 1, 1) };
    for (size_t allowed = 0; allowed < 2; allowed++) {
        failing_alloc_begin(&alloc, allowed);
        assert_int_equal(lw_coalesced_events_add(&coalesced, &queued, &is_merged), LW_ERR_NOMEM);
        assert_int_equal(alloc.live, 0);
        failing_alloc_end();
        assert_int_equal(lw_coalesced_events_count(&coalesced), 0);
    }
    lw_queued_event_done(&queued);
    assert_none(&coalesced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_add_that_is_updated_is_an_add_of_the_latest),
        TEST(an_add_that_is_deleted_is_nothing),
        TEST(an_update_tells_from_the_first_old_to_the_latest_new),
        TEST(an_update_that_is_deleted_is_a_delete),
        TEST(a_delete_that_is_created_again_is_an_update_with_another_uid),
        TEST(what_was_told_survives_any_number_of_lives),
        TEST(a_second_life_after_nothing_is_an_add),
        TEST(objects_leave_in_the_order_of_their_first_event),
        TEST(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
