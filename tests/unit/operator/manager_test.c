/* SPDX-License-Identifier: Apache-2.0 */
/* manager_test.c -- whole controller programs, with threads and in a loop, on a server in this
 * process. */
#include <listwatch/manager.h>

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/sync.h"
#include "support/client_world.h"
#include "support/hung_server.h"
#include "unit/test.h"

enum {
    PATIENCE_S = 20,
};

static client_world world;
static lw_mutex mu; /* for the condition only */
static lw_cond has_reconciled;

/* A program: a manager whose reconciler notes the keys. */
typedef struct program {
    lw_manager *manager;
    lw_reconciler *reconciler;
    lw_thread thread;
    lw_status st; /* of lw_manager_run */
    lw_error err;
    atomic_int reconciled;
    atomic_int failures_left;
    lw_status check;
} program;

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    lw_mutex_init(&mu);
    lw_cond_init(&has_reconciled);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    client_world_close(&world);
    lw_cond_done(&has_reconciled);
    lw_mutex_done(&mu);
    return 0;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    program *p = arg;
    (void)key;
    (void)result;
    if (atomic_fetch_sub(&p->failures_left, 1) > 0)
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "not yet");
    lw_mutex_lock(&mu);
    atomic_fetch_add(&p->reconciled, 1);
    lw_cond_broadcast(&has_reconciled);
    lw_mutex_unlock(&mu);
    return LW_OK;
}

static lw_manager_options options_of(const char *name, lw_client *client)
{
    lw_manager_options options = LW_MANAGER_OPTIONS_INIT;
    options.name = name;
    options.client = client;
    return options;
}

static void make(program *p, const lw_manager_options *options)
{
    lw_informer *maps = NULL;
    lw_factory_options factory = LW_FACTORY_OPTIONS_INIT;
    factory.ns = "default";
    lw_manager_options all = *options;
    all.factory = &factory;
    *p = (program){ .manager = NULL };
    lw_reconciler_options reconciler = LW_RECONCILER_OPTIONS_INIT;
    reconciler.reconcile = reconcile;
    reconciler.arg = p;
    if (lw_manager_new(&p->manager, &all, &p->err) < 0 ||
        lw_manager_add_reconciler(p->manager, &reconciler, &p->reconciler, &p->err) < 0 ||
        lw_factory_informer(lw_manager_factory(p->manager), "configmaps", &maps, &p->err) < 0 ||
        lw_reconciler_watch(p->reconciler, maps, &p->err) < 0)
        fail_msg("%s", p->err.message);
}

static void run(void *arg)
{
    program *p = arg;
    p->st = lw_manager_run(p->manager, &p->err);
}

static void start(program *p)
{
    assert_int_equal(lw_thread_start(&p->thread, "program", run, p, NULL), LW_OK);
}

/* Stops the program, and returns how long that took, in milliseconds. */
static int64_t stop(program *p)
{
    int64_t before_ns = lw_clock_now(lw_clock_system());
    lw_manager_stop(p->manager);
    lw_thread_join(&p->thread);
    int64_t took_ns = lw_clock_now(lw_clock_system()) - before_ns;
    lw_manager_free(p->manager);
    return took_ns / LW_NS_PER_MS;
}

static bool is_late(int64_t since_ns)
{
    return lw_clock_now(lw_clock_system()) - since_ns > PATIENCE_S * LW_NS_PER_S;
}

static void wait_for_reconciles(program *p, int count)
{
    int64_t since_ns = lw_clock_now(lw_clock_system());
    lw_mutex_lock(&mu);
    while (atomic_load(&p->reconciled) < count && !is_late(since_ns))
        (void)lw_cond_wait_until(&has_reconciled, &mu, since_ns + PATIENCE_S * LW_NS_PER_S);
    lw_mutex_unlock(&mu);
    assert_true(atomic_load(&p->reconciled) >= count);
}

/* What the program answers: the status, and the beginning of the body. */
static int get(unsigned port, const char *path, char *body, size_t size)
{
    char url[64];
    lw_error err = LW_ERROR_INIT;
    lw_response *response = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
    where.server = url;
    lw_client *client = client_world_connect(&where);
    lw_status st = lw_client_raw(client, "GET", path, NULL, &response, &err);
    (void)snprintf(body, size, "%s", st == LW_OK ? lw_response_body(response).ptr : err.message);
    int status = st == LW_OK ? lw_response_status(response) : err.http_status;
    lw_response_free(response);
    lw_client_unref(client);
    return status;
}

static void a_program_reconciles_until_it_is_stopped(void **state)
{
    (void)state;
    program p;
    lw_manager_options options = options_of("test", world.client);
    client_world_create(&world, "a", "web");
    make(&p, &options);
    atomic_store(&p.failures_left, 2);
    start(&p);
    wait_for_reconciles(&p, 1);
    client_world_create(&world, "b", "web");
    wait_for_reconciles(&p, 2);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_manager_add_reconciler(p.manager, NULL, NULL, &err), LW_ERR_INVALID);
    (void)stop(&p);
    assert_int_equal(p.st, LW_OK);
    assert_int_equal(p.err.code, LW_OK);
}

