/* SPDX-License-Identifier: Apache-2.0 */
/* control_test.c -- two frames of controllers on one server: their threads, terms and ends. */
#include "control/control.h"

#include <listwatch.h>
#include <listwatch/server.h>
#include <semaphore.h>
#include <stdio.h>

#include "support/hung_server.h"
#include "unit/test.h"

enum {
    PATIENCE_S = 60,
};

typedef struct world {
    lw_server *server;
    lw_config *config;
    lw_client *client;
} world;

static int set_up(void **state)
{
    static world w;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_config_options config = LW_CONFIG_OPTIONS_INIT;
    w = (world){ NULL, NULL, NULL };
    options.insecure_listen = "127.0.0.1:0";
    assert_int_equal(lw_server_start(&w.server, &options, NULL), LW_OK);
    config.server = lw_server_insecure_url(w.server);
    assert_int_equal(lw_config_load(&w.config, &config, NULL), LW_OK);
    assert_int_equal(lw_client_new(&w.client, w.config, NULL, NULL), LW_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_client_unref(w->client);
    lw_config_unref(w->config);
    lw_server_stop(w->server, 1);
    return 0;
}

static lw_control *start(const world *w, const char *identity, lw_control_options options)
{
    lw_control *control = NULL;
    lw_error err = LW_ERROR_INIT;
    options.client = w->client;
    options.identity = identity;
    options.lease_s = 3;
    options.shows_informers = true;
    if (lw_control_start(&control, &options, &err) < 0)
        fail_msg("%s", err.message);
    return control;
}

static lw_object *object_of(const char *json)
{
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    return obj;
}

static void create_set(const world *w, int replicas)
{
    char json[512];
    lw_error err = LW_ERROR_INIT;
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":"
                   "\"web\",\"namespace\":\"default\"},\"spec\":{\"replicas\":%d,\"selector\":{"
                   "\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"metadata\":{\"labels\":{"
                   "\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
                   "}}",
                   replicas);
    lw_object *set = object_of(json);
    if (lw_client_create(w->client, lw_gvr_make("apps", "v1", "replicasets"), set, NULL, NULL,
                         &err) < 0)
        fail_msg("%s", err.message);
    lw_object_unref(set);
}

static void scale_set(const world *w, int replicas)
{
    char patch[64];
    int len = snprintf(patch, sizeof(patch), "{\"spec\":{\"replicas\":%d}}", replicas);
    assert_int_equal(lw_client_patch(w->client, lw_gvr_make("apps", "v1", "replicasets"), "default",
                                     "web", lw_str_make(patch, (size_t)len), NULL, NULL, NULL),
                     LW_OK);
}

/* What a watch waits for: as many objects, or a field of one. */
typedef struct wanted {
    int64_t balance; /* of objects that came and went */
    int64_t count;
    const char *holder;
} wanted;

static lw_status look(const lw_watch_event *event, void *arg, lw_error *err)
{
    wanted *want = arg;
    (void)err;
    want->balance += event->type == LW_WATCH_ADDED;
    want->balance -= event->type == LW_WATCH_DELETED;
    bool is_it =
        want->holder
            ? event->object && strcmp(lw_object_string(event->object, "/spec/holderIdentity", ""),
                                      want->holder) == 0
            : want->balance == want->count;
    return is_it ? LW_ERR_STOPPED : LW_OK;
}

static void wait_for(const world *w, lw_gvr gvr, wanted want)
{
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .resource_version = "0",
                                      .timeout_s = PATIENCE_S };
    assert_int_equal(lw_client_watch(w->client, gvr, &options, look, &want, NULL), LW_ERR_STOPPED);
}

static void wait_for_pods(const world *w, int64_t count)
{
    wait_for(w, lw_gvr_make("", "v1", "pods"), (wanted){ .count = count });
}

static void wait_for_holder(const world *w, const char *identity)
{
    wait_for(w, lw_gvr_make("coordination.k8s.io", "v1", "leases"), (wanted){ .holder = identity });
}

static void the_second_copy_works_when_the_first_has_stopped(void **state)
{
    const world *w = *state;
    lw_control *first = start(w, "first", (lw_control_options){ 0 });
    wait_for_holder(w, "first");
    lw_control *second = start(w, "second", (lw_control_options){ 0 });
    create_set(w, 10);
    wait_for_pods(w, 10);
    assert_false(lw_control_is_leading(second));
    lw_control_stop(first);
    wait_for_holder(w, "second");
    scale_set(w, 15);
    wait_for_pods(w, 15);
    assert_true(lw_control_is_leading(second));
    lw_control_stop(second);
}

static void count_step(const lw_control_step *step, void *arg)
{
    (void)step;
    (void)sem_post(arg);
}

static void steps_are_told_from_all_workers(void **state)
{
    const world *w = *state;
    sem_t steps;
    int left = -1;
    assert_int_equal(sem_init(&steps, 0, 0), 0);
    const lw_control_options options = {
        .only = "replicaset", .is_alone = true, .on_step = count_step, .arg = &steps
    };
    lw_control *control = start(w, NULL, options);
    create_set(w, 20);
    /* Not the Pods: a stop cancels a request whose Pod is there already. */
    for (int i = 0; i < 20; i++)
        assert_int_equal(sem_wait(&steps), 0);
    wait_for_pods(w, 20);
    lw_control_stop(control);
    assert_int_equal(sem_getvalue(&steps, &left), 0);
    assert_int_equal(left, 0);
    (void)sem_destroy(&steps);
}

static void a_copy_may_be_stopped_at_any_time(void **state)
{
    const world *w = *state;
    create_set(w, 30);
    for (int i = 0; i < 10; i++)
        lw_control_stop(start(w, "x", (lw_control_options){ .is_alone = i % 2 == 0 }));
    lw_control *control = start(w, "x", (lw_control_options){ 0 });
    wait_for_pods(w, 30);
    lw_control_stop(control);
}

static void a_server_that_is_gone_does_not_hold_a_copy_up(void **state)
{
    world *w = *state;
    lw_control *control = start(w, "x", (lw_control_options){ 0 });
    wait_for_holder(w, "x");
    lw_server_stop(w->server, 0);
    w->server = NULL;
    lw_control_stop(control);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* Requests have an hour: a stop that waited for one would outlast the test. */
static void a_server_that_hangs_does_not_hold_up_the_stop(void **state)
{
    (void)state;
    hung_server server;
    lw_control *control = NULL;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    const lw_control_options options = { .client = client, .shows_informers = true, .stop_s = 1 };
    assert_int_equal(lw_control_start(&control, &options, NULL), LW_OK);
    hung_server_await_request(&server);
    hung_server_await_request(&server);
    lw_control_stop(control);
    lw_client_unref(client);
    hung_server_close(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(the_second_copy_works_when_the_first_has_stopped),
        IN_WORLD(steps_are_told_from_all_workers),
        IN_WORLD(a_copy_may_be_stopped_at_any_time),
        IN_WORLD(a_server_that_is_gone_does_not_hold_a_copy_up),
        TEST(a_server_that_hangs_does_not_hold_up_the_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
