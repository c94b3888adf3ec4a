/* SPDX-License-Identifier: Apache-2.0 */
/* cronjob_jobs.c -- the Jobs of one CronJob.  Their names are derived from the scheduled time, so
 * that a stale cache cannot lead to a second run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cronjob/cronjob.h"
#include "runtime/fields.h"
#include "runtime/owner.h"
#include "runtime/report.h"

#define COMPONENT "cronjob-controller"

enum {
    BASE_MAX = 52, /* of a CronJob's name; with the minutes it is a DNS label */
    KEEP_GOOD = 3,
    KEEP_FAILED = 1,
};

static lw_gvr jobs_gvr(void)
{
    return lw_gvr_make("batch", "v1", "jobs");
}

bool lw_cronjob_has_ended(const lw_object *job, bool *is_good)
{
    *is_good = lw_text_is(lw_read_condition(job, "Complete", NULL), "True");
    return *is_good || lw_text_is(lw_read_condition(job, "Failed", NULL), "True");
}

static const lw_object *find_job(const lw_cronjob *c, lw_str uid)
{
    for (size_t i = 0; i < lw_object_list_count(c->jobs); i++) {
        const lw_object *job = lw_object_list_at(c->jobs, i);
        if (lw_str_equal(lw_str_of(lw_object_uid(job)), uid))
            return job;
    }
    return NULL;
}

static void record_end(lw_cronjob *c, const lw_object *job, bool is_good)
{
    lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Normal", "SawCompletedJob",
                           "Saw completed job: %s, condition: %s", lw_object_name(job),
                           is_good ? "Complete" : "Failed");
}

/* Gets a Job that is not in the cache: it may be too new, or deleted. */
static lw_status ask_for(lw_cronjob *c, lw_str uid, const char *name, lw_error *err)
{
    lw_object *job = NULL;
    bool is_good;
    lw_status st = lw_client_get(c->env->client, jobs_gvr(), lw_object_namespace(c->cronjob), name,
                                 NULL, &job, err);
    if (st == LW_OK && lw_str_equal(lw_str_of(lw_object_uid(job)), uid)) {
        if (lw_cronjob_has_ended(job, &is_good))
            record_end(c, job, is_good);
        else
            st = lw_object_list_append(c->active, job);
    } else if (st == LW_OK || st == LW_ERR_NOT_FOUND) {
        lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Normal", "MissingJob",
                               "Active job went missing: %s", name);
        st = LW_OK;
    }
    lw_object_unref(job);
    return st;
}

lw_status lw_cronjob_read_active(lw_cronjob *c, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && lw_read_has(c->cronjob, "/status/active/%zu", i); i++) {
        char name[LW_NAME_SIZE];
        lw_str uid = lw_read_text(c->cronjob, "/status/active/%zu/uid", i);
        const lw_object *job = find_job(c, uid);
        bool is_good;
        lw_text_copy(lw_read_text(c->cronjob, "/status/active/%zu/name", i), name, sizeof(name));
        if (!job)
            st = ask_for(c, uid, name, err);
        else if (lw_cronjob_has_ended(job, &is_good))
            record_end(c, job, is_good);
        else
            st = lw_object_list_append(c->active, job);
    }
    return st;
}

static void copy_field(lw_document *doc, const char *to, const lw_object *from, const char *pointer)
{
    lw_str json;
    if (lw_object_raw(from, pointer, &json) == LW_OK)
        lw_document_set_json(doc, NULL, to, json);
}

static lw_status make_job(lw_object **out, const lw_cronjob *c, const char *name,
                          const char *written, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/apiVersion", "batch/v1");
    lw_document_set_string(doc, NULL, "/kind", "Job");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(c->cronjob));
    copy_field(doc, "/metadata/labels", c->cronjob, "/spec/jobTemplate/metadata/labels");
    copy_field(doc, "/metadata/annotations", c->cronjob, "/spec/jobTemplate/metadata/annotations");
    lw_document_set_string(doc, NULL,
                           "/metadata/annotations/batch.kubernetes.io~1cronjob-scheduled-timestamp",
                           written);
    lw_owner_add(doc, c->cronjob);
    copy_field(doc, "/spec", c->cronjob, "/spec/jobTemplate/spec");
    st = lw_document_to_object(doc, out, err);
    lw_document_free(doc);
    return st;
}

/* A Job with that name exists: ours, from a run that was not recorded, or that of another owner. */
static lw_status meet(const lw_cronjob *c, const char *name, lw_object **out, lw_error *err)
{
    lw_owner owner = { .uid = "" };
    lw_object *job = NULL;
    lw_status st = lw_client_get(c->env->client, jobs_gvr(), lw_object_namespace(c->cronjob), name,
                                 NULL, &job, err);
    if (st < 0)
        return st;
    if (lw_owner_of(job, &owner) && strcmp(owner.uid, lw_object_uid(c->cronjob)) == 0) {
        *out = job;
        return LW_OK;
    }
    lw_object_unref(job);
    return lw_report_error(err, LW_ERR_EXISTS,
                           "Job %s already exists and does not belong to this CronJob", name);
}

