/* SPDX-License-Identifier: Apache-2.0 */
/* job.c -- the controller of Jobs: runs Pods to completion.
 *
 * Succeeded and failed Pods are counted in the cache; they are kept until the Job is deleted.  Jobs
 * with completionMode Indexed are treated like others. */
#include "controllers.h"
#include "job/job_plan.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/patch.h"
#include "workload/workload.h"

/* One Job while it is reconciled. */
typedef struct work {
    lw_workload *w;
    const lw_object *job;
    lw_tally tally;
    int64_t start_ns; /* status.startTime; 0: not started */
    int64_t now_ns;
    lw_job_facts facts;
    lw_job_plan plan;
} work;

static lw_gvr jobs(void)
{
    return lw_gvr_make("batch", "v1", "jobs");
}

static void read_spec(work *w)
{
    lw_job_facts *f = &w->facts;
    f->completions = lw_object_int(w->job, "/spec/completions", -1);
    f->parallelism = lw_object_int(w->job, "/spec/parallelism", 1);
    f->backoff_limit = lw_object_int(w->job, "/spec/backoffLimit", 6);
    f->deadline_s = lw_object_int(w->job, "/spec/activeDeadlineSeconds", -1);
    f->is_suspended = lw_object_bool(w->job, "/spec/suspend", false);
    f->restarts_in_place =
        lw_text_is(lw_read_text(w->job, "/spec/template/spec/restartPolicy"), "OnFailure");
    if (!lw_read_timestamp(w->job, &w->start_ns, "/status/startTime"))
        w->start_ns = f->is_suspended ? 0 : w->now_ns;
    f->active_ns = w->start_ns ? w->now_ns - w->start_ns : 0;
}

static void count_pods(work *w)
{
    lw_job_facts *f = &w->facts;
    const lw_tally *t = &w->tally;
    f->active = t->active;
    f->succeeded = t->succeeded;
    f->failed = t->failed;
    f->restarts = t->restarts;
    if (t->failed > 0)
        f->since_failure_ns = w->now_ns - t->last_failure_ns;
}

static void set_condition(lw_document *patch, lw_value *conditions, const char *type,
                          const char *reason, const char *message, int64_t now)
{
    const lw_patch_condition condition = { type, "True", reason, message };
    lw_patch_condition_set(patch, conditions, &condition, "/lastProbeTime", now, false);
}

/* Sets the conditions of a finished Job; newer API servers require the first of each pair before
 * the second. */
static void set_end(work *w, lw_document *patch, lw_value *conditions)
{
    static const char reached[] = "Reached expected number of succeeded pods";
    char now[LW_TIME_TEXT_SIZE];
    const lw_job_plan *plan = &w->plan;
    if (plan->is_complete) {
        set_condition(patch, conditions, "SuccessCriteriaMet", "CompletionsReached", reached,
                      w->now_ns);
        set_condition(patch, conditions, "Complete", "CompletionsReached", reached, w->now_ns);
        lw_time_format_ns(now, w->now_ns);
        lw_document_set_string(patch, NULL, "/status/completionTime", now);
    } else if (plan->failure) {
        set_condition(patch, conditions, "FailureTarget", plan->failure, plan->message, w->now_ns);
        set_condition(patch, conditions, "Failed", plan->failure, plan->message, w->now_ns);
    }
}

static void set_count(const work *w, lw_document *patch, const char *pointer, int64_t value,
                      bool *is_changed)
{
    if (lw_object_int(w->job, pointer, 0) == value)
        return;
    *is_changed = true;
    if (value == 0)
        lw_document_set_null(patch, NULL, pointer);
    else
        lw_document_set_int(patch, NULL, pointer, value);
}

