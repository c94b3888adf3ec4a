/* SPDX-License-Identifier: Apache-2.0 */
/* website_test.c -- tests of the Website controller, each on an API server of its own.
 *
 *     website-test crd.yaml     prints TAP: "ok" or "not ok" for each test
 *
 * The server runs inside this program, so nothing must be installed, and it starts in
 * milliseconds.  There is no Deployment controller: a test that needs one writes the status itself.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "website.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <listwatch/server.h>

enum {
    PATIENCE_S = 60, /* only a test that fails waits so long */
    CRD_MAX = 65536,
};

/* What one test works with: a server, the controller, and informers to look at the result with. */
typedef struct world {
    lw_server *server;
    lw_client *client;
    website_controller *controller;
    lw_factory *factory; /* driven by wait_until, with no thread */
    lw_informer *websites, *deployments, *services, *routes;
    double server_ms;
} world;

static char definition[CRD_MAX];
static size_t definition_len;

static const char blog[] = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Website\","
                           "\"metadata\":{\"name\":\"blog\",\"namespace\":\"default\"},"
                           "\"spec\":{\"image\":\"nginx:1.25\",\"replicas\":2,"
                           "\"host\":\"blog.example.com\"}}";

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

static lw_gvr websites(void)
{
    return lw_gvr_make("example.com", "v1", "websites");
}

static lw_gvr deployments(void)
{
    return lw_gvr_make("apps", "v1", "deployments");
}

static lw_object *blog_in(const lw_informer *informer)
{
    return lw_lister_get(lw_informer_lister(informer), "default", "blog");
}

/* Whether the string at |pointer| of the object blog is |text|; NULL: whether it is absent. */
static bool blog_says(const lw_informer *informer, const char *pointer, const char *text)
{
    lw_object *obj = blog_in(informer);
    const char *found = obj ? lw_object_string(obj, pointer, NULL) : NULL;
    bool is_same = obj && (text && found ? strcmp(found, text) == 0 : text == found);
    lw_object_unref(obj);
    return is_same;
}

static bool blog_counts(const lw_informer *informer, const char *pointer, int64_t number)
{
    lw_object *obj = blog_in(informer);
    bool is_same = obj && lw_object_int(obj, pointer, -1) == number;
    lw_object_unref(obj);
    return is_same;
}

/* Waits for the events of the server until |is_so|; false: it did not become so. */
static bool wait_until(world *w, bool (*is_so)(const world *w))
{
    double end = now_ms() + PATIENCE_S * 1e3;
    while (!is_so(w)) {
        int left = (int)(end - now_ms()), timeout = lw_factory_timeout_ms(w->factory);
        struct pollfd fd = { .fd = lw_factory_fd(w->factory), .events = POLLIN };
        if (left <= 0)
            return false;
        (void)poll(&fd, 1, timeout < 0 || timeout > left ? left : timeout);
        if (lw_factory_dispatch(w->factory, NULL) < 0)
            return false;
    }
    return true;
}

static bool create(const world *w, lw_gvr gvr, const char *json, size_t len, lw_error *err)
{
    lw_object *obj = NULL;
    bool is_made = lw_object_from_json(&obj, json, len, err) == LW_OK &&
                   lw_client_create(w->client, gvr, obj, NULL, NULL, err) == LW_OK;
    lw_object_unref(obj);
    return is_made;
}

static bool patch_blog(const world *w, lw_gvr gvr, const char *subresource, const char *json)
{
    return lw_client_patch(w->client, gvr, "default", "blog", lw_str_of(json),
                           &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                      .subresource = subresource },
                           NULL, NULL) == LW_OK;
}

/* Ends the watch when the definition is established: from then on clients find the kind. */
static lw_status until_established(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    for (int i = 0; event->object; i++) {
        char type[64], status[64];
        (void)snprintf(type, sizeof(type), "/status/conditions/%d/type", i);
        (void)snprintf(status, sizeof(status), "/status/conditions/%d/status", i);
        const char *name = lw_object_string(event->object, type, NULL);
        if (!name)
            return LW_OK;
        if (strcmp(name, "Established") == 0 &&
            strcmp(lw_object_string(event->object, status, ""), "True") == 0)
            return LW_ERR_STOPPED;
    }
    return LW_OK;
}

