/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_client_test.c -- informers on a real API server, over real connections. */
#include "informer/listwatch_client.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <listwatch/factory.h>
#include <listwatch/reconciler.h>
#include <listwatch/server.h>

#include "base/clock.h"
#include "base/sync.h"
#include "unit/test.h"

typedef struct fixture {
    lw_server *server;
    lw_client *client;
    lw_factory *factory;
    lw_informer *pods;
} fixture;

static void fixture_open_client(fixture *t)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = lw_server_insecure_url(t->server);
    assert_int_equal(lw_config_load(&config, &where, &err), LW_OK);
    assert_int_equal(lw_client_new(&t->client, config, NULL, &err), LW_OK);
    lw_config_unref(config);
}

static void fixture_open(fixture *t, const lw_factory_options *options)
{
    lw_error err = LW_ERROR_INIT;
    lw_server_options serve = LW_SERVER_OPTIONS_INIT;
    *t = (fixture){ .server = NULL };
    serve.insecure_listen = "127.0.0.1:0";
    serve.threads = 1;
    assert_int_equal(lw_server_start(&t->server, &serve, &err), LW_OK);
    fixture_open_client(t);
    lw_factory_options all = *options;
    all.client = t->client;
    assert_int_equal(lw_factory_new(&t->factory, &all, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t->factory, "pods", &t->pods, &err), LW_OK);
}

static void fixture_close(fixture *t)
{
    lw_factory_free(t->factory);
    lw_client_unref(t->client);
    lw_server_stop(t->server, 0);
}

/* Creates the object |json| under |resource|; its revision. */
static uint64_t create(fixture *t, const char *resource, const char *json)
{
    lw_error err = LW_ERROR_INIT;
    lw_resource found;
    lw_object *obj = NULL, *made = NULL;
    assert_int_equal(lw_client_find_resource(t->client, resource, &found, &err), LW_OK);
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), &err), LW_OK);
    lw_status st = lw_client_create(t->client, found.gvr, obj, NULL, &made, &err);
    if (st < 0)
        print_error("%s\n", err.message);
    assert_int_equal(st, LW_OK);
    uint64_t revision = lw_object_revision(made);
    lw_object_unref(obj);
    lw_object_unref(made);
    return revision;
}

static uint64_t create_pod(fixture *t, const char *name)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
             "\"default\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
             "\"image\":\"i\"}]}}",
             name);
    return create(t, "pods", json);
}

/* Waits for |informer|, which cannot sync, until it has reported why: a busy machine may take
 * longer for that than one wait. */
static void wait_in_vain(const fixture *t, const lw_informer *informer, lw_error *err)
{
    for (int tries = 0; tries < 20; tries++) {
        assert_int_equal(lw_factory_wait_for_sync(t->factory, 1, err), LW_ERR_TIMEOUT);
        if (lw_informer_last_error(informer, NULL) < 0)
            break;
    }
    assert_int_equal(lw_factory_wait_for_sync(t->factory, 0, err), LW_ERR_TIMEOUT);
}

typedef struct notebook {
    char text[512];
    size_t len;
} notebook;

static void take_note(const lw_event *event, void *arg)
{
    notebook *book = arg;
    int len = snprintf(book->text + book->len, sizeof(book->text) - book->len, "%s%s %s",
                       book->len ? ", " : "", lw_event_type_name(event->type),
                       lw_object_name(event->object));
    if (len > 0)
        book->len += (size_t)len;
}

static void watch_pods(const lw_factory_options *options)
{
    fixture t;
    notebook book = { .len = 0 };
    lw_error err = LW_ERROR_INIT;
    fixture_open(&t, options);
    for (int i = 0; i < 5; i++)
        create_pod(&t, (const char *[]){ "a", "b", "c", "d", "e" }[i]);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    assert_int_equal(lw_lister_count(lw_informer_lister(t.pods)), 5);
    uint64_t revision = create_pod(&t, "f");
    assert_int_equal(lw_informer_wait_for_revision(t.pods, revision, 20, &err), LW_OK);
    const lw_handler handler = { .on_event = take_note, .arg = &book };
    lw_registration *registration = NULL;
    assert_int_equal(lw_informer_add_handler(t.pods, &handler, &registration, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    book.len = 0;
    revision = create_pod(&t, "g");
    assert_int_equal(lw_informer_wait_for_revision(t.pods, revision, 20, &err), LW_OK);
    assert_string_equal(book.text, "ADD g");
    lw_object *seen = lw_lister_get(lw_informer_lister(t.pods), "default", "g");
    assert_non_null(seen);
    assert_string_equal(lw_object_kind(seen), "Pod");
    lw_object_unref(seen);
    fixture_close(&t);
}

static void a_list_in_pages_and_a_watch(void **state)
{
    (void)state;
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .lists_only = true,
                                         .page_size = 2 };
    watch_pods(&options);
}

static void a_stream(void **state)
{
    (void)state;
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .ns = "default",
                                         .label_selector = "app=web" };
    watch_pods(&options);
}