static lw_status update_status(work *w, lw_error *err)
{
    lw_document *patch = NULL;
    char start[LW_TIME_TEXT_SIZE];
    lw_str before;
    bool is_end = w->plan.is_complete || w->plan.failure, is_changed = is_end;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    set_count(w, patch, "/status/active", is_end ? 0 : w->facts.active, &is_changed);
    set_count(w, patch, "/status/ready", is_end ? 0 : w->tally.ready, &is_changed);
    set_count(w, patch, "/status/succeeded", w->facts.succeeded, &is_changed);
    set_count(w, patch, "/status/failed", w->facts.failed, &is_changed);
    if (w->start_ns && !lw_read_has(w->job, "/status/startTime")) {
        lw_time_format_ns(start, w->start_ns);
        lw_document_set_string(patch, NULL, "/status/startTime", start);
        is_changed = true;
    }
    if (is_end) {
        lw_value *conditions = lw_document_set_array(patch, NULL, "/status/conditions");
        if (lw_object_raw(w->job, "/status/conditions", &before) == LW_OK)
            conditions = lw_document_set_json(patch, NULL, "/status/conditions", before);
        set_end(w, patch, conditions);
    }
    if (is_changed)
        st = lw_patch_send(w->w->env->client, jobs(), w->job, "status", patch, err);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static void record_end(const work *w)
{
    if (w->plan.is_complete)
        lw_recorder_event_from(w->w->env->recorder, "job-controller", w->job, "Normal", "Completed",
                               "Job completed");
    else if (w->plan.failure)
        lw_recorder_event_from(w->w->env->recorder, "job-controller", w->job, "Warning",
                               w->plan.failure, "%s", w->plan.message);
}

static lw_status sync_work(work *w, lw_reconcile_result *result, lw_error *err)
{
    lw_status st = LW_OK;
    w->now_ns = lw_workload_wall_ns(w->w);
    read_spec(w);
    count_pods(w);
    w->plan = lw_job_plan_of(&w->facts);
    result->again_after_ns = w->plan.again_ns;
    if (lw_expectations_are_met(w->w->expectations, lw_object_uid(w->job)))
        st = lw_workload_scale(w->w, w->job, &w->tally, w->plan.wanted, err);
    else
        w->plan = (lw_job_plan){ .wanted = w->facts.active }; /* the cache may be stale */
    if (w->facts.active - w->plan.wanted > LW_POD_BURST)
        w->plan = (lw_job_plan){ .wanted = w->facts.active }; /* it ends when all are deleted */
    lw_status updated = update_status(w, st < 0 ? NULL : err);
    if (st == LW_OK && updated == LW_OK)
        record_end(w);
    return st < 0 ? st : updated;
}

/* True if it has finished before; sets when. */
static bool is_over(const lw_object *job, int64_t *when_ns)
{
    size_t at;
    if (lw_read_condition(job, "Complete", &at).len == 0 &&
        lw_read_condition(job, "Failed", &at).len == 0)
        return false;
    if (!lw_read_timestamp(job, when_ns, "/status/conditions/%zu/lastTransitionTime", at))
        *when_ns = 0;
    return true;
}

/* Deletes a Job, with its Pods, whose TTL after finishing has expired. */
static lw_status clean_up(const lw_workload *w, const lw_object *job, int64_t ended_ns,
                          lw_reconcile_result *result, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    int64_t ttl_s = lw_object_int(job, "/spec/ttlSecondsAfterFinished", -1);
    if (ttl_s < 0)
        return LW_OK;
    int64_t left_ns = ended_ns + ttl_s * LW_NS_PER_S - lw_workload_wall_ns(w);
    if (left_ns > 0) {
        result->again_after_ns = left_ns;
        return LW_OK;
    }
    options.uid = lw_object_uid(job);
    options.resource_version = lw_object_resource_version(job);
    options.propagation = "Background";
    lw_status st = lw_client_delete(w->env->client, jobs(), lw_object_namespace(job),
                                    lw_object_name(job), &options, err);
    if (st == LW_OK)
        lw_control_loop_step(w->loop, "deleted", "Job", lw_object_key(job), NULL);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static lw_status sync_job(lw_workload *w, const lw_object *job, lw_reconcile_result *result,
                          lw_error *err)
{
    work now = { .w = w, .job = job };
    int64_t ended_ns = 0;
    if (lw_read_has(job, "/metadata/deletionTimestamp"))
        return LW_OK;
    if (is_over(job, &ended_ns))
        return clean_up(w, job, ended_ns, result, err);
    lw_status st = lw_workload_claim(w, job, 0, &now.tally, err);
    return st < 0 ? st : sync_work(&now, result, err);
}

static const lw_workload_type job_type = {
    .name = "job",
    .component = "job-controller",
    .group = "batch",
    .plural = "jobs",
    .kind = "Job",
    .resource = "jobs.batch",
    .workers = 2,
    .sync = sync_job,
};

static lw_status job_make(void **out, const lw_control_env *env, lw_error *err)
{
    return lw_workload_make(out, env, &job_type, err);
}

const lw_controller_type lw_job_controller = {
    .name = "job",
    .user = LW_CONTROL_ACCOUNT "job-controller",
    .needs_lease = true,
    .make = job_make,
    .start = lw_workload_start,
    .free = lw_workload_free,
};
