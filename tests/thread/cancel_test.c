/* SPDX-License-Identifier: Apache-2.0 */
/* cancel_test.c -- a server that never answers does not keep anybody from stopping.
 *
 * Requests here have a timeout of an hour: a stop that waited for one would outlast the test. */
#include <listwatch/factory.h>
#include <listwatch/reconciler.h>

#include <stdatomic.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/sync.h"
#include "support/client_world.h"
#include "support/hung_server.h"
#include "unit/informer/house.h"

/* Nothing that is freed here may wait longer than this. */
static const int64_t patience_ns = 100 * LW_NS_PER_MS;

#define ASSERT_AT_ONCE(statement)                                                                  \
    do {                                                                                           \
        int64_t began_ns = lw_clock_now(lw_clock_system());                                        \
        statement;                                                                                 \
        assert_in_range(lw_clock_now(lw_clock_system()) - began_ns, 0, patience_ns);               \
    } while (0)

/* A call in a thread of its own. */
typedef struct caller {
    lw_client *client;
    lw_status (*call)(lw_client *client, lw_error *err);
    lw_thread thread;
    atomic_bool has_returned;
    lw_status st;
    lw_error err;
} caller;

static lw_status call_get(lw_client *client, lw_error *err)
{
    lw_object *obj = NULL;
    return lw_client_get(client, client_world_configmaps(), "default", "x", NULL, &obj, err);
}

static lw_status call_list(lw_client *client, lw_error *err)
{
    return lw_client_list(client, client_world_configmaps(), NULL, NULL, NULL, err);
}

static lw_status on_watch_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)event;
    (void)arg;
    (void)err;
    return LW_OK;
}

static lw_status call_watch(lw_client *client, lw_error *err)
{
    return lw_client_watch(client, client_world_configmaps(), NULL, on_watch_event, NULL, err);
}

static lw_status call_find(lw_client *client, lw_error *err)
{
    lw_resource resource;
    return lw_client_find_resource(client, "pods", &resource, err);
}

static lw_status call_create(lw_client *client, lw_error *err)
{
    lw_object *obj = client_world_configmap("x", "web", "1");
    lw_status st = lw_client_create(client, client_world_configmaps(), obj, NULL, NULL, err);
    lw_object_unref(obj);
    return st;
}

static void caller_main(void *arg)
{
    caller *c = arg;
    c->st = c->call(c->client, &c->err);
    atomic_store(&c->has_returned, true);
}

static void caller_start(caller *c, lw_client *client,
                         lw_status (*call)(lw_client *client, lw_error *err))
{
    *c = (caller){ .client = client, .call = call, .err = LW_ERROR_INIT };
    assert_int_equal(lw_thread_start(&c->thread, "caller", caller_main, c, NULL), LW_OK);
}

static void closing_a_client_ends_the_calls_that_wait_and_refuses_later_ones(void **state)
{
    (void)state;
    lw_status (*const calls[])(lw_client *, lw_error *) = { call_get, call_list, call_watch,
                                                            call_find, call_create };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        hung_server server;
        caller c;
        lw_error err = LW_ERROR_INIT;
        hung_server_open(&server);
        lw_client *client = hung_server_client(&server);
        caller_start(&c, client, calls[i]);
        hung_server_await_request(&server);
        lw_client_close(client);
        lw_thread_join(&c.thread);
        assert_int_equal(c.st, LW_ERR_STOPPED);
        assert_string_equal(c.err.message, "the client was closed");
        assert_int_equal(calls[i](client, &err), LW_ERR_STOPPED);
        assert_string_equal(err.message, "the client was closed");
        lw_client_close(client); /* once more changes nothing */
        lw_client_unref(client);
        hung_server_close(&server);
    }
}

static void all_threads_are_woken_by_one_close(void **state)
{
    (void)state;
    hung_server server;
    caller callers[4];
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    for (size_t i = 0; i < 4; i++)
        caller_start(&callers[i], client, call_get);
    for (size_t i = 0; i < 4; i++)
        hung_server_await_request(&server);
    lw_client_close(client);
    for (size_t i = 0; i < 4; i++) {
        lw_thread_join(&callers[i].thread);
        assert_int_equal(callers[i].st, LW_ERR_STOPPED);
    }
    lw_client_unref(client);
    hung_server_close(&server);
}

