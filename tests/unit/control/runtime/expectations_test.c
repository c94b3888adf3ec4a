/* SPDX-License-Identifier: Apache-2.0 */
/* expectations_test.c -- what was written and not seen yet. */
#include "control/runtime/expectations.h"

#include <listwatch/sys/clock.h>

#include "unit/test.h"

typedef struct world {
    lw_manual_clock *clock;
    lw_expectations *e;
} world;

static int set_up(void **state)
{
    static world w;
    assert_int_equal(lw_manual_clock_new(&w.clock, 0), LW_OK);
    assert_int_equal(lw_expectations_new(&w.e, lw_manual_clock_as_clock(w.clock), NULL), LW_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_expectations_free(w->e);
    lw_manual_clock_free(w->clock);
    return 0;
}

static void expect(const world *w, const char *uid, const char *name, lw_expected what)
{
    assert_int_equal(lw_expectations_add(w->e, uid, name, what, NULL), LW_OK);
}

static void an_owner_waits_until_all_it_created_was_seen(void **state)
{
    const world *w = *state;
    assert_true(lw_expectations_are_met(w->e, "u"));
    expect(w, "u", "a", LW_EXPECTED_HERE);
    expect(w, "u", "b", LW_EXPECTED_HERE);
    lw_expectations_seen(w->e, "u", "a", LW_EXPECTED_HERE);
    assert_false(lw_expectations_are_met(w->e, "u"));
    assert_true(lw_expectations_are_met(w->e, "other"));
    lw_expectations_seen(w->e, "u", "b", LW_EXPECTED_HERE);
    assert_true(lw_expectations_are_met(w->e, "u"));
}

static void a_pod_that_is_to_go_is_not_met_by_its_updates(void **state)
{
    const world *w = *state;
    expect(w, "u", "a", LW_EXPECTED_GONE);
    lw_expectations_seen(w->e, "u", "a", LW_EXPECTED_HERE);
    assert_false(lw_expectations_are_met(w->e, "u"));
    lw_expectations_seen(w->e, "u", "a", LW_EXPECTED_GONE);
    assert_true(lw_expectations_are_met(w->e, "u"));
}

static void a_pod_that_came_and_went_was_here(void **state)
{
    const world *w = *state;
    expect(w, "u", "a", LW_EXPECTED_HERE);
    lw_expectations_seen(w->e, "u", "a", LW_EXPECTED_GONE);
    assert_true(lw_expectations_are_met(w->e, "u"));
}

static void an_expectation_that_nothing_meets_is_given_up(void **state)
{
    const world *w = *state;
    expect(w, "u", "a", LW_EXPECTED_HERE);
    lw_manual_clock_advance(w->clock, LW_EXPECTATION_S * LW_NS_PER_S - 1);
    assert_false(lw_expectations_are_met(w->e, "u"));
    lw_manual_clock_advance(w->clock, 1);
    assert_true(lw_expectations_are_met(w->e, "u"));
}

static void a_refused_request_and_an_owner_that_is_gone_expect_nothing(void **state)
{
    const world *w = *state;
    expect(w, "u", "a", LW_EXPECTED_HERE);
    lw_expectations_strike(w->e, "u", "a");
    assert_true(lw_expectations_are_met(w->e, "u"));
    expect(w, "u", "a", LW_EXPECTED_HERE);
    lw_expectations_forget(w->e, "u");
    assert_true(lw_expectations_are_met(w->e, "u"));
    lw_expectations_strike(w->e, "nobody", "a");
    lw_expectations_forget(w->e, "nobody");
}

static void an_uncertain_write_is_found_until_its_result_is_known(void **state)
{
    const world *w = *state;
    char name[LW_NAME_SIZE] = "";
    expect(w, "u", "a", LW_EXPECTED_HERE);
    expect(w, "u", "b", LW_EXPECTED_HERE);
    assert_false(lw_expectations_doubtful(w->e, "u", name));
    lw_expectations_doubt(w->e, "u", "a", true);
    assert_true(lw_expectations_doubtful(w->e, "u", name));
    assert_string_equal(name, "a");
    lw_expectations_doubt(w->e, "u", "a", false);
    assert_false(lw_expectations_doubtful(w->e, "u", name));
    assert_false(lw_expectations_are_met(w->e, "u"));
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(an_owner_waits_until_all_it_created_was_seen),
        IN_WORLD(a_pod_that_is_to_go_is_not_met_by_its_updates),
        IN_WORLD(a_pod_that_came_and_went_was_here),
        IN_WORLD(an_expectation_that_nothing_meets_is_given_up),
        IN_WORLD(a_refused_request_and_an_owner_that_is_gone_expect_nothing),
        IN_WORLD(an_uncertain_write_is_found_until_its_result_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
