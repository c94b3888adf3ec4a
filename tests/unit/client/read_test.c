/* SPDX-License-Identifier: Apache-2.0 */
/* read_test.c -- lists and watches against a server of our own, and against a scripted one where
 * the server must misbehave. */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/client_world.h"
#include "support/session_world.h"
#include "unit/test.h"

static client_world world;

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    client_world_close(&world);
    return 0;
}

static lw_object_list *list_of(const lw_list_options *options)
{
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_client_list_all(world.client, client_world_configmaps(), options, &list, &err) < 0)
        fail_msg("%s", err.message);
    return list;
}

static lw_status count_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)obj;
    (void)err;
    ++*(unsigned *)arg;
    return LW_OK;
}

static void reads_all_pages(void **state)
{
    (void)state;
    enum {
        MANY = 1200
    };
    for (int i = 0; i < MANY; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%04d", i);
        client_world_create(&world, name, i % 3 == 0 ? "web" : "db");
    }
    const lw_list_options paged = { .size = sizeof(lw_list_options),
                                    .ns = "default",
                                    .limit = 500 };
    lw_object_list *list = list_of(&paged);
    assert_int_equal(lw_object_list_count(list), MANY);
    for (size_t i = 0; i < MANY; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%04u", (unsigned)i);
        assert_string_equal(lw_object_name(lw_object_list_at(list, i)), name);
    }
    const lw_list_metadata *metadata = lw_object_list_metadata(list);
    assert_string_equal(metadata->kind, "ConfigMapList");
    assert_string_equal(metadata->continue_token, "");
    assert_string_not_equal(metadata->resource_version, "");
    lw_object_list_free(list);

    const lw_list_options selected = {
        .size = sizeof(lw_list_options), .ns = "default", .limit = 7, .label_selector = "app=web"
    };
    unsigned seen = 0;
    assert_int_equal(lw_client_list(world.client, client_world_configmaps(), &selected,
                                    count_object, &seen, NULL),
                     LW_OK);
    assert_int_equal(seen, MANY / 3);
}

static void selectors_choose(void **state)
{
    (void)state;
    client_world_create(&world, "a", "web");
    client_world_create(&world, "b", "db");
    client_world_create(&world, "c", "web");
    const lw_list_options by_label = { .size = sizeof(lw_list_options),
                                       .label_selector = "app in (web, mail),!absent" };
    lw_object_list *list = list_of(&by_label);
    assert_int_equal(lw_object_list_count(list), 2);
    lw_object_list_free(list);
    const lw_list_options by_field = { .size = sizeof(lw_list_options),
                                       .ns = "default",
                                       .field_selector = "metadata.name=b" };
    list = list_of(&by_field);
    assert_int_equal(lw_object_list_count(list), 1);
    assert_string_equal(lw_object_name(lw_object_list_at(list, 0)), "b");
    lw_object_list_free(list);
    const lw_list_options nonsense = { .size = sizeof(lw_list_options),
                                       .label_selector = "a in (" };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_list_all(world.client, client_world_configmaps(), &nonsense, &list,
                                        &err),
                     LW_ERR_INVALID);
    assert_int_equal(err.http_status, 400);
}

static void metadata_alone_is_read(void **state)
{
    (void)state;
    client_world_create(&world, "a", "web");
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .is_metadata_only = true,
                                      .label_selector = "app=web" };
    lw_object_list *list = list_of(&options);
    assert_int_equal(lw_object_list_count(list), 1);
    const lw_object *obj = lw_object_list_at(list, 0);
    assert_string_equal(lw_object_label(obj, "app"), "web");
    assert_string_equal(lw_object_string(obj, "/data/key", "nothing"), "nothing");
    assert_string_equal(lw_object_list_metadata(list)->kind, "PartialObjectMetadataList");
    lw_object_list_free(list);
}

