/* SPDX-License-Identifier: Apache-2.0 */
/* website_test.c -- tests of the Website controller, each on an API server of its own.
 *
 *     website-test crd.yaml     prints TAP: "ok" or "not ok" for each test
 *
 * Each test runs twice: with the controller in threads, and without threads in the loop of the
 * test. The server runs inside this program, so nothing must be installed, and it starts in
 * milliseconds.  There is no Deployment controller: a test that needs one writes the status itself.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "website.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <listwatch/test.h>

#define WEBSITES    "websites.example.com"
#define DEPLOYMENTS "deployments.apps"

/* What one test works with: a server, and the controller. */
typedef struct world {
    const char *definition; /* path of crd.yaml */
    lw_test *test;
    lw_manager *manager; /* of the controller */
    website website;
    bool is_in_loop; /* the manager has no threads: waits dispatch it */
    bool is_running;
    pthread_t thread; /* runs the manager otherwise */
    double server_ms;
} world;

static const char blog[] = "apiVersion: example.com/v1\n"
                           "kind: Website\n"
                           "metadata: {name: blog}\n"
                           "spec: {image: 'nginx:1.25', replicas: 2, host: blog.example.com}\n";

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #what);                            \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Prints why a call of the library has failed. */
static bool is_ok(lw_status st, const lw_error *err)
{
    if (st < 0)
        printf("# %s\n", err->message);
    return st >= 0;
}

/* Waits until the value at |pointer| of the object blog is |value|; NULL: until there is one. */
static bool blog_gets(const world *w, const char *resource, const char *pointer, const char *value)
{
    lw_error err = LW_ERROR_INIT;
    const lw_wait_options options = { .size = sizeof(options),
                                      .manager = w->is_in_loop ? w->manager : NULL,
                                      .clock = lw_test_clock(w->test) };
    return is_ok(lw_wait_for_value(lw_test_observer(w->test), resource, "default", "blog", pointer,
                                   value, &options, &err),
                 &err);
}

static bool is_gone(const world *w, const char *resource)
{
    lw_error err = LW_ERROR_INIT;
    const lw_wait_options options = { .size = sizeof(options),
                                      .manager = w->is_in_loop ? w->manager : NULL };
    return is_ok(lw_wait_until_gone(lw_test_observer(w->test), resource, "default", "blog",
                                    &options, &err),
                 &err);
}

static bool create(const world *w, const char *manifest)
{
    lw_error err = LW_ERROR_INIT;
    return is_ok(lw_test_create(w->test, manifest, &err), &err);
}

static bool patch(const world *w, const char *resource, const char *json)
{
    lw_error err = LW_ERROR_INIT;
    return is_ok(lw_test_patch(w->test, resource, "default", "blog", json, &err), &err);
}

static bool delete (const world *w, const char *resource)
{
    lw_error err = LW_ERROR_INIT;
    return is_ok(lw_test_delete(w->test, resource, "default", "blog", &err), &err);
}

static bool add_fault(const world *w, lw_server_fault fault)
{
    lw_error err = LW_ERROR_INIT;
    fault.size = sizeof(fault);
    return is_ok(lw_server_add_fault(lw_test_server(w->test), &fault, &err), &err);
}

static void *run_manager(void *arg)
{
    world *w = arg;
    lw_error err = LW_ERROR_INIT;
    (void)is_ok(lw_manager_run(w->manager, &err), &err);
    return NULL;
}

/* Starts the controller: in a thread, with its workers, or in the loop of the waits. */
static bool start_controller(world *w, lw_error *err)
{
    const lw_factory_options factory = { .size = sizeof(factory),
                                         .clock =
                                             lw_manual_clock_as_clock(lw_test_clock(w->test)) };
    /* Long: the clock of the test may run faster than the server can renew the lease. */
    const lw_election_options election = { .size = sizeof(election),
                                           .lease_duration_ms = 3600 * 1000 };
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = WEBSITE_MANAGER,
                                         .client = lw_test_client(w->test),
                                         .factory = &factory,
                                         .election = &election };
    if (lw_manager_new(&w->manager, &options, err) < 0 ||
        website_add(&w->website, w->is_in_loop ? website_reconcile_async : website_reconcile,
                    w->manager, err) < 0)
        return false;
    if (w->is_in_loop)
        return lw_manager_start_in_loop(w->manager, err) == LW_OK;
    w->is_running = pthread_create(&w->thread, NULL, run_manager, w) == 0;
    return w->is_running;
}