static lw_status create(const lw_cronjob *c, const lw_object *wanted, lw_object **made,
                        lw_error *err)
{
    const char *name = lw_object_name(wanted);
    lw_status st = lw_client_create(c->env->client, jobs_gvr(), wanted, NULL, made, err);
    if (st == LW_ERR_EXISTS)
        return meet(c, name, made, err);
    if (st < 0)
        return st;
    lw_control_loop_step(c->loop, "created", "Job", lw_object_key(wanted), NULL);
    lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Normal", "SuccessfulCreate",
                           "Created job %s", name);
    return LW_OK;
}

lw_status lw_cronjob_run(lw_cronjob *c, int64_t when_s, const char *written, lw_error *err)
{
    char name[LW_NAME_SIZE];
    lw_object *wanted = NULL, *made = NULL;
    lw_error detail = LW_ERROR_INIT;
    bool is_good;
    (void)snprintf(name, sizeof(name), "%.*s-%lld", BASE_MAX, lw_object_name(c->cronjob),
                   (long long)(when_s / 60));
    lw_status st = make_job(&wanted, c, name, written, &detail);
    if (st == LW_OK)
        st = create(c, wanted, &made, &detail);
    if (st == LW_OK) {
        c->last_ns = when_s * LW_NS_PER_S;
        if (!lw_cronjob_has_ended(made, &is_good))
            st = lw_object_list_append(c->active, made);
    } else {
        lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Warning", "FailedCreate",
                               "Error creating job: %s", detail.message);
        if (err)
            *err = detail;
    }
    lw_object_unref(made);
    lw_object_unref(wanted);
    return st;
}

static lw_status delete_job(const lw_cronjob *c, const lw_object *job, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.uid = lw_object_uid(job);
    options.propagation = "Background";
    lw_status st = lw_client_delete(c->env->client, jobs_gvr(), lw_object_namespace(job),
                                    lw_object_name(job), &options, err);
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    if (st < 0)
        return st;
    lw_control_loop_step(c->loop, "deleted", "Job", lw_object_key(job), NULL);
    lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Normal", "SuccessfulDelete",
                           "Deleted job %s", lw_object_name(job));
    return LW_OK;
}

lw_status lw_cronjob_stop_active(lw_cronjob *c, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(c->active); i++)
        st = delete_job(c, lw_object_list_at(c->active, i), err);
    if (st < 0)
        return st;
    lw_object_list_free(c->active);
    c->active = NULL;
    st = lw_object_list_new(&c->active, 0);
    return st < 0 ? lw_report_nomem(err) : LW_OK;
}

/* A finished Job. */
typedef struct past_job {
    const lw_object *job;
    int64_t start_ns;
} past_job;

static int by_start(const void *left, const void *right)
{
    const past_job *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return lw_key_compare(lw_object_key(a->job), lw_object_key(b->job));
}

static lw_status trim(lw_cronjob *c, past_job *jobs, bool good, int64_t keep, lw_error *err)
{
    size_t count = 0;
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_object_list_count(c->jobs); i++) {
        past_job past = { lw_object_list_at(c->jobs, i), 0 };
        bool is_good;
        if (!lw_cronjob_has_ended(past.job, &is_good) || is_good != good ||
            lw_read_has(past.job, "/metadata/deletionTimestamp"))
            continue;
        if (!lw_read_timestamp(past.job, &past.start_ns, "/status/startTime"))
            (void)lw_read_timestamp(past.job, &past.start_ns, "/metadata/creationTimestamp");
        jobs[count++] = past;
    }
    qsort(jobs, count, sizeof(*jobs), by_start);
    for (size_t i = 0; st == LW_OK && (int64_t)(count - i) > keep; i++)
        st = delete_job(c, jobs[i].job, err);
    return st;
}

lw_status lw_cronjob_trim_history(lw_cronjob *c, lw_error *err)
{
    past_job *jobs = calloc(lw_object_list_count(c->jobs) + 1, sizeof(*jobs));
    if (!jobs)
        return lw_report_nomem(err);
    lw_status st =
        trim(c, jobs, true,
             lw_object_int(c->cronjob, "/spec/successfulJobsHistoryLimit", KEEP_GOOD), err);
    if (st == LW_OK)
        st = trim(c, jobs, false,
                  lw_object_int(c->cronjob, "/spec/failedJobsHistoryLimit", KEEP_FAILED), err);
    free(jobs);
    return st;
}
