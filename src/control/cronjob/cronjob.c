/* SPDX-License-Identifier: Apache-2.0 */
/* cronjob.c -- the controller of CronJobs: creates a Job at each time of a schedule.
 *
 * Each run determines the last scheduled time until now and creates its Job if there is none,
 * unless it is too late or another Job is still running and the concurrency policy forbids it. */
#include "cronjob/cronjob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "cronjob/cron.h"
#include "runtime/fields.h"
#include "runtime/owner.h"
#include "runtime/patch.h"
#include "runtime/report.h"

#define COMPONENT "cronjob-controller"

enum {
    WORKERS = 2,
    NAME_SIZE = 128, /* of the names of zones and of schedules */
    WRITTEN_SIZE = 96,
    SEEN_S = 10, /* timeout for the cache to show what was written */
};

#define SLACK_NS (LW_NS_PER_S / 10) /* after the moment, so that no clock is before it */

typedef struct controller {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *cronjobs;
    lw_informer *jobs;
} controller;

static void warn(const lw_cronjob *c, const char *reason, const char *message)
{
    lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Warning", reason, "%s",
                           message);
}

/* Reads when the last successful Job ended. */
static void read_succeeded(lw_cronjob *c)
{
    (void)lw_read_timestamp(c->cronjob, &c->succeeded_ns, "/status/lastSuccessfulTime");
    for (size_t i = 0; i < lw_object_list_count(c->jobs); i++) {
        const lw_object *job = lw_object_list_at(c->jobs, i);
        int64_t when = 0;
        bool is_good;
        if (lw_cronjob_has_ended(job, &is_good) && is_good &&
            lw_read_timestamp(job, &when, "/status/completionTime") && when > c->succeeded_ns)
            c->succeeded_ns = when;
    }
}

static void set_moment(const lw_cronjob *c, lw_document *patch, const char *pointer, int64_t ns,
                       bool *is_changed)
{
    char text[LW_TIME_TEXT_SIZE];
    if (ns == 0)
        return;
    lw_time_format_ns(text, ns);
    if (lw_text_is(lw_read_text(c->cronjob, "%s", pointer), text))
        return;
    lw_document_set_string(patch, NULL, pointer, text);
    *is_changed = true;
}

static void set_active(const lw_cronjob *c, lw_document *patch, bool *is_changed)
{
    size_t count = lw_object_list_count(c->active);
    bool is_same = !lw_read_has(c->cronjob, "/status/active/%zu", count);
    for (size_t i = 0; i < count; i++)
        is_same = is_same && lw_text_is(lw_read_text(c->cronjob, "/status/active/%zu/uid", i),
                                        lw_object_uid(lw_object_list_at(c->active, i)));
    if (is_same)
        return;
    *is_changed = true;
    if (count == 0)
        lw_document_set_null(patch, NULL, "/status/active");
    for (size_t i = 0; i < count; i++) {
        const lw_object *job = lw_object_list_at(c->active, i);
        lw_value *to = lw_document_set_object(patch, NULL, "/status/active/-");
        lw_document_set_string(patch, to, "/apiVersion", "batch/v1");
        lw_document_set_string(patch, to, "/kind", "Job");
        lw_document_set_string(patch, to, "/namespace", lw_object_namespace(job));
        lw_document_set_string(patch, to, "/name", lw_object_name(job));
        lw_document_set_string(patch, to, "/uid", lw_object_uid(job));
        lw_document_set_string(patch, to, "/resourceVersion", lw_object_resource_version(job));
    }
}