static lw_status check(void *arg, lw_error *err)
{
    const program *p = arg;
    return p->check < 0 ? lw_error_set(err, p->check, "out of order") : LW_OK;
}

static void health_and_metrics_are_served(void **state)
{
    (void)state;
    program p;
    char body[32768];
    lw_manager_options options = options_of("test", world.client);
    options.health_address = "127.0.0.1:0";
    options.metrics_address = "127.0.0.1:0 ";
    assert_int_equal(lw_manager_new(&p.manager, &options, NULL), LW_ERR_INVALID);
    options.metrics_address = "127.0.0.1:00";
    make(&p, &options);
    p.check = LW_ERR_INTERNAL;
    assert_int_equal(lw_manager_add_ready_check(p.manager, "own", check, &p, NULL), LW_OK);
    assert_int_equal(lw_manager_add_health_check(p.manager, "a/b", check, &p, NULL),
                     LW_ERR_INVALID);
    client_world_create(&world, "a", "web");
    start(&p);
    wait_for_reconciles(&p, 1);
    unsigned health = lw_manager_health_port(p.manager);
    unsigned metrics = lw_manager_metrics_port(p.manager);
    assert_true(health != metrics);
    assert_int_equal(get(health, "/healthz", body, sizeof(body)), 200);
    assert_string_equal(body, "ok");
    assert_int_equal(get(health, "/readyz?verbose", body, sizeof(body)), 500);
    assert_int_equal(get(health, "/readyz/informer-sync", body, sizeof(body)), 200);
    assert_int_equal(get(health, "/readyz/none", body, sizeof(body)), 404);
    assert_int_equal(get(health, "/metrics", body, sizeof(body)), 404);
    assert_int_equal(get(metrics, "/healthz", body, sizeof(body)), 404);
    assert_int_equal(get(metrics, "/metrics", body, sizeof(body)), 200);
    static const char *const lines[] = {
        "\nworkqueue_depth{controller=\"test\",name=\"test\"} 0\n",
        "\nworkqueue_adds_total{controller=\"test\",name=\"test\"} 1\n",
        "\nworkqueue_queue_duration_seconds_count{controller=\"test\",name=\"test\"} 1\n",
        "\nworkqueue_work_duration_seconds_bucket{controller=\"test\",name=\"test\",le=\"+Inf\"} ",
        "\nworkqueue_retries_total{controller=\"test\",name=\"test\"} 0\n",
        "\nworkqueue_unfinished_work_seconds{",
        "\nworkqueue_longest_running_processor_seconds{",
        "\ncontroller_runtime_reconcile_total{controller=\"test\",result=\"success\"} 1\n",
        "\ncontroller_runtime_reconcile_errors_total{controller=\"test\"} 0\n",
        "\ncontroller_runtime_reconcile_time_seconds_count{controller=\"test\"} 1\n",
        "\ncontroller_runtime_max_concurrent_reconciles{controller=\"test\"} 1\n",
        "\ncontroller_runtime_active_workers{controller=\"test\"} 0\n",
        "\nlistwatch_informer_synced{",
        "\nlistwatch_recorder_events_total{result=\"created\"} 0\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (!strstr(body, lines[i]))
            fail_msg("not in the metrics: %s", lines[i]);
    }
    (void)stop(&p);
}

static lw_election_options election_of(const char *identity)
{
    lw_election_options election = LW_ELECTION_OPTIONS_INIT;
    election.name = "the-lease";
    election.identity = identity;
    election.lease_duration_ms = 1000;
    return election;
}

static void one_copy_works_and_the_next_one_takes_over(void **state)
{
    (void)state;
    program a, b;
    char body[32768];
    lw_election_options election = election_of("a");
    election.lease_duration_ms = 30000; /* it is released, and not lost on a busy machine */
    election.retry_period_ms = 100;
    lw_manager_options options = options_of("test", world.client);
    options.election = &election;
    options.health_address = options.metrics_address = "127.0.0.1:0";
    client_world_create(&world, "x", "web");
    make(&a, &options);
    start(&a);
    wait_for_reconciles(&a, 1);
    election.identity = "b";
    make(&b, &options);
    start(&b);
    int64_t since_ns = lw_clock_now(lw_clock_system());
    /* It is ready without leading. */
    while (get(lw_manager_health_port(b.manager), "/readyz", body, sizeof(body)) != 200)
        assert_false(is_late(since_ns));
    assert_true(lw_manager_is_ready(b.manager));
    (void)get(lw_manager_metrics_port(b.manager), "/metrics", body, sizeof(body));
    assert_non_null(strstr(body, "leader_election_master_status{name=\"the-lease\"} 0\n"));
    (void)get(lw_manager_metrics_port(a.manager), "/metrics", body, sizeof(body));
    assert_non_null(strstr(body, "leader_election_master_status{name=\"the-lease\"} 1\n"));
    assert_int_equal(atomic_load(&b.reconciled), 0);
    (void)stop(&a);
    wait_for_reconciles(&b, 1);
    (void)stop(&b);
    assert_int_equal(a.st, LW_OK);
    assert_int_equal(b.st, LW_OK);
}

