/* SPDX-License-Identifier: Apache-2.0 */
/* informer_faults_tls_test.c -- an informer and a server with HTTP/2 over TLS, and a proxy between
 * them that breaks at any byte or stops: the cache converges to the server's state, and the events
 * of each object are in order.
 *
 * The informer uses the test's clock, so that no time is spent on backoff; the server's threads and
 * the network use real time.  LW_FAULTS_SEED=N and LW_FAULTS_SEEDS=N as in
 * informer_faults_test.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <listwatch/factory.h>

#include "base/clock.h"
#include "suite/faults_proxy.h"
#include "support/client_world.h"
#include "support/sanitized.h"
#include "unit/test.h"

#if IS_SANITIZED
#define SEEDS 8
#else
#define SEEDS 30
#endif

enum {
    NAMES = 6,
    WRITES = 30,
    WAIT_MS = 3,    /* real time without a byte after which the informer's clock advances ... */
    PASS_MS = 1500, /* ... by at most this much */
    PATIENCE_S = 3 * 3600,
    KUBECONFIG_MAX = 16384,
};

static client_world world;
static uint64_t current_seed;

typedef struct trial {
    lw_manual_clock *clock;
    lw_random random;
    faults_proxy proxy;
    lw_factory *factory;
    lw_informer *informer;
    uint64_t told[NAMES]; /* the version of each that the handler knows; 0: deleted */
    uint64_t last[NAMES]; /* the revision of the last event of each */
} trial;

static void on_event(const lw_event *event, void *arg)
{
    trial *t = arg;
    unsigned name = (unsigned)(lw_object_name(event->object)[2] - '0');
    uint64_t rv = lw_object_revision(event->object);
    assert_true(name < NAMES);
    assert_int_equal(event->type == LW_EVENT_ADD, t->told[name] == 0);
    if (event->type == LW_EVENT_UPDATE)
        assert_int_equal(lw_object_revision(event->old_object), t->told[name]);
    if (event->type == LW_EVENT_DELETE && event->cause == LW_CAUSE_RELIST) {
        assert_true(event->is_final_state_unknown);
        assert_int_equal(rv, t->told[name]);
        rv = event->revision;
    }
    assert_true(rv > t->last[name]);
    t->told[name] = event->type == LW_EVENT_DELETE ? 0 : rv;
    t->last[name] = rv;
}

/* Writes the admin's kubeconfig with the port of the proxy. */
static void write_kubeconfig(const faults_proxy *proxy, char path[192])
{
    static char text[KUBECONFIG_MAX], changed[KUBECONFIG_MAX + 16];
    char old_port[16];
    client_world_path(&world, "admin.kubeconfig", path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    text[len] = '\0';
    (void)fclose(file);
    (void)snprintf(old_port, sizeof(old_port), ":%u", proxy->to_port);
    char *at = strstr(text, old_port);
    assert_non_null(at);
    (void)snprintf(changed, sizeof(changed), "%.*s:%u%s", (int)(at - text), text, proxy->port,
                   at + strlen(old_port));
    client_world_write(&world, "proxy.kubeconfig", changed);
    client_world_path(&world, "proxy.kubeconfig", path);
}

static void trial_open(trial *t, uint64_t seed)
{
    char path[192];
    lw_error err = LW_ERROR_INIT;
    const char *url = lw_server_url(world.server);
    *t = (trial){ .clock = NULL };
    lw_random_init(&t->random, seed);
    assert_int_equal(lw_manual_clock_new(&t->clock, lw_clock_wall(lw_clock_system())), LW_OK);
    faults_proxy_open(&t->proxy, (unsigned)strtoul(strrchr(url, ':') + 1, NULL, 10),
                      lw_random_next(&t->random));
    write_kubeconfig(&t->proxy, path);
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .kubeconfig = path,
                                         .ns = "default",
                                         .clock = lw_manual_clock_as_clock(t->clock),
                                         .lists_only = lw_random_below(&t->random, 3) == 0,
                                         .page_size = (int64_t)lw_random_below(&t->random, 4) };
    const lw_handler handler = { .on_event = on_event, .arg = t };
    if (lw_factory_new(&t->factory, &options, &err) < 0 ||
        lw_factory_informer(t->factory, "configmaps", &t->informer, &err) < 0 ||
        lw_informer_add_handler(t->informer, &handler, NULL, &err) < 0)
        fail_msg("%s", err.message);
}

static void trial_close(trial *t)
{
    lw_factory_free(t->factory);
    faults_proxy_close(&t->proxy);
    lw_manual_clock_free(t->clock);
}

/* Creates, changes or deletes an object, without the proxy. */
static void write_something(trial *t)
{
    char name[8], value[24];
    lw_object *obj = NULL;
    lw_gvr gvr = client_world_configmaps();
    (void)snprintf(name, sizeof(name), "cm%u", (unsigned)lw_random_below(&t->random, NAMES));
    (void)snprintf(value, sizeof(value), "%" PRIx64, lw_random_next(&t->random));
    if (lw_random_below(&t->random, 4) == 0) {
        (void)lw_client_delete(world.client, gvr, "default", name, NULL, NULL);
        return;
    }
    lw_object *wanted = client_world_configmap(name, "faults", value);
    lw_status st = lw_client_create(world.client, gvr, wanted, NULL, &obj, NULL);
    if (st == LW_ERR_EXISTS)
        st = lw_client_update(world.client, gvr, wanted, NULL, &obj, NULL);
    assert_int_equal(st, LW_OK);
    lw_object_unref(wanted);
    lw_object_unref(obj);
}