static void only_what_is_kept_is_read(void **state)
{
    (void)state;
    static const char *const keep[] = { "/metadata/creationTimestamp", NULL };
    client_world_create(&world, "a", "web");
    const lw_list_options options = { .size = sizeof(lw_list_options), .read = { .keep = keep } };
    lw_object_list *list = list_of(&options);
    const lw_object *obj = lw_object_list_at(list, 0);
    assert_string_equal(lw_object_name(obj), "a");
    assert_string_equal(lw_object_string(obj, "/data/key", "nothing"), "nothing");
    assert_string_not_equal(lw_object_string(obj, "/metadata/creationTimestamp", ""), "");
    lw_object_list_free(list);
}

static lw_status stop_at_second(const lw_object *obj, void *arg, lw_error *err)
{
    (void)obj;
    (void)err;
    return ++*(unsigned *)arg == 2 ? LW_ERR_STOPPED : LW_OK;
}

static void a_list_is_left_when_it_is_enough(void **state)
{
    (void)state;
    unsigned seen = 0;
    client_world_create(&world, "a", "web");
    client_world_create(&world, "b", "web");
    client_world_create(&world, "c", "web");
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_list(world.client, client_world_configmaps(), NULL, stop_at_second,
                                    &seen, &err),
                     LW_ERR_STOPPED);
    assert_int_equal(seen, 2);
    assert_int_equal(err.code, LW_ERR_STOPPED);
}

/* Writes down events until the one that it is to stop at. */
typedef struct watcher {
    char said[512];
    const char *last; /* "DELETED a" */
} watcher;

static lw_status note_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    watcher *w = arg;
    char line[128];
    (void)err;
    if (event->type == LW_WATCH_BOOKMARK)
        return LW_OK;
    (void)snprintf(line, sizeof(line), "%s %s", lw_watch_event_type_name(event->type),
                   event->error ? event->error->reason : lw_object_name(event->object));
    size_t len = strlen(w->said);
    (void)snprintf(w->said + len, sizeof(w->said) - len, "%s; ", line);
    return w->last && strcmp(line, w->last) == 0 ? LW_ERR_STOPPED : LW_OK;
}

static void a_watch_tells_what_happens_until_it_is_enough(void **state)
{
    (void)state;
    lw_object_list *list = list_of(NULL);
    client_world_create(&world, "a", "web");
    client_world_create(&world, "b", "db");
    assert_int_equal(lw_client_delete(world.client, client_world_configmaps(), "default", "a", NULL,
                                      NULL),
                     LW_OK);
    const lw_list_options options = {
        .size = sizeof(lw_list_options),
        .resource_version = lw_object_list_metadata(list)->resource_version,
        .allows_bookmarks = true,
        .timeout_s = 60,
    };
    watcher w = { .last = "DELETED a" };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_watch(world.client, client_world_configmaps(), &options, note_event,
                                     &w, &err),
                     LW_ERR_STOPPED);
    assert_string_equal(w.said, "ADDED a; ADDED b; DELETED a; ");
    lw_object_list_free(list);
}

static void a_watch_that_the_server_ends_is_no_failure(void **state)
{
    (void)state;
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .timeout_s = 1,
                                      .label_selector = "app=web" };
    watcher w = { .last = NULL };
    client_world_create(&world, "a", "web");
    assert_int_equal(lw_client_watch(world.client, client_world_configmaps(), &options, note_event,
                                     &w, NULL),
                     LW_OK);
    assert_string_equal(w.said, "ADDED a; ");
}

static lw_status check_size(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)err;
    *(size_t *)arg = strlen(lw_object_string(event->object, "/data/key", ""));
    return LW_ERR_STOPPED;
}

