/* SPDX-License-Identifier: Apache-2.0 */
/* job_status.c -- validates the status of a Job.
 *
 * Most rules apply only if one of the values that they are about has changed: a status that broke a
 * rule before can still be changed in other places. */
#include "api/strategy/status/status_validation.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/job_indexes.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 96,
    UNCOUNTED_MAX = 1000, /* pods that are compared with one another */
};

/* What the rules are about, of the new or the stored status. */
typedef struct job_state {
    const lw_node *status;
    bool is_complete, is_failed, is_finished, has_failure_target, meets_criteria, is_suspended,
        is_resumed;
    lw_str start, end, completed, failed_indexes;
    bool has_failed_indexes;
    int64_t active, ready, terminating;
} job_state;

static bool has_condition(const lw_node *status, const char *type, lw_str value)
{
    const lw_node *list = lw_node_get(status, LW_STR("conditions"));
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *condition = lw_node_at(list, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), lw_str_of(type)) &&
            lw_str_equal(lw_fields_text(condition, "status"), value))
            return true;
    }
    return false;
}

static job_state read_state(const lw_node *job)
{
    const lw_node *status = lw_node_get(job, LW_STR("status"));
    job_state s = { .status = status };
    s.is_complete = has_condition(status, "Complete", LW_STR("True"));
    s.is_failed = has_condition(status, "Failed", LW_STR("True"));
    s.is_finished = s.is_complete || s.is_failed;
    s.has_failure_target = has_condition(status, "FailureTarget", LW_STR("True"));
    s.meets_criteria = has_condition(status, "SuccessCriteriaMet", LW_STR("True"));
    s.is_suspended = has_condition(status, "Suspended", LW_STR("True"));
    s.is_resumed = has_condition(status, "Suspended", LW_STR("False"));
    s.start = lw_fields_text(status, "startTime");
    s.end = lw_fields_text(status, "completionTime");
    s.completed = lw_fields_text(status, "completedIndexes");
    s.failed_indexes = lw_fields_text(status, "failedIndexes");
    s.has_failed_indexes = lw_node_get(status, LW_STR("failedIndexes")) != NULL;
    s.active = lw_fields_int(status, "active", 0);
    s.ready = lw_fields_int(status, "ready", -1);
    s.terminating = lw_fields_int(status, "terminating", -1);
    return s;
}

/* A rule about conditions, whose value is not shown. */
static void refuse_conditions(lw_api_status *errors, const char *detail)
{
    lw_field_error_plain(errors, "status.conditions", lw_str_of(detail), "");
}

static void refuse_number(lw_api_status *errors, const char *field, int64_t value,
                          const char *detail)
{
    char text[FIELD_SIZE];
    (void)snprintf(text, sizeof(text), "%lld", (long long)value);
    lw_field_error_plain(errors, field, lw_str_of(text), detail);
}

static bool was_named(const lw_node *const *lists, size_t list, size_t index, lw_str uid)
{
    for (size_t l = 0; l <= list; l++) {
        size_t count = l < list ? lw_node_count(lists[l]) : index;
        for (size_t i = 0; i < count && i < UNCOUNTED_MAX; i++) {
            if (lw_str_equal(lw_node_text(lw_node_at(lists[l], i)), uid))
                return true;
        }
    }
    return false;
}

static void check_uncounted(const lw_node *status, lw_api_status *errors)
{
    static const char *const names[] = { "succeeded", "failed" };
    const lw_node *pods = lw_node_get(status, LW_STR("uncountedTerminatedPods"));
    const lw_node *lists[] = { lw_node_get(pods, LW_STR("succeeded")),
                               lw_node_get(pods, LW_STR("failed")) };
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < lw_node_count(lists[l]) && i < UNCOUNTED_MAX; i++) {
            char field[FIELD_SIZE];
            lw_str uid = lw_node_text(lw_node_at(lists[l], i));
            (void)snprintf(field, sizeof(field), "status.uncountedTerminatedPods.%s[%zu]", names[l],
                           i);
            if (uid.len == 0)
                lw_field_error_invalid(errors, field, uid, "must not be empty");
            else if (was_named(lists, l, i, uid))
                lw_value_error_duplicate(errors, field, lw_node_at(lists[l], i));
        }
    }
}