static bool define_websites(const world *w, lw_error *err)
{
    const lw_gvr crds = lw_gvr_make("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    lw_object_list *manifest = NULL;
    bool is_made =
        lw_object_list_from_manifest(&manifest, definition, definition_len, NULL, err) == LW_OK &&
        lw_client_create(w->client, crds, lw_object_list_at(manifest, 0), NULL, NULL, err) ==
            LW_OK &&
        lw_client_watch(w->client, crds,
                        &(lw_list_options){ .size = sizeof(lw_list_options),
                                            .timeout_s = PATIENCE_S },
                        until_established, NULL, err) == LW_ERR_STOPPED;
    lw_object_list_free(manifest);
    return is_made;
}

/* A server in this process, in memory, on a free port, and a client for it. */
static bool start_server(world *w, lw_error *err)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_config *config = NULL;
    double start = now_ms();
    options.insecure_listen = "127.0.0.1:0";
    if (lw_server_start(&w->server, &options, err) < 0)
        return false;
    w->server_ms = now_ms() - start;
    lw_config_options to = LW_CONFIG_OPTIONS_INIT;
    to.server = lw_server_insecure_url(w->server);
    bool is_there = lw_config_load(&config, &to, err) == LW_OK &&
                    lw_client_new(&w->client, config, NULL, err) == LW_OK;
    lw_config_unref(config);
    return is_there;
}

static bool start_watching(world *w, lw_error *err)
{
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .client = w->client };
    return lw_factory_new(&w->factory, &options, err) == LW_OK &&
           lw_factory_informer(w->factory, "websites.example.com", &w->websites, err) == LW_OK &&
           lw_factory_informer(w->factory, "deployments.apps", &w->deployments, err) == LW_OK &&
           lw_factory_informer(w->factory, "services", &w->services, err) == LW_OK &&
           lw_factory_informer(w->factory, "configmaps", &w->routes, err) == LW_OK &&
           lw_factory_wait_for_sync(w->factory, PATIENCE_S, err) == LW_OK;
}

static bool set_up(world *w)
{
    lw_error err = LW_ERROR_INIT;
    bool is_up = start_server(w, &err) && define_websites(w, &err) && start_watching(w, &err) &&
                 website_controller_start(&w->controller, w->client, NULL, &err) == LW_OK;
    if (!is_up)
        printf("# set_up: %s\n", err.message);
    return is_up;
}

static void tear_down(world *w)
{
    website_controller_stop(w->controller);
    lw_factory_free(w->factory);
    lw_client_unref(w->client);
    lw_server_stop(w->server, 5);
}

static bool is_complete(const world *w)
{
    return blog_says(w->deployments, "/spec/template/spec/containers/0/image", "nginx:1.25") &&
           blog_says(w->services, "/spec/selector/website", "blog") &&
           blog_says(w->websites, "/status/conditions/0/status", "False");
}

/* A Website that the controller has dealt with. */
static bool blog_is_up(world *w)
{
    return create(w, websites(), blog, strlen(blog), NULL) && wait_until(w, is_complete);
}

static bool a_website_becomes_a_deployment_and_a_service(world *w)
{
    CHECK(blog_is_up(w));
    lw_object *site = blog_in(w->websites);
    CHECK(blog_counts(w->deployments, "/spec/replicas", 2));
    CHECK(blog_says(w->deployments, "/metadata/ownerReferences/0/uid", lw_object_uid(site)));
    CHECK(blog_says(w->services, "/metadata/ownerReferences/0/uid", lw_object_uid(site)));
    CHECK(blog_says(w->websites, "/metadata/finalizers/0", WEBSITE_FINALIZER));
    lw_object_unref(site);
    return true;
}

static bool is_ready(const world *w)
{
    return blog_says(w->websites, "/status/conditions/0/status", "True");
}

static bool the_status_follows_the_deployment(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(blog_says(w->websites, "/status/conditions/0/reason", "Progressing"));
    CHECK(patch_blog(w, deployments(), "status",
                     "{\"status\":{\"observedGeneration\":1,\"replicas\":2,\"readyReplicas\":2,"
                     "\"availableReplicas\":2}}"));
    CHECK(wait_until(w, is_ready));
    CHECK(blog_says(w->websites, "/status/conditions/0/reason", "Available"));
    CHECK(blog_counts(w->websites, "/status/observedGeneration", 1));
    CHECK(blog_counts(w->websites, "/status/readyReplicas", 2));
    return true;
}

static bool has_new_image(const world *w)
{
    return blog_says(w->deployments, "/spec/template/spec/containers/0/image", "nginx:1.27") &&
           blog_counts(w->websites, "/status/observedGeneration", 2);
}

static bool a_new_image_reaches_the_deployment(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(patch_blog(w, websites(), NULL, "{\"spec\":{\"image\":\"nginx:1.27\"}}"));
    CHECK(wait_until(w, has_new_image));
    return true;
}

