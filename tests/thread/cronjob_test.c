/* SPDX-License-Identifier: Apache-2.0 */
/* cronjob_test.c -- CronJobs by a clock that is moved by hand: which Jobs are started, kept and
 * replaced.  There is no controller of Jobs: they end when the test says so. */
#include <stdio.h>

#include "base/clock.h"
#include "base/sync.h"
#include "support/control_world.h"
#include "unit/test.h"

typedef struct world {
    control_world control;
    lw_manual_clock *clock;
    int64_t minute; /* that the clock shows, since 1970 */
    int pokes;
    lw_thread ticker;
    lw_mutex mu; /* guards is_over */
    lw_cond changed;
    bool is_over;
} world;

enum {
    TICK_NS = 20 * 1000 * 1000,
};

/* The clock goes on between the jumps: a watch that has been silent since before a jump is
 * replaced, and the delays of an informer end by this clock. */
static void tick(void *arg)
{
    world *w = arg;
    lw_mutex_lock(&w->mu);
    while (!w->is_over) {
        if (!lw_cond_wait_until(&w->changed, &w->mu, lw_clock_now(lw_clock_system()) + TICK_NS))
            lw_manual_clock_advance(w->clock, TICK_NS);
    }
    lw_mutex_unlock(&w->mu);
}

/* The server has its own clock, the real one: ours begins at the next full hour but one. */
static int set_up(void **state)
{
    static world w;
    const lw_clock *real = lw_clock_system();
    w = (world){ .minute = (real->wall_ns(real->arg) / LW_NS_PER_S / 3600 + 2) * 60 };
    assert_int_equal(lw_manual_clock_new(&w.clock, w.minute * 60 * LW_NS_PER_S), LW_OK);
    control_world_open_by(&w.control, "cronjob", lw_manual_clock_as_clock(w.clock));
    lw_mutex_init(&w.mu);
    lw_cond_init(&w.changed);
    assert_int_equal(lw_thread_start(&w.ticker, "ticker", tick, &w, NULL), LW_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_mutex_lock(&w->mu);
    w->is_over = true;
    lw_cond_signal(&w->changed);
    lw_mutex_unlock(&w->mu);
    lw_thread_join(&w->ticker);
    lw_cond_done(&w->changed);
    lw_mutex_done(&w->mu);
    control_world_close(&w->control);
    lw_manual_clock_free(w->clock);
    return 0;
}

static void create(world *w, const char *spec)
{
    control_world_create(&w->control, "cronjobs.batch",
                         "{'apiVersion':'batch/v1','kind':'CronJob','metadata':{'name':'tick',"
                         "'namespace':'default'},'spec':{%s,'jobTemplate':{'metadata':{'labels':{"
                         "'app':'tick'}},'spec':{'template':{'spec':{'restartPolicy':'Never',"
                         "'containers':[{'name':'c','image':'i'}]}}}}}}",
                         spec);
}

/* Time passes, and somebody touches the CronJob, so that it is looked at. */
static void advance(world *w, int minutes)
{
    w->minute += minutes;
    lw_manual_clock_advance(w->clock, minutes * 60 * LW_NS_PER_S);
    control_world_patch(&w->control, "cronjobs.batch", "default", "tick",
                        "{'metadata':{'labels':{'poke':'p%d'}}}", w->pokes++);
}

static const char *job_name(int64_t minute)
{
    static char name[64];
    (void)snprintf(name, sizeof(name), "tick-%lld", (long long)minute);
    return name;
}

static void await(world *w, const char *resource, const char *name, control_world_fn is_so,
                  const char *arg)
{
    lw_object_unref(control_world_await(&w->control, resource, "default", name, is_so, arg));
}

static void await_job(world *w, int64_t minute)
{
    await(w, "jobs.batch", job_name(minute), control_world_exists, NULL);
}

static void end_job(world *w, int64_t minute, const char *condition)
{
    char patch[512], moment[LW_TIME_TEXT_SIZE];
    bool is_good = strcmp(condition, "Complete") == 0;
    lw_time_format_ns(moment, w->minute * 60 * LW_NS_PER_S);
    (void)snprintf(patch, sizeof(patch),
                   "{'status':{'startTime':'%s',%s%s%s'conditions':[{'type':'%s','status':'True'},"
                   "{'type':'%s','status':'True'}]}}",
                   moment, is_good ? "'completionTime':'" : "", is_good ? moment : "",
                   is_good ? "'," : "", is_good ? "SuccessCriteriaMet" : "FailureTarget",
                   condition);
    control_world_patch_status(&w->control, "jobs.batch", "default", job_name(minute), patch);
}

/* Whether the CronJob has noted the moment |arg| as the last one. */
static bool has_last(const lw_object *obj, const char *arg)
{
    return obj && strcmp(lw_object_string(obj, "/status/lastScheduleTime", ""), arg) == 0;
}

static bool has_no_active(const lw_object *obj, const char *arg)
{
    (void)arg;
    return obj && strcmp(lw_object_string(obj, "/status/active/0/name", ""), "") == 0;
}

static void await_last(world *w, int64_t minute)
{
    char moment[LW_TIME_TEXT_SIZE];
    lw_time_format_ns(moment, minute * 60 * LW_NS_PER_S);
    await(w, "cronjobs.batch", "tick", has_last, moment);
}

static size_t job_count(world *w)
{
    lw_object_list *jobs = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options), .ns = "default" };
    assert_int_equal(lw_client_list_all(w->control.base.client, lw_gvr_make("batch", "v1", "jobs"),
                                        &options, &jobs, NULL),
                     LW_OK);
    size_t count = lw_object_list_count(jobs);
    lw_object_list_free(jobs);
    return count;
}

