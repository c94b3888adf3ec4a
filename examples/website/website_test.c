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

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <listwatch/server.h>

enum {
    PATIENCE_S = 60, /* only a test that fails waits so long */
    CRD_MAX = 65536,
};

/* What one test works with: a server, the controller, and informers to look at the result with. */
typedef struct world {
    lw_server *server;
    lw_client *client;
    lw_manager *manager; /* of the controller */
    website website;
    bool is_in_loop; /* the manager has no threads: wait_until dispatches it */
    bool is_running;
    pthread_t thread;    /* runs the manager otherwise */
    lw_factory *factory; /* driven by wait_until, with no thread */
    lw_informer *websites, *deployments, *services, *events;
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
        int other = w->is_in_loop ? lw_manager_timeout_ms(w->manager) : -1;
        struct pollfd fds[] = { { .fd = lw_factory_fd(w->factory), .events = POLLIN },
                                { .fd = w->is_in_loop ? lw_manager_fd(w->manager) : -1,
                                  .events = POLLIN } };
        if (left <= 0)
            return false;
        if (timeout < 0 || (other >= 0 && other < timeout))
            timeout = other;
        (void)poll(fds, 2, timeout < 0 || timeout > left ? left : timeout);
        if (lw_factory_dispatch(w->factory, NULL) < 0 ||
            (w->is_in_loop && lw_manager_dispatch(w->manager, NULL) < 0))
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
           lw_factory_informer(w->factory, "events", &w->events, err) == LW_OK &&
           lw_factory_wait_for_sync(w->factory, PATIENCE_S, err) == LW_OK;
}

static void *run_manager(void *arg)
{
    world *w = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_manager_run(w->manager, &err) < 0)
        printf("# lw_manager_run: %s\n", err.message);
    return NULL;
}

/* Starts the controller: in a thread, with its workers, or in the loop of wait_until. */
static bool start_controller(world *w, lw_error *err)
{
    lw_election_options election = LW_ELECTION_OPTIONS_INIT;
    const lw_manager_options options = {
        .size = sizeof(options), .name = WEBSITE_MANAGER, .client = w->client, .election = &election
    };
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

static bool set_up(world *w)
{
    lw_error err = LW_ERROR_INIT;
    bool is_up = start_server(w, &err) && define_websites(w, &err) && start_watching(w, &err) &&
                 start_controller(w, &err);
    if (!is_up)
        printf("# set_up: %s\n", err.message);
    return is_up;
}

static void tear_down(world *w)
{
    (void)stop_controller(w);
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
    CHECK(blog_counts(w->websites, "/status/conditions/0/observedGeneration", 1));
    return true;
}

static bool has_new_image(const world *w)
{
    return blog_says(w->deployments, "/spec/template/spec/containers/0/image", "nginx:1.27") &&
           blog_counts(w->websites, "/status/conditions/0/observedGeneration", 2);
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

static bool is_all_gone(const world *w)
{
    return lw_lister_count(lw_informer_lister(w->websites)) == 0 &&
           lw_lister_count(lw_informer_lister(w->deployments)) == 0 &&
           !blog_says(w->services, "/metadata/name", "blog");
}

static bool a_deleted_website_takes_everything_along(world *w)
{
    CHECK(blog_is_up(w));
    CHECK(lw_client_delete(w->client, websites(), "default", "blog", NULL, NULL) == LW_OK);
    CHECK(wait_until(w, is_all_gone));
    return true;
}

static bool has_three(const world *w)
{
    return blog_counts(w->deployments, "/spec/replicas", 3);
}

static bool kubectl_scale_does_not_take_the_replicas_away(world *w)
{
    const lw_patch_options scale = { .size = sizeof(scale),
                                     .subresource = "scale",
                                     .field_manager = "kubectl" };
    CHECK(blog_is_up(w));
    CHECK(lw_client_patch(w->client, deployments(), "default", "blog",
                          lw_str_of("{\"spec\":{\"replicas\":9}}"), &scale, NULL, NULL) == LW_OK);
    CHECK(wait_until(w, is_corrected));
    CHECK(patch_blog(w, websites(), NULL, "{\"spec\":{\"replicas\":3}}"));
    CHECK(wait_until(w, has_three));
    return true;
}

/* Whether there is an event about the Website with this reason. */
static bool has_event(const world *w, const char *reason)
{
    lw_object_list *all = lw_lister_list(lw_informer_lister(w->events), "default", NULL);
    bool has = false;
    for (size_t i = 0; !has && i < lw_object_list_count(all); i++)
        has = strcmp(lw_object_string(lw_object_list_at(all, i), "/reason", ""), reason) == 0;
    lw_object_list_free(all);
    return has;
}

static bool has_warning(const world *w)
{
    return has_event(w, "NameTaken");
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
    CHECK(wait_until(w, has_warning));
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

/* A server that accepts connections and never answers. */
static bool a_server_that_hangs_does_not_delay_the_stop(world *w)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t size = sizeof(at);
    char url[64];
    lw_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 8) == 0 &&
          getsockname(fd, (struct sockaddr *)&at, &size) == 0);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(at.sin_port));
    const lw_config_options to = { .size = sizeof(to), .server = url };
    world hung = { .is_in_loop = w->is_in_loop };
    CHECK(lw_config_load(&config, &to, &err) == LW_OK &&
          lw_client_new(&hung.client, config, NULL, &err) == LW_OK &&
          start_controller(&hung, &err));
    struct pollfd wanted = { .fd = fd, .events = POLLIN };
    while (poll(&wanted, 1, hung.is_in_loop ? 1 : -1) == 0)
        CHECK(lw_manager_dispatch(hung.manager, NULL) == LW_OK);
    int line = accept(fd, NULL, NULL);
    double took = stop_controller(&hung);
    printf("# stopped in %.1f ms\n", took);
    lw_client_unref(hung.client);
    lw_config_unref(config);
    close(line);
    close(fd);
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
    TEST(a_server_that_hangs_does_not_delay_the_stop),
};

static bool run(int number, const test *t, bool is_in_loop)
{
    world w = { .is_in_loop = is_in_loop };
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
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: website-test crd.yaml\n");
        return 2;
    }
    definition_len = fread(definition, 1, sizeof(definition), file);
    fclose(file);
    for (int i = 0; i < 2 * count; i++)
        failed += !run(i + 1, &tests[i % count], i >= count);
    printf("1..%d\n", 2 * count);
    return failed > 0;
}