/* Stops the controller; returns how many milliseconds that took. */
static double stop_controller(world *w)
{
    double start = now_ms();
    if (w->is_running) {
        lw_manager_stop(w->manager);
        pthread_join(w->thread, NULL);
    }
    w->is_running = false;
    lw_manager_free(w->manager);
    w->manager = NULL;
    return now_ms() - start;
}

/* A server in this process with the definition of Websites, and the controller. */
static bool set_up(world *w)
{
    lw_error err = LW_ERROR_INIT;
    const lw_test_options options = { .size = sizeof(options), .manifest_file = w->definition };
    double start = now_ms();
    bool is_up = lw_test_start(&w->test, &options, &err) == LW_OK;
    w->server_ms = now_ms() - start;
    is_up = is_up && start_controller(w, &err);
    if (!is_up)
        printf("# set_up: %s\n", err.message);
    return is_up;
}

static void tear_down(world *w)
{
    (void)stop_controller(w);
    lw_test_stop(w->test);
}

/* A Website that the controller has dealt with. */
static bool blog_is_up(world *w)
{
    return create(w, blog) &&
           blog_gets(w, DEPLOYMENTS, "/spec/template/spec/containers/0/image", "nginx:1.25") &&
           blog_gets(w, "services", "/spec/selector/website", "blog") &&
           blog_gets(w, WEBSITES, "/status/conditions/0/status", "False");
}

static bool a_website_becomes_a_deployment_and_a_service(world *w)
{
    lw_object *site = NULL;
    CHECK(blog_is_up(w));
    CHECK(lw_client_get(lw_test_observer(w->test), website_kinds[WEBSITE].gvr, "default", "blog",
                        NULL, &site, NULL) == LW_OK);
    bool is_owner =
        blog_gets(w, DEPLOYMENTS, "/metadata/ownerReferences/0/uid", lw_object_uid(site)) &&
        blog_gets(w, "services", "/metadata/ownerReferences/0/uid", lw_object_uid(site));
    lw_object_unref(site);
    CHECK(is_owner);
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/replicas", "2"));
    CHECK(blog_gets(w, WEBSITES, "/metadata/finalizers/0", WEBSITE_FINALIZER));
    return true;
}

static bool the_status_follows_the_deployment(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/reason", "Progressing"));
    CHECK(patch(w, DEPLOYMENTS "/status",
                "{\"status\":{\"observedGeneration\":1,\"replicas\":2,\"readyReplicas\":2,"
                "\"availableReplicas\":2}}"));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/status", "True"));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/reason", "Available"));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/observedGeneration", "1"));
    return true;
}

static bool a_new_image_reaches_the_deployment(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(patch(w, WEBSITES, "{\"spec\":{\"image\":\"nginx:1.27\"}}"));
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/template/spec/containers/0/image", "nginx:1.27"));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/observedGeneration", "2"));
    return true;
}

static bool a_deployment_scaled_by_hand_is_scaled_back(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(patch(w, DEPLOYMENTS, "{\"spec\":{\"replicas\":9}}"));
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/replicas", "2"));
    CHECK(blog_gets(w, DEPLOYMENTS, "/metadata/generation", "3"));
    return true;
}

static bool a_deleted_service_is_created_again(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(delete (w, "services"));
    CHECK(blog_gets(w, "services", "/spec/selector/website", "blog"));
    return true;
}

static bool a_deleted_website_takes_everything_along(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(delete (w, WEBSITES));
    CHECK(is_gone(w, WEBSITES));
    CHECK(is_gone(w, DEPLOYMENTS));
    CHECK(is_gone(w, "services"));
    return true;
}

static bool kubectl_scale_does_not_take_the_replicas_away(world *w)
{
    const lw_patch_options scale = { .size = sizeof(scale),
                                     .subresource = "scale",
                                     .field_manager = "kubectl" };
    CHECK(blog_is_up(w));
    CHECK(lw_client_patch(lw_test_observer(w->test), website_kinds[WEBSITE_DEPLOYMENT].gvr,
                          "default", "blog", lw_str_of("{\"spec\":{\"replicas\":9}}"), &scale, NULL,
                          NULL) == LW_OK);
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/replicas", "2"));
    CHECK(patch(w, WEBSITES, "{\"spec\":{\"replicas\":3}}"));
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/replicas", "3"));
    return true;
}