static void a_loop_of_the_programs_own(void **state)
{
    (void)state;
    fixture t;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .resync_s = 0 };
    fixture_open(&t, &options);
    create_pod(&t, "a");
    struct pollfd wanted = { .fd = lw_factory_fd(t.factory), .events = POLLIN };
    int64_t deadline = lw_clock_now(lw_clock_system()) + 20 * LW_NS_PER_S;
    while (lw_lister_count(lw_informer_lister(t.pods)) < 1) {
        assert_true(lw_clock_now(lw_clock_system()) < deadline);
        (void)poll(&wanted, 1, lw_factory_timeout_ms(t.factory));
        assert_int_equal(lw_factory_dispatch(t.factory, NULL), LW_OK);
    }
    fixture_close(&t);
}

static void what_has_no_namespaces_is_found_in_all_of_them(void **state)
{
    (void)state;
    fixture t;
    lw_informer *nodes = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .ns = "default" };
    fixture_open(&t, &options);
    create(&t, "nodes", "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}");
    assert_int_equal(lw_factory_informer(t.factory, "no", &nodes, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    assert_int_equal(lw_lister_count(lw_informer_lister(nodes)), 1);
    fixture_close(&t);
}

static void a_resource_that_does_not_exist_is_said_to_while_others_run(void **state)
{
    (void)state;
    fixture t;
    lw_informer *widgets = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .resync_s = 0 };
    fixture_open(&t, &options);
    assert_int_equal(lw_factory_start(t.factory, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t.factory, "widgets.example.com", &widgets, &err), LW_OK);
    wait_in_vain(&t, widgets, &err);
    assert_string_equal(err.message, "widgets.example.com: the server doesn't have a resource type "
                                     "\"widgets.example.com\"; the informer retries until the "
                                     "resource exists");
    assert_int_equal(lw_informer_last_error(widgets, &err), LW_ERR_NOT_FOUND);
    assert_true(lw_informer_is_synced(t.pods));
    lw_factory_drop(t.factory, widgets);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    fixture_close(&t);
}

/* Keys that a worker was given. */
typedef struct keys {
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    char text[256];
} keys;

static lw_status note_key(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    keys *k = arg;
    (void)result;
    (void)err;
    lw_mutex_lock(&k->mu);
    size_t len = strlen(k->text);
    (void)lw_key_print(key, k->text + len, sizeof(k->text) - len - 1);
    (void)strncat(k->text, " ", sizeof(k->text) - strlen(k->text) - 1);
    lw_cond_broadcast(&k->changed);
    lw_mutex_unlock(&k->mu);
    return LW_OK;
}

static uint64_t create_owned(fixture *t, const char *name, const char *api_version,
                             const char *owner)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
             "\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"%s\",\"kind\":"
             "\"Node\",\"name\":\"%s\",\"uid\":\"u\",\"controller\":true}]}}",
             name, api_version, owner);
    return create(t, "configmaps", json);
}

/* The server determines which kinds are namespaced. */
static void an_owner_is_of_a_group_and_perhaps_without_a_namespace(void **state)
{
    (void)state;
    fixture t;
    keys k = { .text = "" };
    lw_error err = LW_ERROR_INIT;
    lw_informer *nodes = NULL, *maps = NULL;
    lw_reconciler *reconciler = NULL;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .resync_s = 0 };
    const lw_reconciler_options wanted = { .size = sizeof(lw_reconciler_options),
                                           .reconcile = note_key,
                                           .arg = &k };
    lw_mutex_init(&k.mu);
    lw_cond_init(&k.changed);
    fixture_open(&t, &options);
    assert_int_equal(lw_factory_informer(t.factory, "nodes", &nodes, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t.factory, "configmaps", &maps, &err), LW_OK);
    assert_int_equal(lw_reconciler_new(&reconciler, &wanted, &err), LW_OK);
    assert_int_equal(lw_reconciler_watch_owned(reconciler, maps, nodes, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    create_owned(&t, "other", "nodes.example.com/v1", "x");
    uint64_t revision = create_owned(&t, "ours", "v1", "x");
    assert_int_equal(lw_informer_wait_for_revision(maps, revision, 20, &err), LW_OK);
    assert_int_equal(lw_reconciler_add(reconciler, lw_key_make("", "last")), LW_OK);
    assert_int_equal(lw_reconciler_start(reconciler, &err), LW_OK);
    lw_mutex_lock(&k.mu);
    while (!strstr(k.text, "last "))
        lw_cond_wait(&k.changed, &k.mu);
    assert_string_equal(k.text, "x last ");
    lw_mutex_unlock(&k.mu);
    lw_reconciler_free(reconciler);
    fixture_close(&t);
    lw_cond_done(&k.changed);
    lw_mutex_done(&k.mu);
}

static void a_server_that_is_not_there_keeps_nobody_from_leaving(void **state)
{
    (void)state;
    fixture t;
    lw_informer *late = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .resync_s = 0 };
    fixture_open(&t, &options);
    assert_int_equal(lw_factory_start(t.factory, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    lw_server_stop(t.server, 0);
    t.server = NULL;
    assert_int_equal(lw_factory_informer(t.factory, "services", &late, &err), LW_OK);
    wait_in_vain(&t, late, &err);
    assert_non_null(strstr(err.message, "services: "));
    assert_true(lw_informer_last_error(late, NULL) < 0);
    lw_factory_free(t.factory);
    lw_client_unref(t.client);
}

static void a_factory_finds_its_server_by_the_kubeconfig(void **state)
{
    (void)state;
    lw_factory *factory = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .kubeconfig = "/nonexistent/kubeconfig" };
    assert_true(lw_factory_new(&factory, &options, &err) < 0);
    assert_non_null(strstr(err.message, "/nonexistent/kubeconfig"));
    assert_null(factory);
}

static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
    (void)closedir(dir);
    assert_int_equal(rmdir(folder), 0);
}

