/* SPDX-License-Identifier: Apache-2.0 */
/* hook_conversion.c -- a conversion of an admission as a job. */
#include "api/conversion/hook_conversion.h"

#include "api/conversion/convert.h"
#include "api/http/failures.h"
#include "base/alloc.h"
#include "base/container_of.h"

typedef struct hook_job {
    lw_convert job;
    lw_hook_conversion *conversion;
} hook_job;

static lw_hook_conversion_outcome refuse(hook_job *j)
{
    lw_hook_conversion *conversion = j->conversion;
    lw_convert_refuse(&j->job, conversion->is_internal, conversion->status);
    lw_free(j);
    return LW_HOOK_UNCONVERTIBLE;
}

static void job_done(lw_convert *job, bool is_converted)
{
    hook_job *j = LW_CONTAINER_OF(job, hook_job, job);
    lw_hook_conversion *conversion = j->conversion;
    conversion->job = NULL;
    if (is_converted)
        lw_free(j);
    else
        (void)refuse(j);
    conversion->done(conversion, is_converted);
}

static lw_hook_conversion_outcome start(lw_hook_conversion *conversion)
{
    hook_job *j = lw_alloc_zero(1, sizeof(*j));
    if (!j) {
        lw_api_status_of_failure(conversion->status, LW_ERR_NOMEM);
        return LW_HOOK_UNCONVERTIBLE;
    }
    j->conversion = conversion;
    j->job = (lw_convert){ .port = conversion->port,
                           .kind = conversion->kind,
                           .objects = conversion->objects,
                           .count = conversion->count,
                           .unstored = conversion->unstored,
                           .deadline_ns = conversion->deadline_ns,
                           .done = job_done };
    switch (lw_convert_start(&j->job)) {
    case LW_CONVERT_DONE: break;
    case LW_CONVERT_FAILED: return refuse(j);
    case LW_CONVERT_WAITING: conversion->job = j; return LW_HOOK_CONVERTING;
    }
    lw_free(j);
    return LW_HOOK_CONVERTED;
}

static void cancel(lw_hook_conversion *conversion)
{
    hook_job *j = conversion->job;
    conversion->job = NULL;
    lw_convert_cancel(&j->job);
    lw_free(j);
}

const lw_hook_converter lw_hook_conversions = { start, cancel };
