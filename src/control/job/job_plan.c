/* SPDX-License-Identifier: Apache-2.0 */
/* job_plan.c -- decides whether a Job is complete or failed, or how many Pods it needs. */
#include "job/job_plan.h"

#include <listwatch/time.h>

enum {
    BACKOFF_S = 10, /* after the first failure; doubles with each further one */
    BACKOFF_MAX_S = 360,
};

/* Returns the backoff after that many failures. */
static int64_t backoff_ns(int64_t failed)
{
    int64_t seconds = BACKOFF_S;
    for (int64_t i = 1; i < failed && seconds < BACKOFF_MAX_S; i++)
        seconds *= 2;
    return (seconds < BACKOFF_MAX_S ? seconds : BACKOFF_MAX_S) * LW_NS_PER_S;
}

static bool has_too_many_failures(const lw_job_facts *f)
{
    if (f->failed > f->backoff_limit)
        return true;
    return f->restarts_in_place && f->restarts > 0 && f->restarts >= f->backoff_limit;
}

static bool is_complete(const lw_job_facts *f)
{
    return f->completions < 0 ? f->succeeded > 0 && f->active == 0 : f->succeeded >= f->completions;
}

static int64_t wanted_of(const lw_job_facts *f)
{
    if (f->is_suspended)
        return 0;
    if (f->completions < 0) /* after the first success, the other Pods run to their end */
        return f->succeeded > 0 ? f->active : f->parallelism;
    int64_t left = f->completions - f->succeeded;
    return left < f->parallelism ? left : f->parallelism;
}

lw_job_plan lw_job_plan_of(const lw_job_facts *f)
{
    lw_job_plan plan = { .wanted = 0 };
    int64_t left_ns = f->deadline_s < 0 ? 0 : f->deadline_s * LW_NS_PER_S - f->active_ns;
    if (has_too_many_failures(f)) {
        plan.failure = "BackoffLimitExceeded";
        plan.message = "Job has reached the specified backoff limit";
    } else if (f->deadline_s >= 0 && left_ns <= 0 && !f->is_suspended) {
        plan.failure = "DeadlineExceeded";
        plan.message = "Job was active longer than specified deadline";
    } else if (is_complete(f)) {
        plan.is_complete = true;
    }
    if (plan.failure || plan.is_complete)
        return plan;
    plan.again_ns = f->is_suspended ? 0 : left_ns;
    plan.wanted = wanted_of(f);
    int64_t wait_ns = f->failed > 0 ? backoff_ns(f->failed) - f->since_failure_ns : 0;
    if (wait_ns > 0 && plan.wanted > f->active) {
        plan.wanted = f->active;
        if (plan.again_ns == 0 || wait_ns < plan.again_ns)
            plan.again_ns = wait_ns;
    }
    return plan;
}