static void check_conditions(const job_state *now, const job_state *old, lw_api_status *errors)
{
    bool is_complete_new = now->is_complete != old->is_complete;
    bool is_failed_new = now->is_failed != old->is_failed;
    if ((is_complete_new || is_failed_new) && now->is_complete && now->is_failed)
        refuse_conditions(errors, "cannot set Complete=True and Failed=true conditions");
    if ((is_complete_new || now->has_failure_target != old->has_failure_target) &&
        now->is_complete && now->has_failure_target)
        refuse_conditions(errors, "cannot set Complete=True and FailureTarget=true conditions");
}

static void check_times(const job_state *now, const job_state *old, lw_api_status *errors)
{
    bool is_end_new = !lw_str_equal(now->end, old->end);
    bool is_start_new = !lw_str_equal(now->start, old->start);
    if (is_end_new || now->is_complete != old->is_complete) {
        if (now->end.len > 0 && !now->is_complete)
            lw_field_error_invalid(
                errors, "status.completionTime", now->end,
                "cannot set completionTime when there is no Complete=True condition");
        if (now->end.len == 0 && now->is_complete)
            lw_field_error_required(errors, "status.completionTime",
                                    "completionTime is required for Complete jobs");
    }
    /* Times of the same form, in UTC, are in the order of their texts. */
    if ((is_end_new || is_start_new) && now->start.len > 0 && now->end.len > 0 &&
        lw_str_compare(now->end, now->start) < 0)
        lw_field_error_invalid(errors, "status.completionTime", now->end,
                               "must be equal to or after `startTime`");
}

/* Rules about what comes before the end of a job. */
static void check_targets(const job_state *now, const job_state *old, lw_api_status *errors)
{
    if ((now->is_failed != old->is_failed ||
         !lw_str_equal(now->failed_indexes, old->failed_indexes) ||
         now->has_failed_indexes != old->has_failed_indexes) &&
        now->is_failed && !now->has_failure_target)
        refuse_conditions(
            errors, "cannot set Failed=True condition without the FailureTarget=true condition");
    if ((now->is_complete != old->is_complete || now->meets_criteria != old->meets_criteria) &&
        now->is_complete && !now->meets_criteria)
        refuse_conditions(errors, "cannot set Complete=True condition without the "
                                  "SuccessCriteriaMet=true condition");
}

static void check_finished(const lw_node *spec, const job_state *now, const job_state *old,
                           lw_api_status *errors)
{
    bool is_new = now->is_finished != old->is_finished;
    bool is_empty = lw_node_bool(lw_node_get(spec, LW_STR("suspend"))) &&
                    lw_fields_int(spec, "completions", -1) == 0;
    const lw_node *pods = lw_node_get(now->status, LW_STR("uncountedTerminatedPods"));
    size_t uncounted = lw_node_count(lw_node_get(pods, LW_STR("failed"))) +
                       lw_node_count(lw_node_get(pods, LW_STR("succeeded")));
    if (!now->is_finished)
        return;
    if ((is_new || now->active != old->active) && now->active > 0)
        refuse_number(errors, "status.active", now->active, "active>0 is invalid for finished job");
    if ((is_new || !lw_str_equal(now->start, old->start)) && !is_empty && now->start.len == 0)
        lw_field_error_required(errors, "status.startTime",
                                "startTime is required for finished job");
    if ((is_new ||
         !lw_node_equal(pods, lw_node_get(old->status, LW_STR("uncountedTerminatedPods")))) &&
        uncounted > 0)
        lw_value_error(errors, "status.uncountedTerminatedPods", pods,
                       "must be empty for finished job");
}

static void check_pods(const job_state *now, const job_state *old, lw_api_status *errors)
{
    if ((now->is_finished != old->is_finished || now->terminating != old->terminating) &&
        now->terminating > 0 && now->is_finished)
        refuse_number(errors, "status.terminating", now->terminating,
                      "terminating>0 is invalid for finished job");
    if ((now->ready != old->ready || now->active != old->active) && now->ready > now->active)
        refuse_number(errors, "status.ready", now->ready, "cannot set more ready pods than active");
}