/* Waits for an event and handles it. */
static void turn(trial *t)
{
    struct pollfd set[2 + 2 * FAULTS_PIPES];
    size_t count = faults_proxy_poll_set(&t->proxy, set);
    set[count++] = (struct pollfd){ .fd = lw_factory_fd(t->factory), .events = POLLIN };
    int timeout = lw_factory_timeout_ms(t->factory);
    bool is_dead = faults_proxy_is_dead(&t->proxy);
    bool is_quiet = poll(set, count, timeout == 0 || is_dead ? 0 : WAIT_MS) == 0 && timeout != 0;
    bool has_moved = faults_proxy_turn(&t->proxy);
    if (is_quiet && !has_moved) {
        bool is_long = timeout < 0 || (timeout > PASS_MS && !is_dead);
        lw_manual_clock_advance(t->clock, (is_long ? PASS_MS : timeout) * LW_NS_PER_MS);
    }
    assert_int_equal(lw_factory_dispatch(t->factory, NULL), LW_OK);
}

static void note_versions(const lw_object_list *list, uint64_t *versions)
{
    memset(versions, 0, NAMES * sizeof(*versions));
    for (size_t i = 0; i < lw_object_list_count(list); i++) {
        const lw_object *obj = lw_object_list_at(list, i);
        unsigned name = (unsigned)(lw_object_name(obj)[2] - '0');
        assert_true(name < NAMES);
        versions[name] = lw_object_revision(obj);
    }
}

/* Reads the server's state, without the proxy. */
static void read_server(uint64_t *versions)
{
    lw_object_list *list = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options), .ns = "default" };
    assert_int_equal(lw_client_list_all(world.client, client_world_configmaps(), &options, &list,
                                        NULL),
                     LW_OK);
    note_versions(list, versions);
    lw_object_list_free(list);
}

static bool is_as_the_server(const trial *t, const uint64_t *versions)
{
    uint64_t cached[NAMES];
    lw_object_list *list = lw_lister_list(lw_informer_lister(t->informer), "default", NULL);
    assert_non_null(list);
    note_versions(list, cached);
    lw_object_list_free(list);
    return memcmp(cached, versions, sizeof(cached)) == 0 &&
           memcmp(t->told, versions, sizeof(cached)) == 0;
}

static void trial_come_to_rest(trial *t)
{
    const lw_clock *clock = lw_manual_clock_as_clock(t->clock);
    int64_t since = lw_clock_now(clock);
    uint64_t versions[NAMES];
    faults_proxy_heal(&t->proxy);
    read_server(versions);
    while (!lw_informer_is_synced(t->informer) || !is_as_the_server(t, versions)) {
        if (lw_clock_now(clock) - since > PATIENCE_S * LW_NS_PER_S) {
            lw_error err = LW_ERROR_INIT;
            (void)lw_informer_last_error(t->informer, &err);
            fail_msg("events have not stopped after %d s: %s", PATIENCE_S, err.message);
        }
        turn(t);
    }
}

static void wherever_a_tls_connection_breaks_the_cache_ends_up_as_the_server_is(void **state)
{
    (void)state;
    const char *one = getenv("LW_FAULTS_SEED"), *many = getenv("LW_FAULTS_SEEDS");
    uint64_t first = one ? strtoull(one, NULL, 10) : 0;
    uint64_t count = one ? 1 : many ? strtoull(many, NULL, 10) : SEEDS;
    unsigned ends[FAULTS_PIPE_ENDS] = { 0 };
    static trial t;
    for (uint64_t seed = first; seed < first + count; seed++) {
        current_seed = seed;
        trial_open(&t, seed);
        for (int i = 0; i < WRITES; i++) {
            write_something(&t);
            for (uint64_t turns = lw_random_below(&t.random, 12); turns > 0; turns--)
                turn(&t);
        }
        trial_come_to_rest(&t);
        for (size_t i = 0; i < FAULTS_PIPE_ENDS; i++)
            ends[i] += t.proxy.ends[i];
        trial_close(&t);
    }
    print_message("# %" PRIu64 " seeds: %u connections closed, %u reset, %u left hanging\n", count,
                  ends[FAULTS_PIPE_CLOSES], ends[FAULTS_PIPE_RESETS], ends[FAULTS_PIPE_HANGS]);
    if (!one)
        assert_true(ends[FAULTS_PIPE_CLOSES] > count / 8 && ends[FAULTS_PIPE_RESETS] > count / 8);
}

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    print_message("# the last seed was %" PRIu64 "\n", current_seed);
    client_world_close(&world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            wherever_a_tls_connection_breaks_the_cache_ends_up_as_the_server_is, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