/* Waits until the cache has the status: the next run must not treat a started Job as missing. */
static lw_status update_status(const lw_cronjob *c, lw_error *err)
{
    lw_document *patch = NULL;
    lw_object *made = NULL;
    bool is_changed = false;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    set_active(c, patch, &is_changed);
    set_moment(c, patch, "/status/lastScheduleTime", c->last_ns, &is_changed);
    set_moment(c, patch, "/status/lastSuccessfulTime", c->succeeded_ns, &is_changed);
    if (is_changed)
        st = lw_patch_send_for(c->env->client, lw_gvr_make("batch", "v1", "cronjobs"), c->cronjob,
                               "status", patch, &made, err);
    if (made)
        st = lw_informer_wait_for_revision(c->cronjobs, lw_object_revision(made), SEEN_S, err);
    lw_object_unref(made);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Decides whether a Job may be started now, given the active ones. */
static lw_status make_room(lw_cronjob *c, bool *may, lw_error *err)
{
    lw_str policy = lw_read_text(c->cronjob, "/spec/concurrencyPolicy");
    *may = true;
    if (lw_object_list_count(c->active) == 0)
        return LW_OK;
    if (lw_text_is(policy, "Forbid")) {
        *may = false;
        lw_recorder_event_from(
            c->env->recorder, COMPONENT, c->cronjob, "Normal", "JobAlreadyActive",
            "Not starting job because prior execution is running and concurrency "
            "policy is Forbid");
        return LW_OK;
    }
    return lw_text_is(policy, "Replace") ? lw_cronjob_stop_active(c, err) : LW_OK;
}

/* Writes the time in |zone|: "2026-11-17T01:00:00+01:00". */
static void write_moment(char text[WRITTEN_SIZE], const lw_zone *zone, int64_t when_s)
{
    int64_t offset_s = lw_zone_offset(zone, when_s);
    int64_t minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;
    lw_civil at = lw_civil_of(when_s + offset_s);
    int len = snprintf(text, WRITTEN_SIZE, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)at.year,
                       at.month, at.day, at.hour, at.minute, at.second);
    if (offset_s == 0)
        (void)snprintf(text + len, WRITTEN_SIZE - (size_t)len, "Z");
    else
        (void)snprintf(text + len, WRITTEN_SIZE - (size_t)len, "%c%02lld:%02lld",
                       offset_s < 0 ? '-' : '+', (long long)(minutes / 60),
                       (long long)(minutes % 60));
}

/* Starts the Job that is due, if any. */
static lw_status start_due(lw_cronjob *c, const lw_cron_due *due, const lw_zone *zone,
                           lw_error *err)
{
    char written[WRITTEN_SIZE];
    int64_t deadline_s = lw_object_int(c->cronjob, "/spec/startingDeadlineSeconds", -1);
    bool may = false;
    if (due->last_s < 0)
        return LW_OK;
    write_moment(written, zone, due->last_s);
    if (deadline_s >= 0 && (due->last_s + deadline_s) * LW_NS_PER_S < c->now_ns) {
        lw_recorder_event_from(c->env->recorder, COMPONENT, c->cronjob, "Warning", "MissSchedule",
                               "Missed scheduled time to start a job: %s", written);
        return LW_OK;
    }
    if (due->missed >= LW_CRON_MISSED_MANY && deadline_s < 0)
        warn(c, "TooManyMissedTimes",
             "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
             "clock skew");
    lw_status st = make_room(c, &may, err);
    if (st == LW_OK && may)
        st = lw_cronjob_run(c, due->last_s, written, err);
    return st == LW_ERR_EXISTS ? LW_OK : st; /* it was reported; the next time has another name */
}

/* Parses the time zone (NULL: UTC) and the schedule.  False: one of them is invalid, which was
 * reported. */
