/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_test.c -- the loop of a controller: informers feed it, workers work, and it ends. */
#include <listwatch/reconciler.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sync.h"
#include "unit/informer/house.h"

enum {
    OBJECTS = 500,
    WORKERS = 8,
};

/* What the reconcile function does and has seen. */
typedef struct site {
    lw_reconciler *reconciler;
    lw_informer *informer;
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    size_t calls;
    size_t failures_wanted; /* the first calls fail */
    bool is_held;           /* calls wait */
    size_t waiting;         /* calls that do */
    int64_t again_after_ns; /* of the next success */
    char last[64];
    char log[256];
    uint64_t seen[OBJECTS]; /* revision of the object when it was reconciled; 0: gone */
    bool is_worked_on[OBJECTS];
    size_t clashes;
} site;

static size_t number_of(lw_key key)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%.*s", (int)key.name.len, key.name.ptr);
    return (size_t)strtoul(text + 1, NULL, 10) % OBJECTS;
}

/* Notes what the cache says of |key|. */
static uint64_t look(site *s, lw_key key)
{
    if (!s->informer)
        return 0;
    lw_object *obj = lw_lister_get(lw_informer_lister(s->informer), key.ns.ptr, key.name.ptr);
    uint64_t revision = obj ? lw_object_revision(obj) : 0;
    lw_object_unref(obj);
    return revision;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    site *s = arg;
    size_t n = number_of(key);
    lw_mutex_lock(&s->mu);
    s->clashes += s->is_worked_on[n];
    s->is_worked_on[n] = true;
    s->waiting++;
    lw_cond_broadcast(&s->changed);
    while (s->is_held)
        lw_cond_wait(&s->changed, &s->mu);
    s->waiting--;
    lw_mutex_unlock(&s->mu);
    uint64_t revision = look(s, key);
    lw_mutex_lock(&s->mu);
    s->calls++;
    s->seen[n] = revision;
    s->is_worked_on[n] = false;
    (void)lw_key_print(key, s->last, sizeof(s->last));
    bool does_fail = s->failures_wanted > 0;
    s->failures_wanted -= does_fail;
    result->again_after_ns = does_fail ? 0 : s->again_after_ns;
    if (!does_fail)
        s->again_after_ns = 0;
    lw_cond_broadcast(&s->changed);
    lw_mutex_unlock(&s->mu);
    return does_fail ? lw_error_set(err, LW_ERR_CONFLICT, "not today") : LW_OK;
}

static void note(lw_log_level level, const char *component, const char *line, void *arg)
{
    site *s = arg;
    lw_mutex_lock(&s->mu);
    (void)snprintf(s->log, sizeof(s->log), "%s %s: %s", lw_log_level_name(level), component, line);
    lw_cond_broadcast(&s->changed);
    lw_mutex_unlock(&s->mu);
}

static void site_open(site *s, unsigned workers)
{
    *s = (site){ 0 };
    lw_mutex_init(&s->mu);
    lw_cond_init(&s->changed);
    const lw_logger logger = { LW_LOG_INFO, note, s };
    const lw_reconciler_options options = {
        .size = sizeof(lw_reconciler_options),
        .name = "webs",
        .reconcile = reconcile,
        .arg = s,
        .workers = workers,
        .queue = &(const lw_workqueue_options){ .size = sizeof(lw_workqueue_options),
                                                .base_delay_ns = 1000,
                                                .rate = -1 },
        .logger = &logger
    };
    assert_int_equal(lw_reconciler_new(&s->reconciler, &options, NULL), LW_OK);
}

static void site_close(site *s)
{
    lw_reconciler_free(s->reconciler);
    lw_cond_done(&s->changed);
    lw_mutex_done(&s->mu);
}

static void add(site *s, const char *name)
{
    assert_int_equal(lw_reconciler_add(s->reconciler, lw_key_make("n", name)), LW_OK);
}

static void start(site *s)
{
    assert_int_equal(lw_reconciler_start(s->reconciler, NULL), LW_OK);
}

static void wait_for_calls(site *s, size_t calls)
{
    lw_mutex_lock(&s->mu);
    while (s->calls < calls)
        lw_cond_wait(&s->changed, &s->mu);
    lw_mutex_unlock(&s->mu);
}

static void hold(site *s, bool is_held)
{
    lw_mutex_lock(&s->mu);
    s->is_held = is_held;
    lw_cond_broadcast(&s->changed);
    lw_mutex_unlock(&s->mu);
}

static void wait_for_waiting(site *s, size_t waiting)
{
    lw_mutex_lock(&s->mu);
    while (s->waiting < waiting)
        lw_cond_wait(&s->changed, &s->mu);
    lw_mutex_unlock(&s->mu);
}

