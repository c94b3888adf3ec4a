/* SPDX-License-Identifier: Apache-2.0 */
/* job.c -- the controller of Jobs: Pods that come to an end, as many as are asked for.
 *
 * What has succeeded and failed is counted in the Pods that are there, which are kept until the Job
 * goes.  Jobs with completionMode Indexed are run as others. */
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "controller.h"
#include "expectations.h"
#include "job_plan.h"
#include "loop.h"
#include "moment.h"
#include "owner.h"
#include "patch.h"
#include "pod.h"
#include "pod_writer.h"
#include "reading.h"
#include "recorder.h"
#include "report.h"

enum {
    WORKERS = 2,
};

typedef struct controller {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_expectations *expectations;
    lw_informer *jobs;
    lw_informer *pods;
    lw_pod_writer writer;
} controller;

/* One Job while it is reconciled. */
typedef struct work {
    const controller *c;
    const lw_object *job;
    const lw_object **active; /* its Pods that have not ended */
    int64_t ready;
    int64_t start_ns; /* status.startTime; 0: not begun */
    int64_t now_ns;
    lw_job_facts facts;
    lw_job_plan plan;
} work;

static lw_gvr jobs(void)
{
    return lw_gvr_make("batch", "v1", "jobs");
}

/* When a Pod has ended, as well as it can be known. */
static int64_t ended_at(const lw_object *pod)
{
    int64_t when = 0;
    if (!lw_read_moment(pod, &when, "/status/containerStatuses/0/state/terminated/finishedAt") &&
        !lw_read_moment(pod, &when, "/status/conditions/0/lastTransitionTime"))
        (void)lw_read_moment(pod, &when, "/metadata/creationTimestamp");
    return when;
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
    if (!lw_read_moment(w->job, &w->start_ns, "/status/startTime"))
        w->start_ns = f->is_suspended ? 0 : w->now_ns;
    f->active_ns = w->start_ns ? w->now_ns - w->start_ns : 0;
}

static void count_pods(work *w, const lw_object_list *pods)
{
    lw_job_facts *f = &w->facts;
    int64_t last_failure = INT64_MIN;
    for (size_t i = 0; i < lw_object_list_count(pods); i++) {
        const lw_object *pod = lw_object_list_at(pods, i);
        if (lw_text_is(lw_read_text(pod, "/status/phase"), "Succeeded")) {
            f->succeeded++;
        } else if (lw_text_is(lw_read_text(pod, "/status/phase"), "Failed")) {
            int64_t ended = ended_at(pod);
            f->failed++;
            last_failure = ended > last_failure ? ended : last_failure;
        } else if (lw_pod_is_active(pod)) {
            w->active[f->active++] = pod;
            w->ready += lw_pod_is_ready(pod, NULL);
            f->restarts += lw_object_int(pod, "/status/containerStatuses/0/restartCount", 0);
        }
    }
    if (last_failure != INT64_MIN)
        f->since_failure_ns = w->now_ns - last_failure;
}

static void set_condition(lw_document *patch, lw_value *conditions, const char *type,
                          const char *reason, const char *message, int64_t now)
{
    const lw_condition condition = { type, "True", reason, message };
    lw_condition_set(patch, conditions, &condition, "/lastProbeTime", now, false);
}

