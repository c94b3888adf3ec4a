/* SPDX-License-Identifier: Apache-2.0 */
/* oom_test.c -- tests the harness: it must pass correct scenarios and detect each kind of error. */
#include "oom/oom.h"

#include "base/alloc.h"
#include "base/error.h"
#include "unit/test.h"

static lw_status two_blocks(lw_error *err)
{
    char *first = lw_alloc(10);
    char *second = first ? lw_realloc_array(NULL, 20, 2) : NULL;
    lw_status st = second ? LW_OK : lw_error_nomem(err);
    lw_free(second);
    lw_free(first);
    return st;
}

static lw_status no_blocks(lw_error *err)
{
    (void)err;
    return LW_OK;
}

static lw_status does_without(lw_error *err)
{
    (void)err;
    lw_free(lw_alloc(10));
    return LW_OK;
}

static lw_status leaks_always(lw_error *err)
{
    (void)err;
    return lw_alloc(10) ? LW_OK : LW_ERR_NOMEM;
}

static lw_status leaks_when_second_fails(lw_error *err)
{
    char *first = lw_alloc(10);
    char *second = first ? lw_alloc(20) : NULL;
    if (!second)
        return lw_error_nomem(err);
    lw_free(second);
    lw_free(first);
    return LW_OK;
}

/* Survives one failure by retrying, but not two in a row. */
static lw_status leaks_when_all_later_fail(lw_error *err)
{
    char *first = lw_alloc(10);
    char *second = lw_alloc(10);
    if (!second)
        second = lw_alloc(10);
    if (first && !second)
        return lw_error_nomem(err);
    lw_free(first);
    lw_free(second);
    return first ? LW_OK : lw_error_nomem(err);
}

static lw_status answers_otherwise(lw_error *err)
{
    char *block = lw_alloc(10);
    if (!block)
        return lw_error_set(err, LW_ERR_SYNTAX, "nonsense");
    lw_free(block);
    return LW_OK;
}

static lw_status error_contradicts(lw_error *err)
{
    char *block = lw_alloc(10);
    if (!block) {
        lw_error_set(err, LW_ERR_IO, "something else");
        return LW_ERR_NOMEM;
    }
    lw_free(block);
    return LW_OK;
}

static lw_status never_works(lw_error *err)
{
    return lw_error_set(err, LW_ERR_INVALID, "not like this");
}

/* Writes to the gap after every block, so that no sanitizer stops the test. */
static lw_status writes_past_the_end(lw_error *err)
{
    (void)err;
    char *block = lw_alloc(10);
    if (!block)
        return LW_ERR_NOMEM;
    volatile size_t past = 10;
    block[past] = 'x';
    lw_free(block);
    return LW_OK;
}

static bool passes(lw_status (*run)(lw_error *), oom_report *report)
{
    const oom_scenario scenario = { "planted", run };
    return oom_check(&scenario, report);
}

static void assert_caught(lw_status (*run)(lw_error *), const char *words)
{
    oom_report report;
    assert_false(passes(run, &report));
    if (!strstr(report.problem, words))
        fail_msg("\"%s\" does not say \"%s\"", report.problem, words);
}

static void lets_a_careful_scenario_pass(void **state)
{
    (void)state;
    oom_report report;
    assert_true(passes(two_blocks, &report));
    assert_int_equal(report.allocations, 2);
    assert_int_equal(report.points, 2);
    assert_int_equal(report.tolerated, 0);
}

static void lets_a_scenario_without_memory_pass(void **state)
{
    (void)state;
    oom_report report;
    assert_true(passes(no_blocks, &report));
    assert_int_equal(report.allocations, 0);
}

static void counts_tolerated_failures(void **state)
{
    (void)state;
    oom_report report;
    assert_true(passes(does_without, &report));
    assert_int_equal(report.tolerated, 2);
}

static void catches_a_leak_of_the_undisturbed_run(void **state)
{
    (void)state;
    assert_caught(leaks_always, "leaked");
}

static void catches_a_leak_after_a_failure(void **state)
{
    (void)state;
    assert_caught(leaks_when_second_fails, "leaked");
}

static void catches_a_leak_when_all_later_ones_fail(void **state)
{
    (void)state;
    assert_caught(leaks_when_all_later_fail, "all later ones");
}

static void catches_another_status(void **state)
{
    (void)state;
    assert_caught(answers_otherwise, "malformed document");
}

static void catches_an_error_that_contradicts_the_status(void **state)
{
    (void)state;
    assert_caught(error_contradicts, "its error says");
}

static void catches_a_scenario_that_never_works(void **state)
{
    (void)state;
    assert_caught(never_works, "though nothing failed");
}

static void catches_a_write_past_the_end(void **state)
{
    (void)state;
    assert_caught(writes_past_the_end, "after a block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lets_a_careful_scenario_pass),
        TEST(lets_a_scenario_without_memory_pass),
        TEST(counts_tolerated_failures),
        TEST(catches_a_leak_of_the_undisturbed_run),
        TEST(catches_a_leak_after_a_failure),
        TEST(catches_a_leak_when_all_later_ones_fail),
        TEST(catches_another_status),
        TEST(catches_an_error_that_contradicts_the_status),
        TEST(catches_a_scenario_that_never_works),
        TEST(catches_a_write_past_the_end),
    };
    return cmocka_run_group_tests_name("oom", tests, NULL, NULL);
}
