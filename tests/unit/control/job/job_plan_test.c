/* SPDX-License-Identifier: Apache-2.0 */
/* job_plan_test.c -- what is to become of a Job. */
#include "control/job/job_plan.h"

#include <listwatch/time.h>

#include "unit/test.h"

static const lw_job_facts usual = {
    .completions = 5, .parallelism = 2, .backoff_limit = 3, .deadline_s = -1
};

static void as_many_run_as_are_missing_and_allowed(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    assert_int_equal(lw_job_plan_of(&f).wanted, 2);
    f.succeeded = 4;
    assert_int_equal(lw_job_plan_of(&f).wanted, 1);
    f.succeeded = 5;
    assert_true(lw_job_plan_of(&f).is_complete);
    assert_int_equal(lw_job_plan_of(&f).wanted, 0);
}

static void without_a_number_one_success_is_enough(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    f.completions = -1;
    f.active = 2;
    assert_int_equal(lw_job_plan_of(&f).wanted, 2);
    f.succeeded = 1;
    f.active = 1;
    assert_int_equal(lw_job_plan_of(&f).wanted, 1); /* the other comes to its end */
    assert_false(lw_job_plan_of(&f).is_complete);
    f.active = 0;
    assert_true(lw_job_plan_of(&f).is_complete);
}

static void it_fails_after_more_failures_than_the_limit(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    f.since_failure_ns = INT64_C(1000) * LW_NS_PER_S;
    f.failed = 3;
    assert_null(lw_job_plan_of(&f).failure);
    assert_int_equal(lw_job_plan_of(&f).wanted, 2);
    f.failed = 4;
    assert_string_equal(lw_job_plan_of(&f).failure, "BackoffLimitExceeded");
    f.failed = 0;
    f.restarts = 3;
    assert_null(lw_job_plan_of(&f).failure);
    f.restarts_in_place = true;
    assert_string_equal(lw_job_plan_of(&f).failure, "BackoffLimitExceeded");
}

static void after_a_failure_it_waits_longer_each_time(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    f.failed = 1;
    f.since_failure_ns = 4 * LW_NS_PER_S;
    assert_int_equal(lw_job_plan_of(&f).wanted, 0);
    assert_int_equal(lw_job_plan_of(&f).again_ns, 6 * LW_NS_PER_S);
    f.failed = 3;
    assert_int_equal(lw_job_plan_of(&f).again_ns, 36 * LW_NS_PER_S);
    f.backoff_limit = 100;
    f.failed = 60;
    assert_int_equal(lw_job_plan_of(&f).again_ns, 356 * LW_NS_PER_S);
    f.since_failure_ns = 360 * LW_NS_PER_S;
    assert_int_equal(lw_job_plan_of(&f).wanted, 2);
}

static void it_fails_at_its_deadline_and_comes_back_for_it(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    f.deadline_s = 10;
    f.active_ns = 4 * LW_NS_PER_S;
    assert_int_equal(lw_job_plan_of(&f).again_ns, 6 * LW_NS_PER_S);
    f.active_ns = 10 * LW_NS_PER_S;
    assert_string_equal(lw_job_plan_of(&f).failure, "DeadlineExceeded");
}

static void a_suspended_job_runs_nothing(void **state)
{
    (void)state;
    lw_job_facts f = usual;
    f.is_suspended = true;
    f.deadline_s = 1;
    f.active_ns = 5 * LW_NS_PER_S;
    lw_job_plan plan = lw_job_plan_of(&f);
    assert_int_equal(plan.wanted, 0);
    assert_null(plan.failure);
    assert_false(plan.is_complete);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(as_many_run_as_are_missing_and_allowed),
        TEST(without_a_number_one_success_is_enough),
        TEST(it_fails_after_more_failures_than_the_limit),
        TEST(after_a_failure_it_waits_longer_each_time),
        TEST(it_fails_at_its_deadline_and_comes_back_for_it),
        TEST(a_suspended_job_runs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
