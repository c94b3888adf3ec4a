/* SPDX-License-Identifier: Apache-2.0 */
/* client_test.c -- many threads, one client: each writes and reads its own, and all look up
 * resources. */
#include <stdio.h>

#include "base/sync.h"
#include "support/client_world.h"
#include "unit/test.h"

enum {
    THREADS = 8,
    ROUNDS = 10,
};

typedef struct worker {
    lw_client *client;
    int number;
    int troubles;
    char first[512]; /* the first trouble */
} worker;

static void note(worker *w, lw_status st, const lw_error *err, const char *what)
{
    if (st == LW_OK)
        return;
    if (w->troubles++ == 0)
        (void)snprintf(w->first, sizeof(w->first), "%s: %.400s", what, err->message);
}

static void round_trip(worker *w, lw_client *client, int round)
{
    static const char change[] = "{\"data\":{\"key\":\"2\"}}";
    lw_gvr gvr = client_world_configmaps();
    lw_error err = LW_ERROR_INIT;
    lw_object *seen = NULL;
    lw_object_list *list = NULL;
    lw_resource resource;
    char name[32];
    (void)snprintf(name, sizeof(name), "w%d-%d", w->number, round);
    lw_object *obj = client_world_configmap(name, "web", "1");
    note(w, lw_client_create(client, gvr, obj, NULL, NULL, &err), &err, "create");
    lw_status st =
        lw_client_patch(client, gvr, "default", name, lw_str_of(change), NULL, &seen, &err);
    note(w, st, &err, "patch");
    if (st == LW_OK)
        note(w, lw_client_update(client, gvr, seen, NULL, NULL, &err), &err, "update");
    note(w, lw_client_list_all(client, gvr, NULL, &list, &err), &err, "list");
    note(w, lw_client_find_resource(client, round % 2 ? "deploy" : "po", &resource, &err), &err,
         "find");
    note(w, lw_client_delete(client, gvr, "default", name, NULL, &err), &err, "delete");
    lw_object_list_free(list);
    lw_object_unref(seen);
    lw_object_unref(obj);
}

static void work(void *arg)
{
    worker *w = arg;
    lw_client *client = lw_client_ref(w->client);
    for (int round = 0; round < ROUNDS; round++)
        round_trip(w, client, round);
    lw_client_unref(client);
}

/* Lets all threads work with |client|. */
static void share(lw_client *client)
{
    lw_thread threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ .client = client, .number = i };
        assert_int_equal(lw_thread_start(&threads[i], "worker", work, &workers[i], NULL), LW_OK);
    }
    for (int i = 0; i < THREADS; i++)
        lw_thread_join(&threads[i]);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].troubles)
            fail_msg("worker %d: %d troubles, the first: %s", i, workers[i].troubles,
                     workers[i].first);
    }
    lw_object_list *left = NULL;
    lw_list_options options = LW_LIST_OPTIONS_INIT;
    options.ns = "default";
    assert_int_equal(lw_client_list_all(client, client_world_configmaps(), &options, &left, NULL),
                     LW_OK);
    assert_int_equal(lw_object_list_count(left), 0);
    lw_object_list_free(left);
}

static void threads_share_a_client(void **state)
{
    (void)state;
    client_world world;
    client_world_open(&world, NULL);
    share(world.client);
    client_world_close(&world);
}

static void threads_share_a_client_over_tls(void **state)
{
    (void)state;
    client_world world;
    client_world_open(&world, NULL);
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = lw_server_kubeconfig(world.server);
    lw_client *client = client_world_connect(&options);
    share(client);
    lw_client_unref(client);
    client_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_share_a_client),
        TEST(threads_share_a_client_over_tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
