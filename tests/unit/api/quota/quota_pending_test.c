/* SPDX-License-Identifier: Apache-2.0 */
/* quota_pending_test.c -- the pending of charges: what is counted beside the objects, and who hears
 * that it must be anew. */
#include "api/quota/quota_pending.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    SEEN = 7, /* the revision of the quota when the charge was decided */
    LATER = 8,
};

/* A pending with one write in it that has to do with the quota q. */
typedef struct scene {
    lw_quota_pending pending;
    lw_quota_mark mark;
    lw_quota_entry entry;
    int wakes;
} scene;

static void note_wake(void *arg)
{
    ((scene *)arg)->wakes++;
}

static void charge_two_pods(scene *s)
{
    lw_amounts delta = { .list = NULL };
    lw_amounts_set(&delta, LW_STR("pods"), lw_quantity_of_count(2));
    lw_quota_pending_begin(&s->pending, &s->mark, SEEN, &delta);
    lw_amounts_done(&delta);
}

static int scene_setup(void **state)
{
    static scene s;
    s = (scene){ .mark = { .quota = (char *)(uintptr_t) "q" } };
    s.entry = (lw_quota_entry){ .ns = LW_STR("ns"), .marks = &s.mark, .mark_count = 1 };
    lw_quota_pending_init(&s.pending);
    lw_quota_pending_attend(&s.pending, note_wake, &s);
    lw_quota_pending_enter(&s.pending, &s.entry);
    charge_two_pods(&s);
    *state = &s;
    return 0;
}

static int scene_teardown(void **state)
{
    scene *s = *state;
    lw_amounts_done(&s->mark.delta);
    lw_quota_pending_done(&s->pending);
    return 0;
}

/* How many pods are charged to |quota| in |ns|; -1: that cannot be told. */
static int pods(scene *s, const char *ns, const char *quota, uint64_t revision)
{
    lw_amounts used = { .list = NULL };
    bool is_known =
        lw_quota_pending_count(&s->pending, lw_str_of(ns), lw_str_of(quota), revision, &used);
    const lw_quantity *count = lw_amounts_get(&used, LW_STR("pods"));
    int value = !is_known ? -1 : count ? (int)(count->nanos / 1000000000) : 0;
    lw_amounts_done(&used);
    return value;
}

static void charges_count_until_the_object_is_stored(void **state)
{
    scene *s = *state;
    lw_quota_pending_answer(&s->pending, &s->mark, true);
    assert_int_equal(pods(s, "ns", "q", LATER), 2);
    assert_int_equal(pods(s, "ns", "other", LATER), 0);
    assert_int_equal(pods(s, "elsewhere", "q", LATER), 0);
    lw_quota_pending_leave(&s->pending, &s->entry, true);
    assert_int_equal(pods(s, "ns", "q", LATER), 0);
}

static void a_charge_to_the_same_revision_does_not_count(void **state)
{
    scene *s = *state;
    assert_int_equal(pods(s, "ns", "q", SEEN), 0);
    lw_quota_pending_leave(&s->pending, &s->entry, true);
    assert_int_equal(s->wakes, 0);
}

static void a_charge_with_unknown_result_stops_the_count(void **state)
{
    scene *s = *state;
    assert_int_equal(pods(s, "ns", "q", LATER), -1);
    lw_quota_pending_leave(&s->pending, &s->entry, true);
    assert_int_equal(s->wakes, 1);
}

static void a_counted_charge_makes_its_namespace_due(void **state)
{
    scene *s = *state;
    lw_quota_pending_answer(&s->pending, &s->mark, true);
    assert_int_equal(pods(s, "ns", "q", LATER), 2);
    lw_quota_pending_leave(&s->pending, &s->entry, true);
    assert_int_equal(s->wakes, 1);
}

static void a_charge_without_an_object_makes_its_namespace_due(void **state)
{
    scene *s = *state;
    lw_dlist due;
    lw_dlist_init(&due);
    lw_quota_pending_answer(&s->pending, &s->mark, true);
    lw_quota_pending_leave(&s->pending, &s->entry, false);
    assert_int_equal(s->wakes, 1);
    assert_false(lw_quota_pending_take_due(&s->pending, &due));
    lw_quota_due *item = LW_DLIST_ITEM(lw_dlist_pop_front(&due), lw_quota_due, link);
    assert_non_null(item);
    assert_true(lw_str_equal(item->ns, LW_STR("ns")));
    assert_true(lw_dlist_is_empty(&due));
    lw_free(item);
}

static void an_entry_without_charges_has_no_effect(void **state)
{
    scene *s = *state;
    lw_quota_pending_answer(&s->pending, &s->mark, false);
    assert_int_equal(pods(s, "ns", "q", LATER), 0);
    lw_quota_pending_leave(&s->pending, &s->entry, false);
    assert_int_equal(s->wakes, 0);
}

#define LEDGER_TEST(function) cmocka_unit_test_setup_teardown(function, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LEDGER_TEST(charges_count_until_the_object_is_stored),
        LEDGER_TEST(a_charge_to_the_same_revision_does_not_count),
        LEDGER_TEST(a_charge_with_unknown_result_stops_the_count),
        LEDGER_TEST(a_counted_charge_makes_its_namespace_due),
        LEDGER_TEST(a_charge_without_an_object_makes_its_namespace_due),
        LEDGER_TEST(an_entry_without_charges_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