static bool is_corrected(const world *w)
{
    return blog_counts(w->deployments, "/metadata/generation", 3) &&
           blog_counts(w->deployments, "/spec/replicas", 2);
}

static bool a_deployment_scaled_by_hand_is_scaled_back(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(patch_blog(w, deployments(), NULL, "{\"spec\":{\"replicas\":9}}"));
    CHECK(wait_until(w, is_corrected));
    return true;
}

static char first_uid[64];

static bool is_another_service(const world *w)
{
    lw_object *service = blog_in(w->services);
    bool is_another = service && strcmp(lw_object_uid(service), first_uid) != 0;
    lw_object_unref(service);
    return is_another;
}

static bool a_deleted_service_is_created_again(world *w)
{
    CHECK(blog_is_up(w));
    lw_object *service = blog_in(w->services);
    (void)snprintf(first_uid, sizeof(first_uid), "%s", lw_object_uid(service));
    lw_object_unref(service);
    CHECK(lw_client_delete(w->client, lw_gvr_make("", "v1", "services"), "default", "blog", NULL,
                           NULL) == LW_OK);
    CHECK(wait_until(w, is_another_service));
    return true;
}

static const char *route_of_blog(const world *w, lw_object **map)
{
    *map = lw_lister_get(lw_informer_lister(w->routes), "default", WEBSITE_ROUTES);
    return *map ? lw_object_string(*map, "/data/blog", NULL) : NULL;
}

static bool has_route(const world *w)
{
    lw_object *map;
    const char *host = route_of_blog(w, &map);
    bool has = host && strcmp(host, "blog.example.com") == 0;
    lw_object_unref(map);
    return has;
}

static bool is_all_gone(const world *w)
{
    lw_object *map;
    bool is_gone = !route_of_blog(w, &map);
    lw_object_unref(map);
    return is_gone && lw_lister_count(lw_informer_lister(w->websites)) == 0 &&
           lw_lister_count(lw_informer_lister(w->deployments)) == 0 &&
           !blog_says(w->services, "/metadata/name", "blog");
}

static bool a_deleted_website_takes_everything_along(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(wait_until(w, has_route));
    CHECK(lw_client_delete(w->client, websites(), "default", "blog", NULL, NULL) == LW_OK);
    CHECK(wait_until(w, is_all_gone));
    return true;
}

static bool is_refused(const world *w)
{
    return blog_says(w->websites, "/status/conditions/0/reason", "NameTaken");
}

static bool a_deployment_of_somebody_else_is_left_alone(world *w)
{
    static const char other[] =
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"blog\","
        "\"namespace\":\"default\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"image\":\"other\"}]}}}}";
    CHECK(create(w, deployments(), other, strlen(other), NULL));
    CHECK(create(w, websites(), blog, strlen(blog), NULL));
    CHECK(wait_until(w, is_refused));
    CHECK(blog_says(w->deployments, "/spec/template/spec/containers/0/image", "other"));
    return true;
}

static bool is_rejected(const world *w)
{
    lw_object *site = lw_lister_get(lw_informer_lister(w->websites), "default", "my.blog");
    bool is_so =
        site && strcmp(lw_object_string(site, "/status/conditions/0/reason", ""), "Rejected") == 0;
    lw_object_unref(site);
    return is_so;
}

static bool a_name_that_no_service_can_have_is_reported(world *w)
{
    static const char site[] = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Website\","
                               "\"metadata\":{\"name\":\"my.blog\",\"namespace\":\"default\"},"
                               "\"spec\":{\"image\":\"nginx\",\"host\":\"my.example.com\"}}";
    CHECK(create(w, websites(), site, strlen(site), NULL));
    CHECK(wait_until(w, is_rejected));
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
};

static bool run(int number, const test *t)
{
    world w = { .server = NULL };
    double start = now_ms();
    bool is_good = set_up(&w) && t->run(&w);
    tear_down(&w);
    printf("%sok %d - %s\n", is_good ? "" : "not ", number, t->name);
    printf("# server ready in %.1f ms, test took %.1f ms\n", w.server_ms, now_ms() - start);
    fflush(stdout);
    return is_good;
}

int main(int argc, char **argv)
{
    const int count = (int)(sizeof(tests) / sizeof(tests[0]));
    int failed = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: website-test crd.yaml\n");
        return 2;
    }
    definition_len = fread(definition, 1, sizeof(definition), file);
    fclose(file);
    for (int i = 0; i < count; i++)
        failed += !run(i + 1, &tests[i]);
    printf("1..%d\n", count);
    return failed > 0;
}