static void cancelling_all_calls_leaves_the_client_open(void **state)
{
    (void)state;
    hung_server server;
    caller callers[3], later;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    lw_client_cancel_all(client); /* nothing is in progress */
    for (size_t i = 0; i < 3; i++)
        caller_start(&callers[i], client, i == 0 ? call_get : i == 1 ? call_list : call_watch);
    for (size_t i = 0; i < 3; i++)
        hung_server_await_request(&server);
    lw_client_cancel_all(client);
    for (size_t i = 0; i < 3; i++) {
        lw_thread_join(&callers[i].thread);
        assert_int_equal(callers[i].st, LW_ERR_STOPPED);
        assert_string_equal(callers[i].err.message,
                            "the request was cancelled by lw_client_cancel_all");
    }
    caller_start(&later, client, call_get);
    hung_server_await_request(&server); /* it is sent */
    lw_client_close(client);
    lw_thread_join(&later.thread);
    lw_client_unref(client);
    hung_server_close(&server);
}

/* Credential plugins. */

/* Makes a client whose plugin gives an expired token at first and hangs afterwards. */
static lw_client *client_of_hanging_plugin(client_world *files, lw_manual_clock *clock)
{
    lw_error err = LW_ERROR_INIT;
    lw_client *client = NULL;
    lw_config *config = NULL;
    lw_client_options how = LW_CLIENT_OPTIONS_INIT;
    char script[192], mark[192], kubeconfig[192], text[1024];
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    client_world_path(files, "plugin.sh", script);
    client_world_path(files, "plugin.ran", mark);
    client_world_path(files, "plugin.kubeconfig", kubeconfig);
    (void)snprintf(text, sizeof(text),
                   "if [ -e %s ]; then echo >> %s; exec sleep 3600; fi\n: > %s\n"
                   "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                   "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\","
                   "\"expirationTimestamp\":\"2001-01-01T00:00:00Z\"}}'\n",
                   mark, mark, mark);
    client_world_write(files, "plugin.sh", text);
    (void)snprintf(text, sizeof(text),
                   "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                   "clusters: [{name: s, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                   "contexts: [{name: c, context: {cluster: s, user: u}}]\n"
                   "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
                   "command: /bin/sh, args: [%s], interactiveMode: Never}}}]\n",
                   script);
    client_world_write(files, "plugin.kubeconfig", text);
    where.kubeconfig = kubeconfig;
    how.clock = lw_manual_clock_as_clock(clock);
    if (lw_config_load(&config, &where, &err) < 0 || lw_client_new(&client, config, &how, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
    lw_manual_clock_advance(clock, 2 * LW_NS_PER_S); /* it does not run again at once */
    return client;
}

/* Waits until the plugin hangs. */
static void await_plugin(const client_world *files)
{
    char mark[192];
    struct stat facts;
    client_world_path(files, "plugin.ran", mark);
    do
        assert_int_equal(stat(mark, &facts), 0);
    while (facts.st_size == 0);
}

static void a_plugin_that_hangs_is_killed_when_its_call_is_cancelled(void **state)
{
    (void)state;
    client_world files;
    caller first, second;
    lw_manual_clock *clock = NULL;
    assert_int_equal(lw_manual_clock_new(&clock, INT64_C(1800000000) * LW_NS_PER_S), LW_OK);
    client_world_open(&files, NULL);
    lw_client *client = client_of_hanging_plugin(&files, clock);
    caller_start(&first, client, call_get);
    await_plugin(&files);
    caller_start(&second, client, call_get); /* waits for the same plugin */
    ASSERT_AT_ONCE(lw_client_cancel_all(client); lw_thread_join(&first.thread));
    assert_int_equal(first.st, LW_ERR_STOPPED);
    ASSERT_AT_ONCE(lw_client_close(client); lw_thread_join(&second.thread));
    assert_int_equal(second.st, LW_ERR_STOPPED);
    lw_client_unref(client);
    lw_manual_clock_free(clock);
    client_world_close(&files);
}

static void freeing_a_factory_does_not_wait_for_a_plugin(void **state)
{
    (void)state;
    client_world files;
    lw_factory *factory = NULL;
    lw_informer *pods = NULL;
    lw_manual_clock *clock = NULL;
    assert_int_equal(lw_manual_clock_new(&clock, INT64_C(1800000000) * LW_NS_PER_S), LW_OK);
    client_world_open(&files, NULL);
    lw_client *client = client_of_hanging_plugin(&files, clock);
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .client = client };
    assert_int_equal(lw_factory_new(&factory, &options, NULL), LW_OK);
    assert_int_equal(lw_factory_informer(factory, "pods", &pods, NULL), LW_OK);
    assert_int_equal(lw_factory_start(factory, NULL), LW_OK);
    await_plugin(&files);
    ASSERT_AT_ONCE(lw_factory_free(factory));
    lw_client_unref(client);
    lw_manual_clock_free(clock);
    client_world_close(&files);
}

/* Reconcilers. */

typedef struct loop {
    lw_client *client;
    lw_status st, later;
    lw_error err;
    atomic_uint lines; /* of the log */
} loop;

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    loop *l = arg;
    (void)key;
    (void)result;
    l->st = call_get(l->client, &l->err);
    l->later = call_get(l->client, err);
    return l->later;
}

static void note_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    loop *l = arg;
    (void)level;
    (void)component;
    (void)line;
    atomic_fetch_add(&l->lines, 1);
}

static void stopping_a_reconciler_cancels_what_its_workers_wait_for_and_nothing_else(void **state)
{
    (void)state;
    hung_server server;
    caller other;
    lw_reconciler *reconciler = NULL;
    hung_server_open(&server);
    loop l = { .client = hung_server_client(&server), .err = LW_ERROR_INIT };
    const lw_logger logger = { LW_LOG_INFO, note_line, &l };
    const lw_reconciler_options options = {
        .size = sizeof(lw_reconciler_options), .reconcile = reconcile, .arg = &l, .logger = &logger
    };
    assert_int_equal(lw_reconciler_new(&reconciler, &options, NULL), LW_OK);
    assert_int_equal(lw_reconciler_add(reconciler, lw_key_make("n", "x")), LW_OK);
    assert_int_equal(lw_reconciler_start(reconciler, NULL), LW_OK);
    caller_start(&other, l.client, call_get);
    hung_server_await_request(&server);
    hung_server_await_request(&server);
    ASSERT_AT_ONCE(lw_reconciler_free(reconciler));
    assert_int_equal(l.st, LW_ERR_STOPPED);
    assert_int_equal(l.later, LW_ERR_STOPPED);
    assert_non_null(strstr(l.err.message, "reconciler or factory was stopped"));
    assert_int_equal(atomic_load(&l.lines), 0); /* a stop is no failure */
    assert_false(atomic_load(&other.has_returned));
    lw_client_close(l.client);
    lw_thread_join(&other.thread);
    assert_string_equal(other.err.message, "the client was closed");
    lw_client_unref(l.client);
    hung_server_close(&server);
}

/* Factories. */

static void handle(const lw_event *event, void *arg)
{
    loop *l = arg;
    (void)event;
    l->st = call_get(l->client, &l->err);
}

static void freeing_a_factory_cancels_what_its_handlers_wait_for(void **state)
{
    (void)state;
    static const lw_handler_mode modes[] = { LW_HANDLER_OWN_THREAD, LW_HANDLER_IN_DISPATCH };
    for (size_t i = 0; i < 2; i++) {
        house h;
        hung_server server;
        house_open(&h);
        hung_server_open(&server);
        loop l = { .client = hung_server_client(&server), .err = LW_ERROR_INIT };
        const lw_handler handler = { .on_event = handle, .arg = &l, .mode = modes[i] };
        house_put(&h, "n/x");
        assert_int_equal(lw_informer_add_handler(h.pods, &handler, NULL, NULL), LW_OK);
        assert_int_equal(lw_factory_start(h.factory, NULL), LW_OK);
        hung_server_await_request(&server);
        house_close(&h);
        assert_int_equal(l.st, LW_ERR_STOPPED);
        lw_client_unref(l.client);
        hung_server_close(&server);
    }
}

static void freeing_a_factory_does_not_wait_for_the_server_of_its_informers(void **state)
{
    (void)state;
    for (int has_thread = 0; has_thread < 2; has_thread++) {
        hung_server server;
        lw_factory *factory = NULL;
        lw_informer *pods = NULL;
        hung_server_open(&server);
        lw_client *client = hung_server_client(&server);
        const lw_factory_options options = { .size = sizeof(lw_factory_options), .client = client };
        assert_int_equal(lw_factory_new(&factory, &options, NULL), LW_OK);
        assert_int_equal(lw_factory_informer(factory, "pods", &pods, NULL), LW_OK);
        if (has_thread) {
            assert_int_equal(lw_factory_start(factory, NULL), LW_OK);
            hung_server_await_request(&server);
        } else {
            assert_int_equal(lw_factory_wait_for_sync(factory, 0, NULL), LW_ERR_TIMEOUT);
            (void)lw_factory_dispatch(factory, NULL);
        }
        ASSERT_AT_ONCE(lw_factory_free(factory));
        lw_client_unref(client);
        hung_server_close(&server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(closing_a_client_ends_the_calls_that_wait_and_refuses_later_ones),
        TEST(all_threads_are_woken_by_one_close),
        TEST(cancelling_all_calls_leaves_the_client_open),
        TEST(a_plugin_that_hangs_is_killed_when_its_call_is_cancelled),
        TEST(freeing_a_factory_does_not_wait_for_a_plugin),
        TEST(stopping_a_reconciler_cancels_what_its_workers_wait_for_and_nothing_else),
        TEST(freeing_a_factory_cancels_what_its_handlers_wait_for),
        TEST(freeing_a_factory_does_not_wait_for_the_server_of_its_informers),
    };
    return cmocka_run_group_tests_name("thread-cancel", tests, NULL, NULL);
}