static bool is_event(const lw_object *obj, const char *reason)
{
    return obj && strcmp(lw_object_string(obj, "/reason", ""), reason) == 0;
}

static lw_status look_for_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)err;
    return is_event(event->object, arg) ? LW_ERR_STOPPED : LW_OK;
}

static void await_event(world *w, char *reason)
{
    const lw_list_options options = {
        .size = sizeof(lw_list_options), .ns = "default", .resource_version = "0", .timeout_s = 60
    };
    assert_int_equal(lw_client_watch(w->control.base.client, lw_gvr_make("", "v1", "events"),
                                     &options, look_for_event, reason, NULL),
                     LW_ERR_STOPPED);
}

static void a_job_is_started_once_at_each_moment(void **state)
{
    world *w = *state;
    create(w, "'schedule':'*/5 * * * *'");
    await_job(w, w->minute); /* of all moments since it was created the last one */
    await_last(w, w->minute);
    lw_object *job = control_world_await(&w->control, "jobs.batch", "default", job_name(w->minute),
                                         control_world_exists, NULL);
    assert_string_equal(lw_object_label(job, "app"), "tick");
    assert_string_equal(lw_object_string(job, "/metadata/ownerReferences/0/kind", ""), "CronJob");
    lw_object_unref(job);
    advance(w, 4);
    advance(w, 1);
    await_last(w, w->minute);
    assert_int_equal(job_count(w), 2);
}

static void who_has_ended_is_active_no_more(void **state)
{
    world *w = *state;
    create(w, "'schedule':'*/5 * * * *'");
    int64_t first = w->minute;
    await(w, "cronjobs.batch", "tick", control_world_has, "'active':[");
    advance(w, 1); /* Events of one moment have one name */
    end_job(w, first, "Complete");
    await(w, "cronjobs.batch", "tick", has_no_active, NULL);
    await(w, "cronjobs.batch", "tick", control_world_has, "'lastSuccessfulTime':");
    await_event(w, "SawCompletedJob");
}

static void forbid_waits_for_the_one_that_runs(void **state)
{
    world *w = *state;
    int64_t first = w->minute;
    create(w, "'schedule':'*/5 * * * *','concurrencyPolicy':'Forbid'");
    await(w, "cronjobs.batch", "tick", control_world_has, "'active':[");
    advance(w, 5);
    await_event(w, "JobAlreadyActive");
    assert_int_equal(job_count(w), 1);
    end_job(w, first, "Complete");
    await_job(w, w->minute);
}

static void replace_deletes_the_one_that_runs(void **state)
{
    world *w = *state;
    int64_t first = w->minute;
    create(w, "'schedule':'*/5 * * * *','concurrencyPolicy':'Replace'");
    await(w, "cronjobs.batch", "tick", control_world_has, "'active':[");
    advance(w, 5);
    await_job(w, w->minute);
    await(w, "jobs.batch", job_name(first), control_world_is_gone, NULL);
}

static void who_is_suspended_starts_nothing_until_it_goes_on(void **state)
{
    world *w = *state;
    create(w, "'schedule':'*/5 * * * *','suspend':true,'successfulJobsHistoryLimit':0");
    advance(w, 5);
    control_world_create(&w->control, "cronjobs.batch",
                         "{'apiVersion':'batch/v1','kind':'CronJob','metadata':{'name':'other',"
                         "'namespace':'default'},'spec':{'schedule':'* * * * *','jobTemplate':{"
                         "'spec':{'template':{'spec':{'restartPolicy':'Never','containers':[{"
                         "'name':'c','image':'i'}]}}}}}}");
    await(w, "cronjobs.batch", "other", control_world_has, "'active':[");
    assert_int_equal(job_count(w), 1); /* the other one's */
    control_world_patch(&w->control, "cronjobs.batch", "default", "tick",
                        "{'spec':{'suspend':false}}");
    await_job(w, w->minute);
}

static void what_comes_too_late_is_told_and_left(void **state)
{
    world *w = *state;
    create(w, "'schedule':'0 * * * *','startingDeadlineSeconds':60,'suspend':true");
    advance(w, 3);
    control_world_patch(&w->control, "cronjobs.batch", "default", "tick",
                        "{'spec':{'suspend':false}}");
    await_event(w, "MissSchedule");
    assert_int_equal(job_count(w), 0);
}

static void as_many_are_kept_as_the_limits_say(void **state)
{
    world *w = *state;
    int64_t first = w->minute;
    create(w, "'schedule':'* * * * *','successfulJobsHistoryLimit':1,'failedJobsHistoryLimit':1");
    for (int i = 0; i < 4; i++) {
        await_last(w, w->minute);
        await_job(w, w->minute);
        end_job(w, w->minute, i % 2 ? "Failed" : "Complete");
        advance(w, 1);
    }
    await(w, "jobs.batch", job_name(first), control_world_is_gone, NULL);
    await(w, "jobs.batch", job_name(first + 1), control_world_is_gone, NULL);
    await_job(w, first + 2);
    await_job(w, first + 3);
}

static void what_cannot_be_read_is_told(void **state)
{
    world *w = *state;
    /* Where there are zones, this file is none; the server looks only whether there is one. */
    create(w, "'schedule':'0 * * * *','timeZone':'zone.tab'");
    await_event(w, "UnknownTimeZone");
    assert_int_equal(job_count(w), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_job_is_started_once_at_each_moment),
        CASE(who_has_ended_is_active_no_more),
        CASE(forbid_waits_for_the_one_that_runs),
        CASE(replace_deletes_the_one_that_runs),
        CASE(who_is_suspended_starts_nothing_until_it_goes_on),
        CASE(what_comes_too_late_is_told_and_left),
        CASE(as_many_are_kept_as_the_limits_say),
        CASE(what_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