static void a_key_is_worked_on_after_the_start(void **state)
{
    (void)state;
    site s;
    site_open(&s, 0);
    add(&s, "x1");
    start(&s);
    wait_for_calls(&s, 1);
    assert_string_equal(s.last, "n/x1");
    assert_int_equal(lw_reconciler_start(s.reconciler, NULL), LW_ERR_EXISTS);
    site_close(&s);
}

static void a_failure_comes_again_and_is_logged(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    s.failures_wanted = 3;
    add(&s, "x1");
    start(&s);
    wait_for_calls(&s, 4);
    lw_reconciler_stop(s.reconciler);
    assert_int_equal(s.calls, 4);
    assert_string_equal(s.log, "warn webs: n/x1: not today (failed 3 times)");
    site_close(&s);
}

static void a_key_can_ask_to_come_back(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    s.again_after_ns = 2 * LW_NS_PER_MS;
    add(&s, "x1");
    int64_t begin = lw_clock_now(lw_clock_system());
    start(&s);
    wait_for_calls(&s, 2);
    assert_true(lw_clock_now(lw_clock_system()) - begin >= 2 * LW_NS_PER_MS);
    lw_reconciler_stop(s.reconciler);
    assert_int_equal(s.calls, 2);
    assert_string_equal(s.log, "");
    site_close(&s);
}

static void stop(void *arg)
{
    lw_reconciler_stop(arg);
}

static void stop_waits_for_keys_at_hand_and_drops_the_rest(void **state)
{
    (void)state;
    site s;
    site_open(&s, 2);
    for (int i = 0; i < 10; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "x%d", i);
        add(&s, name);
    }
    hold(&s, true);
    start(&s);
    wait_for_waiting(&s, 2);
    lw_thread stopper;
    assert_int_equal(lw_thread_start(&stopper, "stopper", stop, s.reconciler, NULL), LW_OK);
    /* The queue takes nothing more: stop has begun. */
    while (lw_reconciler_add(s.reconciler, lw_key_make("n", "late")) != LW_ERR_STOPPED)
        ;
    assert_int_equal(s.calls, 0);
    hold(&s, false);
    lw_thread_join(&stopper);
    assert_int_equal(s.calls, 2);
    lw_reconciler_stop(s.reconciler);
    assert_int_equal(lw_reconciler_start(s.reconciler, NULL), LW_ERR_STOPPED);
    site_close(&s);
}

static lw_status stop_myself(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    (void)key;
    (void)result;
    (void)err;
    site *s = arg;
    lw_reconciler_stop(s->reconciler);
    lw_mutex_lock(&s->mu);
    s->calls++;
    lw_cond_broadcast(&s->changed);
    lw_mutex_unlock(&s->mu);
    return LW_OK;
}

static void a_worker_may_stop_it(void **state)
{
    (void)state;
    site s = { 0 };
    lw_mutex_init(&s.mu);
    lw_cond_init(&s.changed);
    const lw_reconciler_options options = {
        .size = sizeof(lw_reconciler_options), .reconcile = stop_myself, .arg = &s, .workers = 3
    };
    assert_int_equal(lw_reconciler_new(&s.reconciler, &options, NULL), LW_OK);
    add(&s, "x1");
    start(&s);
    wait_for_calls(&s, 1);
    lw_reconciler_stop(s.reconciler);
    site_close(&s);
}

static void what_is_no_key_is_logged_and_dropped(void **state)
{
    (void)state;
    site s;
    site_open(&s, 1);
    add(&s, "a/b");
    add(&s, "x1");
    start(&s);
    wait_for_calls(&s, 1);
    lw_reconciler_stop(s.reconciler);
    assert_non_null(strstr(s.log, "error webs: \"n/a/b\" is not a valid key"));
    assert_int_equal(s.calls, 1);
    site_close(&s);
}

static void what_cannot_work_is_refused(void **state)
{
    (void)state;
    lw_reconciler *reconciler = NULL;
    const lw_reconciler_options none = { .size = sizeof(lw_reconciler_options) };
    const lw_reconciler_options many = { .size = sizeof(lw_reconciler_options),
                                         .reconcile = reconcile,
                                         .workers = 100000 };
    assert_int_equal(lw_reconciler_new(&reconciler, &none, NULL), LW_ERR_INVALID);
    assert_int_equal(lw_reconciler_new(&reconciler, &many, NULL), LW_ERR_INVALID);
    lw_reconciler_free(NULL);
}