static bool a_deployment_of_somebody_else_is_left_alone(world *w)
{
    CHECK(create(w, "apiVersion: apps/v1\n"
                    "kind: Deployment\n"
                    "metadata: {name: blog}\n"
                    "spec:\n"
                    "  selector: {matchLabels: {a: b}}\n"
                    "  template:\n"
                    "    metadata: {labels: {a: b}}\n"
                    "    spec: {containers: [{name: c, image: other}]}\n"));
    CHECK(create(w, blog));
    CHECK(blog_gets(w, WEBSITES, "/status/conditions/0/reason", "NameTaken"));
    CHECK(blog_gets(w, DEPLOYMENTS, "/spec/template/spec/containers/0/image", "other"));
    return true;
}

static bool a_name_that_no_service_can_have_is_reported(world *w)
{
    lw_error err = LW_ERROR_INIT;
    const lw_wait_options options = { .size = sizeof(options),
                                      .manager = w->is_in_loop ? w->manager : NULL };
    CHECK(create(w, "apiVersion: example.com/v1\n"
                    "kind: Website\n"
                    "metadata: {name: my.blog}\n"
                    "spec: {image: nginx, host: my.example.com}\n"));
    CHECK(is_ok(lw_wait_for_value(lw_test_observer(w->test), WEBSITES, "default", "my.blog",
                                  "/status/conditions/0/reason", "Rejected", &options, &err),
                &err));
    return true;
}

/* The controller tries again, each time after a longer delay: the clock makes that short. */
static bool a_server_that_fails_is_tried_again(world *w)
{
    CHECK(add_fault(w, (lw_server_fault){ .verb = "patch", .times = 10, .status = 500 }));
    CHECK(add_fault(w, (lw_server_fault){ .resource = "services", .times = 3, .is_cut = true }));
    CHECK(blog_is_up(w));
    CHECK(lw_server_fault_count(lw_test_server(w->test)) >= 10);
    return true;
}

static bool watches_that_break_lose_nothing(world *w)
{
    CHECK(blog_is_up(w));
    for (int i = 0; i < 2; i++) {
        CHECK(lw_server_break_watches(lw_test_server(w->test), NULL, i == 0 ? 0 : 410) > 0);
        CHECK(patch(w, DEPLOYMENTS, "{\"spec\":{\"replicas\":9}}"));
        CHECK(blog_gets(w, DEPLOYMENTS, "/spec/replicas", "2"));
    }
    return true;
}

/* A server that accepts requests and never answers. */
static bool a_server_that_hangs_does_not_delay_the_stop(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(add_fault(w, (lw_server_fault){ .times = -1, .delay_ms = -1 }));
    CHECK(patch(w, WEBSITES, "{\"spec\":{\"replicas\":3}}"));
    while (lw_server_fault_count(lw_test_server(w->test)) == 0 && w->is_in_loop)
        CHECK(lw_manager_dispatch(w->manager, NULL) == LW_OK);
    double took = stop_controller(w);
    printf("# stopped in %.1f ms\n", took);
    CHECK(took < 100);
    return true;
}

typedef struct test {
    const char *name;
    bool (*run)(world *w);
} test;

#define TEST(function)                                                                             \
    {                                                                                              \
#function, function                                                                        \
    }

static const test tests[] = {
    TEST(a_website_becomes_a_deployment_and_a_service),
    TEST(the_status_follows_the_deployment),
    TEST(a_new_image_reaches_the_deployment),
    TEST(a_deployment_scaled_by_hand_is_scaled_back),
    TEST(a_deleted_service_is_created_again),
    TEST(a_deleted_website_takes_everything_along),
    TEST(a_deployment_of_somebody_else_is_left_alone),
    TEST(a_name_that_no_service_can_have_is_reported),
    TEST(kubectl_scale_does_not_take_the_replicas_away),
    TEST(a_server_that_fails_is_tried_again),
    TEST(watches_that_break_lose_nothing),
    TEST(a_server_that_hangs_does_not_delay_the_stop),
};

static bool run(int number, const test *t, const char *definition, bool is_in_loop)
{
    world w = { .definition = definition, .is_in_loop = is_in_loop };
    double start = now_ms();
    bool is_good = set_up(&w) && t->run(&w);
    tear_down(&w);
    printf("%sok %d - %s%s\n", is_good ? "" : "not ", number, t->name,
           is_in_loop ? " (in a loop)" : "");
    printf("# server ready in %.1f ms, test took %.1f ms\n", w.server_ms, now_ms() - start);
    fflush(stdout);
    return is_good;
}

int main(int argc, char **argv)
{
    const int count = (int)(sizeof(tests) / sizeof(tests[0]));
    int failed = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: website-test crd.yaml\n");
        return 2;
    }
    for (int i = 0; i < 2 * count; i++)
        failed += !run(i + 1, &tests[i % count], argv[1], i >= count);
    printf("1..%d\n", 2 * count);
    return failed > 0;
}