static bool read_schedule(const lw_cronjob *c, lw_zone **zone, lw_cron *cron)
{
    char name[NAME_SIZE], message[LW_ERROR_MESSAGE_SIZE + NAME_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_str schedule = lw_read_text(c->cronjob, "/spec/schedule");
    lw_text_copy(lw_read_text(c->cronjob, "/spec/timeZone"), name, sizeof(name));
    *zone = NULL;
    if (name[0] != '\0' && strcmp(name, "UTC") != 0 &&
        lw_zone_load(zone, LW_ZONE_FOLDER, name, &err) < 0) {
        (void)snprintf(message, sizeof(message), "invalid timeZone: %s", err.message);
        warn(c, "UnknownTimeZone", message);
        return false;
    }
    if (lw_cron_parse(cron, schedule, &err) == LW_OK)
        return true;
    (void)snprintf(message, sizeof(message), "unparseable schedule: %s", err.message);
    warn(c, "UnparseableSchedule", message);
    lw_zone_free(*zone);
    return false;
}

static lw_status follow_schedule(lw_cronjob *c, lw_reconcile_result *result, lw_error *err)
{
    lw_zone *zone = NULL;
    lw_cron cron;
    int64_t since_ns = c->last_ns;
    if (lw_object_bool(c->cronjob, "/spec/suspend", false) || !read_schedule(c, &zone, &cron))
        return LW_OK;
    if (since_ns == 0 && !lw_read_timestamp(c->cronjob, &since_ns, "/metadata/creationTimestamp"))
        since_ns = c->now_ns;
    lw_cron_due due = lw_cron_due_of(&cron, zone, since_ns / LW_NS_PER_S, c->now_ns / LW_NS_PER_S);
    lw_status st = start_due(c, &due, zone, err);
    if (due.next_s >= 0)
        result->again_after_ns = due.next_s * LW_NS_PER_S - c->now_ns + SLACK_NS;
    lw_zone_free(zone);
    return st;
}

/* Updates the status even if a step failed. */
static lw_status sync(lw_cronjob *c, lw_reconcile_result *result, lw_error *err)
{
    (void)lw_read_timestamp(c->cronjob, &c->last_ns, "/status/lastScheduleTime");
    read_succeeded(c);
    lw_status st = lw_cronjob_read_active(c, err);
    if (st < 0)
        return st;
    st = lw_cronjob_trim_history(c, err);
    if (st == LW_OK)
        st = follow_schedule(c, result, err);
    lw_status updated = update_status(c, st < 0 ? NULL : err);
    return st < 0 ? st : updated;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *k = arg;
    lw_object *cronjob = lw_lister_get(lw_informer_lister(k->cronjobs), key.ns.ptr, key.name.ptr);
    lw_cronjob c = { .env = k->env, .loop = k->loop, .cronjobs = k->cronjobs, .cronjob = cronjob };
    lw_status st = LW_OK;
    if (!cronjob || lw_read_has(cronjob, "/metadata/deletionTimestamp")) {
        lw_object_unref(cronjob);
        return LW_OK;
    }
    c.now_ns = k->env->clock->wall_ns(k->env->clock->arg);
    st = lw_lister_by_index(lw_informer_lister(k->jobs), LW_OWNER_INDEX, lw_object_uid(cronjob),
                            &c.jobs, err);
    if (st == LW_OK && (st = lw_object_list_new(&c.active, 0)) < 0)
        st = lw_report_nomem(err);
    if (st == LW_OK)
        st = sync(&c, result, err);
    lw_object_list_free(c.active);
    lw_object_list_free(c.jobs);
    lw_object_unref(cronjob);
    return st;
}

static void on_job(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lw_owner owner;
    (void)arg;
    if (lw_owner_of(event->object, &owner) && strcmp(owner.kind, "CronJob") == 0)
        lw_control_loop_add(loop, lw_object_key(event->object).ns, lw_str_of(owner.name));
}

static void controller_free(void *self)
{
    controller *k = self;
    if (!k)
        return;
    lw_control_loop_free(k->loop);
    free(k);
}

static lw_status controller_make(void **out, const lw_control_env *env, lw_error *err)
{
    controller *k = calloc(1, sizeof(*k));
    if (!k)
        return lw_report_nomem(err);
    k->env = env;
    lw_status st = lw_factory_informer(env->factory, "jobs.batch", &k->jobs, err);
    if (st == LW_OK)
        st = lw_control_add_index(k->jobs, LW_OWNER_INDEX, lw_owner_index, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&k->loop, env, "cronjob", WORKERS, reconcile, k, err);
    if (st == LW_OK)
        st = lw_control_loop_watch(k->loop, "cronjobs.batch", &k->cronjobs, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(k->loop, "jobs.batch", on_job, k, NULL, err);
    if (st < 0)
        controller_free(k);
    else
        *out = k;
    return st;
}

static lw_status controller_start(void *self, lw_error *err)
{
    controller *k = self;
    return lw_control_loop_start(k->loop, err);
}

const lw_controller_type lw_cronjob_controller = {
    .name = "cronjob",
    .user = LW_CONTROL_ACCOUNT "cronjob-controller",
    .needs_lease = true,
    .make = controller_make,
    .start = controller_start,
    .free = controller_free,
};
