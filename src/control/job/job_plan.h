/* SPDX-License-Identifier: Apache-2.0 */
/* job_plan.h -- decides what happens to a Job from its numbers: no requests, no clock. */
#ifndef LW_CONTROL_JOB_JOB_PLAN_H
#define LW_CONTROL_JOB_JOB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The specification and the current state. */
typedef struct lw_job_facts {
    int64_t completions; /* -1: not set; then one success is enough */
    int64_t parallelism;
    int64_t backoff_limit;
    int64_t deadline_s; /* -1: none */
    bool is_suspended;
    bool restarts_in_place; /* restartPolicy OnFailure */
    int64_t active, succeeded, failed, restarts;
    int64_t active_ns;        /* how long it has been active */
    int64_t since_failure_ns; /* time since the last Pod failed */
} lw_job_facts;

typedef struct lw_job_plan {
    bool is_complete;
    const char *failure; /* the reason, e.g. "BackoffLimitExceeded"; NULL: not failed */
    const char *message; /* the message of the condition */
    int64_t wanted;      /* number of Pods that should be active */
    int64_t again_ns;    /* when something changes by time alone; 0: never */
} lw_job_plan;

lw_job_plan lw_job_plan_of(const lw_job_facts *facts);

#endif