static void check_criteria(const lw_node *spec, const job_state *now, lw_api_status *errors)
{
    if (now->meets_criteria && now->is_failed)
        refuse_conditions(errors, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    if (now->meets_criteria && now->has_failure_target)
        refuse_conditions(errors,
                          "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    if (lw_node_get(spec, LW_STR("successPolicy")) && !now->meets_criteria && now->is_complete)
        refuse_conditions(errors, "cannot set Complete=True for Job with SuccessPolicy unless "
                                  "SuccessCriteriaMet=True");
}

/* A job that is over stays over. */
static void check_terminal(const job_state *now, const job_state *old, lw_api_status *errors)
{
    if (old->is_failed && !now->is_failed)
        refuse_conditions(errors, "cannot disable the terminal Failed=True condition");
    if (old->is_complete && !now->is_complete)
        refuse_conditions(errors, "cannot disable the terminal Complete=True condition");
    if (old->has_failure_target && !now->has_failure_target)
        refuse_conditions(errors, "cannot disable the terminal FailureTarget=True condition");
}

static void check_counters(const lw_node *spec, const job_state *now, const job_state *old,
                           lw_api_status *errors)
{
    int64_t failed = lw_fields_int(now->status, "failed", 0);
    int64_t succeeded = lw_fields_int(now->status, "succeeded", 0);
    bool is_elastic =
        lw_str_equal(lw_fields_text(spec, "completionMode"), LW_STR("Indexed")) &&
        lw_fields_int(spec, "completions", -1) == lw_fields_int(spec, "parallelism", -1);
    if (failed < lw_fields_int(old->status, "failed", 0))
        refuse_number(errors, "status.failed", failed, "cannot decrease the failed counter");
    if (!is_elastic && succeeded < lw_fields_int(old->status, "succeeded", 0))
        refuse_number(errors, "status.succeeded", succeeded,
                      "cannot decrease the succeeded counter");
}

static void check_changes(const lw_node *spec, const job_state *now, const job_state *old,
                          lw_api_status *errors)
{
    bool is_resuming = old->is_suspended && now->is_resumed;
    if (now->end.len > 0 && old->end.len > 0 && !lw_str_equal(now->end, old->end))
        lw_field_error_invalid(errors, "status.completionTime", now->end, "field is immutable");
    if (!is_resuming && old->start.len > 0 && !lw_str_equal(now->start, old->start) &&
        !lw_node_bool(lw_node_get(spec, LW_STR("suspend")))) {
        static const char why[] = "field is immutable for unsuspended job once set";
        if (now->start.len > 0)
            lw_field_error_invalid(errors, "status.startTime", now->start, why);
        else
            lw_field_error_plain(errors, "status.startTime", LW_STR("null"), why);
    }
    if (old->meets_criteria && !now->meets_criteria)
        refuse_conditions(errors, "cannot disable the SuccessCriteriaMet=True condition");
    if (old->is_complete && !old->meets_criteria && now->meets_criteria)
        refuse_conditions(errors, "cannot set SuccessCriteriaMet=True for Job already has "
                                  "Complete=true conditions");
}

void lw_status_validate_job(lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "active", LW_VALUE_NOT_NEGATIVE, NULL },
        { "succeeded", LW_VALUE_NOT_NEGATIVE, NULL },
        { "failed", LW_VALUE_NOT_NEGATIVE, NULL },
        { "ready", LW_VALUE_NOT_NEGATIVE, NULL },
        { "terminating", LW_VALUE_NOT_NEGATIVE, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    job_state now = read_state(pending->root), old = read_state(pending->old);
    lw_value_validate(rules, now.status, "status", errors);
    check_uncounted(now.status, errors);
    check_conditions(&now, &old, errors);
    check_times(&now, &old, errors);
    check_targets(&now, &old, errors);
    check_finished(spec, &now, &old, errors);
    lw_job_indexes_validate(spec, now.status, old.status, errors);
    check_pods(&now, &old, errors);
    check_criteria(spec, &now, errors);
    check_terminal(&now, &old, errors);
    check_counters(spec, &now, &old, errors);
    check_changes(spec, &now, &old, errors);
}