static void a_restarted_factory_resumes_from_its_state_directory(void **state)
{
    (void)state;
    fixture t;
    char folder[] = "/tmp/lw-restart-XXXXXX";
    lw_error err = LW_ERROR_INIT;
    lw_informer_statistics stats;
    assert_non_null(mkdtemp(folder));
    lw_factory_options options = { .size = sizeof(lw_factory_options), .state_dir = folder };
    fixture_open(&t, &options);
    for (int i = 0; i < 3; i++)
        create_pod(&t, (const char *[]){ "a", "b", "c" }[i]);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    lw_factory_free(t.factory);

    uint64_t revision = create_pod(&t, "d"); /* while it is away */
    options.client = t.client;
    assert_int_equal(lw_factory_new(&t.factory, &options, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t.factory, "pods", &t.pods, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    assert_int_equal(lw_informer_wait_for_revision(t.pods, revision, 20, &err), LW_OK);
    lw_informer_stats(t.pods, &stats);
    assert_int_equal(stats.lists, 0);
    assert_int_equal(stats.watches, 1);
    assert_int_equal(stats.objects, 4);
    lw_object *pod = lw_lister_get(lw_informer_lister(t.pods), "default", "a");
    assert_non_null(pod);
    assert_string_equal(lw_object_kind(pod), "Pod");
    lw_object_unref(pod);
    fixture_close(&t);
    remove_folder(folder);
}

/* Replaces the server by a new one at the same address, with a longer history. */
static void fixture_move(fixture *t)
{
    lw_error err = LW_ERROR_INIT;
    lw_server_options serve = LW_SERVER_OPTIONS_INIT;
    char address[64];
    (void)snprintf(address, sizeof(address), "%s",
                   lw_server_insecure_url(t->server) + strlen("http://"));
    lw_client_unref(t->client);
    lw_server_stop(t->server, 0);
    serve.insecure_listen = address;
    serve.threads = 1;
    assert_int_equal(lw_server_start(&t->server, &serve, &err), LW_OK);
    fixture_open_client(t);
    for (int i = 0; i < 20; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "new-%d", i);
        create_pod(t, name);
    }
}

static void another_cluster_at_the_same_address_is_listed(void **state)
{
    (void)state;
    fixture t;
    char folder[] = "/tmp/lw-restart-XXXXXX";
    lw_error err = LW_ERROR_INIT;
    lw_informer_statistics stats;
    assert_non_null(mkdtemp(folder));
    lw_factory_options options = { .size = sizeof(lw_factory_options), .state_dir = folder };
    fixture_open(&t, &options);
    create_pod(&t, "old");
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    lw_factory_free(t.factory);

    fixture_move(&t);
    options.client = t.client;
    assert_int_equal(lw_factory_new(&t.factory, &options, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t.factory, "pods", &t.pods, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(t.factory, 20, &err), LW_OK);
    lw_informer_stats(t.pods, &stats);
    assert_int_equal(stats.last_relist_reason, LW_RELIST_EXPIRED);
    assert_int_equal(stats.objects, 20);
    assert_null(lw_lister_get(lw_informer_lister(t.pods), "default", "old"));
    fixture_close(&t);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_in_pages_and_a_watch),
        TEST(a_stream),
        TEST(a_loop_of_the_programs_own),
        TEST(what_has_no_namespaces_is_found_in_all_of_them),
        TEST(a_resource_that_does_not_exist_is_said_to_while_others_run),
        TEST(an_owner_is_of_a_group_and_perhaps_without_a_namespace),
        TEST(a_server_that_is_not_there_keeps_nobody_from_leaving),
        TEST(a_factory_finds_its_server_by_the_kubeconfig),
        TEST(a_restarted_factory_resumes_from_its_state_directory),
        TEST(another_cluster_at_the_same_address_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