static void owners_of_an_unknown_kind_are_refused(void **state)
{
    (void)state;
    house h;
    site s;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    site_open(&s, 1);
    lw_provider *provider = fake_provider_as_provider(h.fake);
    lw_provider_ops untyped = *provider->ops;
    untyped.type = NULL;
    provider->ops = &untyped;
    assert_int_equal(lw_reconciler_watch_owned(s.reconciler, h.pods, h.pods, &err),
                     LW_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "lw_reconciler_watch_mapped"));
    site_close(&s);
    house_close(&h);
}

static void never_started_it_is_freed_all_the_same(void **state)
{
    (void)state;
    site s;
    site_open(&s, 4);
    add(&s, "x1");
    site_close(&s);
}

/* Everything at once: writes, dispatch, workers that fail now and then.  In the end every key was
 * reconciled after its last change, and never by two. */
static void the_world_is_seen_as_it_is_in_the_end(void **state)
{
    (void)state;
    house h;
    site s;
    house_open(&h);
    site_open(&s, WORKERS);
    s.informer = h.pods;
    s.failures_wanted = 50;
    assert_int_equal(lw_reconciler_watch(s.reconciler, h.pods, NULL), LW_OK);
    house_run_until_idle(&h);
    start(&s);
    uint64_t last[OBJECTS] = { 0 };
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < OBJECTS; i++) {
            char key[32];
            (void)snprintf(key, sizeof(key), "n/x%zu", i);
            if (round == 3 && i % 5 == 0) {
                house_delete(&h, key);
                last[i] = 0;
            } else {
                last[i] = house_put(&h, key);
            }
            if (i % 100 == 0)
                house_run_until_idle(&h);
        }
    }
    house_run_until_idle(&h);
    lw_mutex_lock(&s.mu);
    while (memcmp(s.seen, last, sizeof(last)) != 0)
        lw_cond_wait(&s.changed, &s.mu);
    lw_mutex_unlock(&s.mu);
    lw_reconciler_stop(s.reconciler);
    assert_int_equal(s.clashes, 0);
    site_close(&s);
    house_put(&h, "n/after"); /* nobody is told any more */
    house_run_until_idle(&h);
    house_close(&h);
}

/* Gives each pod the owner that its name says. */
static lw_object *with_owner(const lw_object *obj, void *arg)
{
    (void)arg;
    char json[512];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"resourceVersion\":\"%s\","
                   "\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\",\"kind\":\"Web\","
                   "\"name\":\"of-%s\",\"controller\":true}]}}",
                   lw_object_namespace(obj), lw_object_name(obj), lw_object_resource_version(obj),
                   lw_object_name(obj));
    lw_object *owned = NULL;
    return lw_object_from_json(&owned, json, strlen(json), NULL) < 0 ? NULL : owned;
}

static void map_to_one(const lw_event *event, lw_workqueue *queue, void *arg)
{
    (void)event;
    (void)lw_workqueue_add(queue, arg);
}

static void owners_and_maps_are_fed_by_informers(void **state)
{
    (void)state;
    house h;
    site s;
    lw_informer *owned = NULL, *webs = NULL;
    char mapped[] = "mapped";
    const lw_informer_options options = { .size = sizeof(lw_informer_options),
                                          .ns = "n",
                                          .transform = with_owner };
    house_open(&h);
    site_open(&s, 1);
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &options, &owned, NULL), LW_OK);
    assert_int_equal(lw_factory_informer(h.factory, "webs", &webs, NULL), LW_OK);
    assert_int_equal(lw_reconciler_watch_owned(s.reconciler, owned, webs, NULL), LW_OK);
    house_run_until_idle(&h);
    house_put(&h, "n/x1");
    house_run_until_idle(&h);
    start(&s);
    wait_for_calls(&s, 1);
    assert_string_equal(s.last, "n/of-x1");
    assert_int_equal(lw_reconciler_watch_mapped(s.reconciler, h.pods, map_to_one, mapped, NULL),
                     LW_OK);
    house_run_until_idle(&h);
    wait_for_calls(&s, 2);
    assert_string_equal(s.last, "mapped");
    site_close(&s);
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_worked_on_after_the_start),
        TEST(a_failure_comes_again_and_is_logged),
        TEST(a_key_can_ask_to_come_back),
        TEST(stop_waits_for_keys_at_hand_and_drops_the_rest),
        TEST(a_worker_may_stop_it),
        TEST(what_is_no_key_is_logged_and_dropped),
        TEST(what_cannot_work_is_refused),
        TEST(owners_of_an_unknown_kind_are_refused),
        TEST(never_started_it_is_freed_all_the_same),
        TEST(the_world_is_seen_as_it_is_in_the_end),
        TEST(owners_and_maps_are_fed_by_informers),
    };
    return cmocka_run_group_tests_name("thread-reconciler", tests, NULL, NULL);
}