/* The conditions of its end; newer API servers want the first of each pair to go before. */
static void set_end(work *w, lw_document *patch, lw_value *conditions)
{
    static const char reached[] = "Reached expected number of succeeded pods";
    char now[LW_MOMENT_SIZE];
    const lw_job_plan *plan = &w->plan;
    if (plan->is_complete) {
        set_condition(patch, conditions, "SuccessCriteriaMet", "CompletionsReached", reached,
                      w->now_ns);
        set_condition(patch, conditions, "Complete", "CompletionsReached", reached, w->now_ns);
        lw_moment_format(now, w->now_ns);
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

static lw_status tell_status(work *w, lw_error *err)
{
    lw_document *patch = NULL;
    char start[LW_MOMENT_SIZE];
    lw_str before;
    bool is_end = w->plan.is_complete || w->plan.failure, is_changed = is_end;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    set_count(w, patch, "/status/active", is_end ? 0 : w->facts.active, &is_changed);
    set_count(w, patch, "/status/ready", is_end ? 0 : w->ready, &is_changed);
    set_count(w, patch, "/status/succeeded", w->facts.succeeded, &is_changed);
    set_count(w, patch, "/status/failed", w->facts.failed, &is_changed);
    if (w->start_ns && !lw_read_has(w->job, "/status/startTime")) {
        lw_moment_format(start, w->start_ns);
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
        st = lw_patch_send(w->c->env->client, jobs(), w->job, "status", patch, err);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Creates or deletes Pods, so that as many are active as the plan says. */
static lw_status manage(work *w, lw_error *err)
{
    int64_t missing = w->plan.wanted - w->facts.active;
    size_t active = (size_t)w->facts.active;
    if (missing > 0)
        return lw_pod_writer_create(&w->c->writer, w->job,
                                    missing < LW_POD_BURST ? (size_t)missing : LW_POD_BURST, err);
    if (missing == 0)
        return LW_OK;
    lw_status st = lw_pod_sort_for_deletion(w->active, active, err);
    return st < 0 ? st
                  : lw_pod_writer_delete(&w->c->writer, w->job, w->active, (size_t)-missing, err);
}

static void tell_end(const work *w)
{
    if (w->plan.is_complete)
        lw_recorder_event(w->c->env->recorder, w->job, "job-controller", "Normal", "Completed",
                          "Job completed");
    else if (w->plan.failure)
        lw_recorder_event(w->c->env->recorder, w->job, "job-controller", "Warning", w->plan.failure,
                          "%s", w->plan.message);
}

static lw_status sync_work(work *w, const lw_object_list *pods, lw_reconcile_result *result,
                           lw_error *err)
{
    size_t count = lw_object_list_count(pods);
    lw_status st = LW_OK;
    w->active = calloc(count ? count : 1, sizeof(*w->active));
    if (!w->active)
        return lw_report_nomem(err);
    w->now_ns = w->c->env->clock->wall_ns(w->c->env->clock->arg);
    read_spec(w);
    count_pods(w, pods);
    w->plan = lw_job_plan_of(&w->facts);
    result->again_after_ns = w->plan.again_ns;
    if (lw_expectations_are_met(w->c->expectations, lw_object_uid(w->job)))
        st = manage(w, err);
    else
        w->plan = (lw_job_plan){ .wanted = w->facts.active }; /* what ends it may be old */
    lw_status told = tell_status(w, st < 0 ? NULL : err);
    if (st == LW_OK && told == LW_OK)
        tell_end(w);
    free(w->active);
    return st < 0 ? st : told;
}

/* Whether it has come to its end before, and when. */
static bool is_over(const lw_object *job, int64_t *when_ns)
{
    size_t at;
    if (lw_read_condition(job, "Complete", &at).len == 0 &&
        lw_read_condition(job, "Failed", &at).len == 0)
        return false;
    if (!lw_read_moment(job, when_ns, "/status/conditions/%zu/lastTransitionTime", at))
        *when_ns = 0;
    return true;
}

/* Removes a Job that has ended long enough ago, with its Pods. */
static lw_status clean_up(const controller *c, const lw_object *job, int64_t ended_ns,
                          lw_reconcile_result *result, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    int64_t ttl_s = lw_object_int(job, "/spec/ttlSecondsAfterFinished", -1);
    if (ttl_s < 0)
        return LW_OK;
    int64_t left_ns = ended_ns + ttl_s * LW_SECOND_NS - c->env->clock->wall_ns(c->env->clock->arg);
    if (left_ns > 0) {
        result->again_after_ns = left_ns;
        return LW_OK;
    }
    options.uid = lw_object_uid(job);
    options.resource_version = lw_object_resource_version(job);
    options.propagation = "Background";
    lw_status st = lw_client_delete(c->env->client, jobs(), lw_object_namespace(job),
                                    lw_object_name(job), &options, err);
    if (st == LW_OK)
        lw_control_loop_step(c->loop, "deleted", "Job", lw_object_key(job), NULL);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static lw_status sync_job(const controller *c, const lw_object *job, lw_reconcile_result *result,
                          lw_error *err)
{
    work w = { .c = c, .job = job };
    const lw_claim claim = { c->env->client, job, jobs(), c->pods, lw_gvr_make("", "v1", "pods") };
    lw_object_list *pods = NULL;
    int64_t ended_ns = 0;
    if (lw_read_has(job, "/metadata/deletionTimestamp"))
        return LW_OK;
    if (is_over(job, &ended_ns))
        return clean_up(c, job, ended_ns, result, err);
    lw_status st = lw_pod_writer_settle(&c->writer, job, err);
    if (st == LW_OK)
        st = lw_owner_claim(&claim, &pods, err);
    if (st == LW_OK)
        st = sync_work(&w, pods, result, err);
    lw_object_list_free(pods);
    return st;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    lw_object *job = lw_lister_get(lw_informer_lister(c->jobs), key.ns.ptr, key.name.ptr);
    if (!job)
        return LW_OK;
    lw_status st = sync_job(c, job, result, err);
    lw_object_unref(job);
    return st;
}

static void on_job(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    lw_key key = lw_object_key(event->object);
    lw_expectations_saw_owner(c->expectations, event);
    lw_control_loop_add(loop, key.ns, key.name);
}

static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    lw_owner owner;
    lw_pod_writer_saw(&c->writer, event);
    if (lw_owner_of(event->object, &owner) && strcmp(owner.kind, "Job") == 0)
        lw_control_loop_add(loop, lw_object_key(event->object).ns, lw_str_of(owner.name));
}

static void controller_free(void *self)
{
    controller *c = self;
    if (!c)
        return;
    lw_control_loop_free(c->loop);
    lw_expectations_free(c->expectations);
    free(c);
}

static lw_status controller_make(void **out, const lw_control_env *env, lw_error *err)
{
    controller *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    c->env = env;
    lw_status st = lw_expectations_new(&c->expectations, env->clock, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&c->loop, env, "job", WORKERS, reconcile, c, err);
    c->writer = (lw_pod_writer){ env, c->loop, c->expectations, "job-controller" };
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, "jobs.batch", on_job, c, &c->jobs, err);
    if (st == LW_OK)
        st = lw_factory_informer(env->factory, "pods", &c->pods, err);
    if (st == LW_OK)
        st = lw_control_add_index(c->pods, LW_OWNER_INDEX, lw_owner_index, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, "pods", on_pod, c, NULL, err);
    if (st < 0)
        controller_free(c);
    else
        *out = c;
    return st;
}

static lw_status controller_start(void *self, lw_error *err)
{
    controller *c = self;
    return lw_control_loop_start(c->loop, err);
}

const lw_controller_type lw_job_controller = {
    .name = "job",
    .needs_lease = true,
    .make = controller_make,
    .start = controller_start,
    .free = controller_free,
};