/* client-go limits an event to 16 MiB; here max_object_size is the limit. */
static void an_event_may_be_large(void **state)
{
    (void)state;
    enum {
        LARGE = 900 * 1024
    };
    size_t size = 0;
    char *json = malloc(LARGE + 256);
    assert_non_null(json);
    int head = snprintf(json, 256,
                        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},"
                        "\"data\":{\"key\":\"");
    memset(json + head, 'x', LARGE);
    (void)snprintf(json + head + LARGE, 8, "\"}}");
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), &err), LW_OK);
    if (lw_client_create(world.client, client_world_configmaps(), obj, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .ns = "default",
                                      .timeout_s = 60 };
    assert_int_equal(lw_client_watch(world.client, client_world_configmaps(), &options, check_size,
                                     &size, &err),
                     LW_ERR_STOPPED);
    assert_int_equal(size, LARGE);
    const lw_list_options small = { .size = sizeof(lw_list_options),
                                    .timeout_s = 60,
                                    .read = { .max_object_size = 1024 } };
    assert_int_equal(lw_client_watch(world.client, client_world_configmaps(), &small, check_size,
                                     &size, &err),
                     LW_ERR_LIMIT);
    lw_object_unref(obj);
    free(json);
}

/* What has expired, in the three places where a server may say so. */

#define EXPIRED                                                                                    \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"gone\","      \
    "\"reason\":\"Expired\",\"code\":410}"
#define GONE "HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define OK   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"

static void say(session_world *scripted, const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play(scripted->server, request, steps);
}

static void a_revision_that_is_gone_is_expired(void **state)
{
    (void)state;
    session_world scripted;
    lw_error err = LW_ERROR_INIT;
    unsigned seen = 0;
    watcher w = { .last = NULL };
    const lw_gvr pods = lw_gvr_make("", "v1", "pods");
    session_world_open(&scripted);

    const lw_list_options paged = { .size = sizeof(lw_list_options),
                                    .limit = 1,
                                    .resource_version = "0" };
    say(&scripted, "GET /api/v1/pods?limit=1&resourceVersion=0 ",
        OK "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\","
           "\"continue\":\"p 2\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    say(&scripted, "GET /api/v1/pods?continue=p%202&limit=1 ", GONE EXPIRED);
    assert_int_equal(lw_client_list(scripted.client, pods, &paged, count_object, &seen, &err),
                     LW_ERR_EXPIRED);
    assert_int_equal(seen, 1);

    const lw_list_options from = { .size = sizeof(lw_list_options), .resource_version = "3" };
    say(&scripted, "GET /api/v1/pods?resourceVersion=3&watch=true ", GONE EXPIRED);
    assert_int_equal(lw_client_watch(scripted.client, pods, &from, note_event, &w, &err),
                     LW_ERR_EXPIRED);

    say(&scripted, "GET /api/v1/pods?resourceVersion=3&watch=true ",
        OK "{\"type\":\"ERROR\",\"object\":" EXPIRED "}\n");
    assert_int_equal(lw_client_watch(scripted.client, pods, &from, note_event, &w, &err), LW_OK);
    assert_string_equal(w.said, "ERROR Expired; ");
    session_world_close(&scripted);
}

static void a_list_that_never_ends_is_left(void **state)
{
    (void)state;
    session_world scripted;
    lw_error err = LW_ERROR_INIT;
    unsigned seen = 0;
    session_world_open(&scripted);
    const script_step steps[] = {
        { SCRIPT_SEND,
          OK "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\","
             "\"continue\":\"same\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}",
          0 },
        { SCRIPT_CLOSE, NULL, 0 },
        { 0 }
    };
    script_server_play_always(scripted.server, NULL, steps);
    assert_int_equal(lw_client_list(scripted.client, lw_gvr_make("", "v1", "pods"), NULL,
                                    count_object, &seen, &err),
                     LW_ERR_INVALID);
    assert_int_equal(seen, 2);
    session_world_close(&scripted);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(reads_all_pages),
        CASE(selectors_choose),
        CASE(metadata_alone_is_read),
        CASE(only_what_is_kept_is_read),
        CASE(a_list_is_left_when_it_is_enough),
        CASE(a_watch_tells_what_happens_until_it_is_enough),
        CASE(a_watch_that_the_server_ends_is_no_failure),
        CASE(an_event_may_be_large),
        TEST(a_revision_that_is_gone_is_expired),
        TEST(a_list_that_never_ends_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