static void a_program_that_loses_its_lease_ends(void **state)
{
    (void)state;
    program p;
    lw_election_options election = election_of("a");
    lw_manager_options options = options_of("test", world.client);
    options.election = &election;
    client_world_create(&world, "x", "web");
    make(&p, &options);
    start(&p);
    wait_for_reconciles(&p, 1);
    assert_int_equal(lw_client_patch(world.client,
                                     lw_gvr_make("coordination.k8s.io", "v1", "leases"), "default",
                                     "the-lease",
                                     lw_str_of("{\"spec\":{\"holderIdentity\":\"thief\"}}"), NULL,
                                     NULL, NULL),
                     LW_OK);
    lw_thread_join(&p.thread);
    assert_int_equal(p.st, LW_ERR_EXPIRED);
    assert_string_equal(p.err.message, "lost the lease \"the-lease\"");
    lw_manager_free(p.manager);
}

static void without_threads_everything_runs_in_the_loop_of_the_program(void **state)
{
    (void)state;
    program p;
    lw_error err = LW_ERROR_INIT;
    lw_election_options election = election_of("a");
    lw_manager_options options = options_of("test", world.client);
    options.election = &election;
    client_world_create(&world, "x", "web");
    make(&p, &options);
    int64_t since_ns = lw_clock_now(lw_clock_system());
    assert_int_equal(lw_manager_start_in_loop(p.manager, NULL), LW_OK);
    assert_int_equal(lw_manager_start_in_loop(p.manager, NULL), LW_ERR_EXISTS);
    lw_status st = LW_OK;
    while (st == LW_OK && !is_late(since_ns)) {
        struct pollfd fd = { .fd = lw_manager_fd(p.manager), .events = POLLIN };
        (void)poll(&fd, 1, lw_manager_timeout_ms(p.manager));
        st = lw_manager_dispatch(p.manager, &err);
        if (atomic_load(&p.reconciled) == 1)
            lw_manager_stop(p.manager);
    }
    assert_int_equal(st, LW_ERR_STOPPED);
    assert_int_equal(atomic_load(&p.reconciled), 1);
    lw_manager_free(p.manager);
    lw_object *lease = NULL;
    assert_int_equal(lw_client_get(world.client, lw_gvr_make("coordination.k8s.io", "v1", "leases"),
                                   "default", "the-lease", NULL, &lease, NULL),
                     LW_OK);
    assert_string_equal(lw_object_string(lease, "/spec/holderIdentity", "?"), "");
    lw_object_unref(lease);
}

static void a_signal_stops_the_program(void **state)
{
    (void)state;
    program p;
    struct sigaction now;
    lw_manager *other = NULL;
    lw_manager_options options = options_of("test", world.client);
    options.handles_signals = true;
    client_world_create(&world, "x", "web");
    make(&p, &options);
    start(&p);
    wait_for_reconciles(&p, 1);
    assert_int_equal(lw_manager_new(&other, &options, NULL), LW_OK);
    assert_int_equal(lw_manager_start_in_loop(other, NULL), LW_ERR_EXISTS);
    lw_manager_free(other);
    assert_int_equal(raise(SIGTERM), 0);
    lw_thread_join(&p.thread);
    assert_int_equal(p.st, LW_OK);
    assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
    lw_manager_free(p.manager);
}

static void a_server_that_hangs_does_not_delay_the_stop(void **state)
{
    (void)state;
    program p;
    hung_server server;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    lw_manager_options options = options_of("test", client);
    lw_election_options election = election_of("a");
    options.election = &election;
    options.health_address = "127.0.0.1:0";
    make(&p, &options);
    start(&p);
    hung_server_await_request(&server);
    char body[256];
    assert_int_equal(get(lw_manager_health_port(p.manager), "/healthz", body, sizeof(body)), 200);
    assert_int_equal(get(lw_manager_health_port(p.manager), "/readyz", body, sizeof(body)), 500);
    assert_in_range(stop(&p), 0, 99);
    assert_int_equal(p.st, LW_OK);
    lw_client_unref(client);
    hung_server_close(&server);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_program_reconciles_until_it_is_stopped),
        IN_WORLD(health_and_metrics_are_served),
        IN_WORLD(one_copy_works_and_the_next_one_takes_over),
        IN_WORLD(a_program_that_loses_its_lease_ends),
        IN_WORLD(without_threads_everything_runs_in_the_loop_of_the_program),
        IN_WORLD(a_signal_stops_the_program),
        IN_WORLD(a_server_that_hangs_does_not_delay_the_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
