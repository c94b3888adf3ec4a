/* SPDX-License-Identifier: Apache-2.0 */
/* factory_test.c -- informers together: how they are made, shared, run and ended. */
#include "informer/factory/factory.h"

#include "base/alloc.h"
#include "unit/failing_alloc.h"
#include "unit/informer/house.h"

static void the_same_options_give_the_same_informer(void **state)
{
    (void)state;
    house h;
    lw_informer *again = NULL, *other = NULL;
    static const char *const drop[] = { "/status", NULL }, *const same[] = { "/status", NULL };
    house_open(&h);
    assert_int_equal(lw_factory_informer(h.factory, "pods", &again, NULL), LW_OK);
    assert_ptr_equal(again, h.pods);
    assert_int_equal(lw_factory_informer(h.factory, "nodes", &other, NULL), LW_OK);
    assert_ptr_not_equal(other, h.pods);
    const lw_read_options read = { .drop = drop }, read_same = { .drop = same };
    const lw_informer_options options[] = {
        { .size = sizeof(lw_informer_options), .ns = "a" },
        { .size = sizeof(lw_informer_options), .label_selector = "app=web" },
        { .size = sizeof(lw_informer_options), .field_selector = "spec.nodeName=n1" },
        { .size = sizeof(lw_informer_options), .read = &read },
        { .size = sizeof(lw_informer_options), .resync_s = 7 },
        { .size = sizeof(lw_informer_options), .is_metadata_only = true },
    };
    lw_informer *made[6];
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(lw_factory_informer_with(h.factory, "pods", &options[i], &made[i], NULL),
                         LW_OK);
        assert_ptr_not_equal(made[i], h.pods);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(made[i], made[j]);
    }
    const lw_informer_options equal = { .size = sizeof(lw_informer_options), .read = &read_same };
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &equal, &again, NULL), LW_OK);
    assert_ptr_equal(again, made[3]);
    house_close(&h);
}

static void an_informer_sees_what_its_options_select(void **state)
{
    (void)state;
    house h;
    lw_informer *web = NULL, *of_a = NULL;
    house_open(&h);
    (void)fake_provider_put(h.fake, "pods", "a/x", "web", NULL);
    (void)fake_provider_put(h.fake, "pods", "b/y", "web", NULL);
    (void)fake_provider_put(h.fake, "pods", "a/z", "db", NULL);
    const lw_informer_options labels = { .size = sizeof(lw_informer_options),
                                         .label_selector = "app=web" },
                              ns = { .size = sizeof(lw_informer_options), .ns = "a" };
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &labels, &web, NULL), LW_OK);
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &ns, &of_a, NULL), LW_OK);
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(h.pods)), 3);
    assert_int_equal(lw_lister_count(lw_informer_lister(web)), 2);
    assert_int_equal(lw_lister_count(lw_informer_lister(of_a)), 2);
    /* It leaves the selection: for who selects it is gone. */
    (void)fake_provider_put(h.fake, "pods", "a/x", "db", NULL);
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(web)), 1);
    house_close(&h);
}

static void what_cannot_be_meant_is_refused_at_once(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    lw_informer *none = NULL;
    house_open(&h);
    static const char *const bad[] = { "spec", NULL };
    const lw_read_options read = { .drop = bad };
    const lw_informer_options labels = { .size = sizeof(lw_informer_options),
                                         .label_selector = "a=(" };
    const lw_informer_options fields = { .size = sizeof(lw_informer_options),
                                         .field_selector = "a" },
                              paths = { .size = sizeof(lw_informer_options), .read = &read };
    assert_true(lw_factory_informer_with(h.factory, "pods", &labels, &none, &err) < 0);
    assert_true(lw_factory_informer_with(h.factory, "pods", &fields, &none, &err) < 0);
    assert_true(lw_factory_informer_with(h.factory, "pods", &paths, &none, &err) < 0);
    assert_int_equal(lw_factory_informer(h.factory, "", &none, &err), LW_ERR_INVALID);
    assert_null(none);
    house_close(&h);
}

static void an_informer_that_is_asked_for_later_runs_too(void **state)
{
    (void)state;
    house h;
    lw_informer *nodes = NULL;
    house_open(&h);
    house_run_until_idle(&h);
    (void)fake_provider_put(h.fake, "nodes", "n1", NULL, NULL);
    assert_int_equal(lw_factory_informer(h.factory, "nodes", &nodes, NULL), LW_OK);
    assert_int_equal(lw_factory_timeout_ms(h.factory), 0);
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(nodes)), 1);
    house_close(&h);
}

/* client-go's factories cannot give one informer up. */
static void dropping_an_informer_gives_its_memory_back(void **state)
{
    (void)state;
    house h;
    failing_alloc alloc;
    lw_informer *nodes = NULL;
    char key[32];
    failing_alloc_begin(&alloc, SIZE_MAX);
    house_open(&h);
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "n%d", i);
        (void)fake_provider_put(h.fake, "nodes", key, NULL, NULL);
    }
    house_run_until_idle(&h);
    size_t before = alloc.live;
    assert_int_equal(lw_factory_informer(h.factory, "nodes", &nodes, NULL), LW_OK);
    notebook book = { .len = 0 };
    const lw_handler handler = notebook_handler(&book);
    assert_int_equal(lw_informer_add_handler(nodes, &handler, NULL, NULL), LW_OK);
    house_run_until_idle(&h);
    assert_int_equal(book.count, 100);
    assert_true(alloc.live > before);
    lw_factory_drop(h.factory, nodes);
    assert_int_equal(alloc.live, before);
    assert_int_equal(fake_provider_look(h.fake).open_sources, 1);
    assert_int_equal(lw_factory_informer(h.factory, "nodes", &nodes, NULL), LW_OK);
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(nodes)), 100);
    house_close(&h);
    assert_int_equal(alloc.live, 0);
    failing_alloc_end();
}

static void drop_pods(const lw_event *event, void *arg)
{
    house *h = arg;
    (void)event;
    lw_factory_drop(h->factory, h->pods);
}

static void a_handler_may_drop_its_informer(void **state)
{
    (void)state;
    house h;
    notebook book = { .also = drop_pods, .arg = &h };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i");
    assert_int_equal(fake_provider_look(h.fake).open_sources, 0);
    assert_int_equal(lw_factory_informer(h.factory, "pods", &h.pods, NULL), LW_OK);
    house_run_until_idle(&h);
    assert_true(lw_informer_is_synced(h.pods));
    house_close(&h);
}

typedef struct waiter {
    house *h;
    atomic_bool is_inside;
    lw_status st;
} waiter;

/* A handler that waits for what is to come, and drops its informer. */
static void wait_and_drop(const lw_event *event, void *arg)
{
    waiter *w = arg;
    atomic_store(&w->is_inside, true);
    w->st =
        lw_informer_wait_for_revision(w->h->pods, lw_object_revision(event->object) + 1, 10, NULL);
    lw_factory_drop(w->h->factory, w->h->pods);
    /* Nothing that was dropped goes before the handler that is inside. */
    assert_int_equal(lw_lister_count(lw_informer_lister(w->h->pods)), 2);
}

static void a_handler_in_its_own_thread_may_wait_and_drop_its_informer(void **state)
{
    (void)state;
    house h;
    house_open(&h);
    waiter w = { .h = &h };
    const lw_handler handler = { .on_event = wait_and_drop,
                                 .arg = &w,
                                 .mode = LW_HANDLER_OWN_THREAD };
    house_put(&h, "a/x");
    (void)house_add(&h, &handler);
    assert_int_equal(lw_factory_start(h.factory, NULL), LW_OK);
    while (!atomic_load(&w.is_inside))
        continue;
    house_put(&h, "a/y");
    while (fake_provider_look(h.fake).open_sources > 0)
        continue;
    house_close(&h);
    assert_int_equal(w.st, LW_OK);
}

static void dispatch_inside(const lw_event *event, void *arg)
{
    house *h = arg;
    lw_error err = LW_ERROR_INIT;
    (void)event;
    assert_int_equal(lw_factory_dispatch(h->factory, &err), LW_ERR_INVALID);
    assert_int_equal(lw_factory_wait_for_sync(h->factory, 0, &err), LW_ERR_INVALID);
    assert_int_equal(lw_informer_wait_for_revision(h->pods, 1, 0, &err), LW_ERR_INVALID);
}

static void a_handler_that_waits_for_itself_is_told_so(void **state)
{
    (void)state;
    house h;
    notebook book = { .also = dispatch_inside, .arg = &h };
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_int_equal(book.count, 1);
    house_close(&h);
}

/* Running. */

static void ask_for_more(const lw_event *event, void *arg)
{
    house *h = arg;
    lw_informer *nodes = NULL;
    (void)event;
    assert_int_equal(lw_factory_informer(h->factory, "nodes", &nodes, NULL), LW_OK);
    lw_factory_stop(h->factory);
}

static void run_ends_when_a_handler_stops_the_factory(void **state)
{
    (void)state;
    house h;
    notebook book = { .also = ask_for_more, .arg = &h };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    lw_factory_run(h.factory);
    assert_told(&book, "+a/x.i");
    assert_int_equal(lw_factory_dispatch(h.factory, NULL), LW_ERR_STOPPED);
    assert_int_equal(fake_provider_look(h.fake).open_calls, 0);
    assert_int_equal(lw_factory_start(h.factory, NULL), LW_ERR_STOPPED);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 1, NULL), LW_ERR_STOPPED);
    lw_informer *late = NULL;
    assert_int_equal(lw_factory_informer(h.factory, "late", &late, NULL), LW_ERR_STOPPED);
    house_close(&h);
}

static void a_background_thread_does_all_of_it(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    assert_int_equal(lw_factory_start(h.factory, &err), LW_OK);
    assert_int_equal(lw_factory_start(h.factory, &err), LW_ERR_EXISTS);
    assert_int_equal(lw_factory_dispatch(h.factory, &err), LW_ERR_INVALID);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 10, &err), LW_OK);
    assert_int_equal(atomic_load(&book.count), 1);
    uint64_t revision = house_put(&h, "a/y");
    assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 10, &err), LW_OK);
    lw_object *seen = lw_lister_get(lw_informer_lister(h.pods), "a", "y");
    assert_non_null(seen);
    lw_object_unref(seen);
    lw_factory_drop(h.factory, h.pods);
    assert_int_equal(fake_provider_look(h.fake).open_sources, 0);
    lw_factory_stop(h.factory);
    lw_factory_run(h.factory);
    house_close(&h);
}

typedef struct freer {
    lw_mutex mu;
    lw_cond changed;
    bool is_running;
    lw_factory *factory;
} freer;

/* Called when the factory runs. */
static void note_running(const lw_event *event, void *arg)
{
    freer *f = arg;
    (void)event;
    lw_mutex_lock(&f->mu);
    f->is_running = true;
    lw_cond_signal(&f->changed);
    lw_mutex_unlock(&f->mu);
}

static void free_when_running(void *arg)
{
    freer *f = arg;
    lw_mutex_lock(&f->mu);
    while (!f->is_running)
        lw_cond_wait(&f->changed, &f->mu);
    lw_mutex_unlock(&f->mu);
    lw_factory_free(f->factory);
}

static void a_factory_that_runs_here_may_be_freed_elsewhere(void **state)
{
    (void)state;
    house h;
    lw_thread thread;
    house_open(&h);
    house_put(&h, "a/x");
    freer f = { .factory = h.factory };
    lw_mutex_init(&f.mu);
    lw_cond_init(&f.changed);
    const lw_handler handler = { .on_event = note_running, .arg = &f };
    (void)house_add(&h, &handler);
    assert_int_equal(lw_thread_start(&thread, "freer", free_when_running, &f, NULL), LW_OK);
    lw_factory_run(h.factory);
    lw_thread_join(&thread);
    h.factory = NULL;
    house_close(&h);
    lw_cond_done(&f.changed);
    lw_mutex_done(&f.mu);
}

static void a_program_without_informers_stops_too(void **state)
{
    (void)state;
    lw_factory *factory = NULL;
    fake_provider *fake = fake_provider_new();
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .provider = fake_provider_as_provider(fake) };
    assert_int_equal(lw_factory_new(&factory, &options, NULL), LW_OK);
    assert_null(lw_factory_client(factory));
    assert_int_equal(lw_factory_wait_for_sync(factory, 10, NULL), LW_OK);
    assert_int_equal(lw_factory_timeout_ms(factory), -1);
    assert_int_equal(lw_factory_start(factory, NULL), LW_OK);
    lw_factory_free(factory);
    lw_factory_free(NULL);
    fake_provider_free(fake);
}

/* TestShutDownEventHandler_Lifecycles: never started, before the first list, after it. */
static void a_thousand_lives_leave_nothing_behind(void **state)
{
    (void)state;
    notebook book = { .len = 0 };
    for (int i = 0; i < 1000; i++) {
        house h;
        house_open(&h);
        house_put(&h, "a/x");
        lw_handler handler = notebook_handler(&book);
        handler.mode = i % 4 == 1 ? LW_HANDLER_OWN_THREAD : LW_HANDLER_IN_DISPATCH;
        lw_registration *registration = house_add(&h, &handler);
        if (i % 3 > 0)
            assert_int_equal(lw_factory_start(h.factory, NULL), LW_OK);
        if (i % 3 > 1)
            assert_int_equal(lw_factory_wait_for_sync(h.factory, 10, NULL), LW_OK);
        if (i % 5 == 0)
            lw_informer_remove_handler(h.pods, registration);
        if (i % 2 == 0)
            lw_factory_stop(h.factory);
        house_close(&h);
        book.len = 0;
    }
}

/* Waiting. */

static void waiting_for_sync_ends_with_the_reason_it_did_not_come(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    fake_provider_hold(h.fake, true);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 0, &err), LW_ERR_TIMEOUT);
    assert_string_equal(err.message, "pods: timed out waiting for the first list");
    fake_provider_hold(h.fake, false);
    lw_error no = fake_error(LW_ERR_FORBIDDEN, 403, "pods is forbidden: no");
    fake_provider_fail_lists(h.fake, 1000, &no);
    house_run_until_idle(&h);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 0, &err), LW_ERR_TIMEOUT);
    assert_string_equal(err.message, "pods: pods is forbidden: no");
    assert_int_equal(err.http_status, 403);
    fake_provider_fail_lists(h.fake, 0, &no);
    house_advance(&h, 60 * LW_NS_PER_S);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 0, &err), LW_OK);
    house_close(&h);
}

static void waiting_for_sync_does_not_wait_for_who_must_drain(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    lw_handler handler = notebook_handler(&book);
    handler.mode = LW_HANDLER_DRAINED;
    lw_registration *registration = house_add(&h, &handler);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 10, NULL), LW_OK);
    assert_int_equal(lw_registration_drain(registration, 0), 1);
    house_close(&h);
}

static void waiting_for_a_revision_ends_when_the_cache_has_it(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    uint64_t revision = house_put(&h, "a/x");
    assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 10, &err), LW_OK);
    /* A write to another resource: only a bookmark brings the revision. */
    revision = fake_provider_put(h.fake, "nodes", "n1", NULL, NULL);
    assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 0, &err), LW_ERR_TIMEOUT);
    assert_string_equal(err.message,
                        "pods: timed out waiting for revision 2 (current revision: 1)");
    fake_provider_bookmark(h.fake);
    assert_int_equal(lw_informer_wait_for_revision(h.pods, revision, 10, &err), LW_OK);
    lw_factory_stop(h.factory);
    assert_int_equal(lw_informer_wait_for_revision(h.pods, 99, 10, &err), LW_ERR_STOPPED);
    house_close(&h);
}

static void waiting_costs_nothing(void **state)
{
    (void)state;
    house h;
    house_open(&h);
    assert_int_equal(lw_factory_start(h.factory, NULL), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 10, NULL), LW_OK);
    assert_int_equal(lw_informer_wait_for_revision(h.pods, 99, 1, NULL), LW_ERR_TIMEOUT);
    assert_in_range(fake_provider_look(h.fake).dispatches, 1, 20);
    house_close(&h);
}

/* Statistics. */

static void metrics_are_prometheus_text(void **state)
{
    (void)state;
    house h;
    lw_informer *odd = NULL;
    static char text[16384];
    house_open(&h);
    house_put(&h, "a/x");
    const lw_informer_options options = { .size = sizeof(lw_informer_options), .ns = "q\"b\\n\n" };
    assert_int_equal(lw_factory_informer_with(h.factory, "nodes", &options, &odd, NULL), LW_OK);
    house_run_until_idle(&h);
    size_t len = lw_factory_metrics(h.factory, text, sizeof(text));
    assert_int_equal(len, strlen(text));
    assert_non_null(strstr(text, "# HELP listwatch_informer_objects Objects in the cache.\n"
                                 "# TYPE listwatch_informer_objects gauge\n"
                                 "listwatch_informer_objects{informer=\"1\",resource=\"pods\","
                                 "namespace=\"\"} 1\n"));
    assert_non_null(strstr(text, "namespace=\"q\\\"b\\\\n\\n\"} "));
    assert_non_null(strstr(text, ",type=\"bookmark\"} 0\n"));
    assert_non_null(strstr(text, "last_byte_age_seconds{informer=\"1\",resource=\"pods\","
                                 "namespace=\"\"} 0.000000000\n"));
    assert_int_equal(text[len - 1], '\n');
    /* As snprintf: cut, terminated, and the length of the whole. */
    char small[10];
    assert_int_equal(lw_factory_metrics(h.factory, small, sizeof(small)), len);
    assert_string_equal(small, "# HELP li");
    assert_int_equal(lw_factory_metrics(h.factory, NULL, 0), len);
    house_close(&h);
}

static void a_report_is_json_for_a_page(void **state)
{
    (void)state;
    house h;
    static char text[4096];
    house_open(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    size_t len = lw_factory_report(h.factory, "my \"program\"", text, sizeof(text));
    assert_int_equal(len, strlen(text));
    assert_non_null(strstr(text, "{\"reporter\":\"my \\\"program\\\"\",\"informers\":["
                                 "{\"resource\":\"pods\",\"namespace\":\"\",\"is_synced\":true,"
                                 "\"objects\":1,\"revision\":"));
    char small[10];
    assert_int_equal(lw_factory_report(h.factory, "my \"program\"", small, sizeof(small)), len);
    assert_string_equal(small, "{\"reporte");
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_options_give_the_same_informer),
        TEST(an_informer_sees_what_its_options_select),
        TEST(what_cannot_be_meant_is_refused_at_once),
        TEST(an_informer_that_is_asked_for_later_runs_too),
        TEST(dropping_an_informer_gives_its_memory_back),
        TEST(a_handler_may_drop_its_informer),
        TEST(a_handler_in_its_own_thread_may_wait_and_drop_its_informer),
        TEST(a_handler_that_waits_for_itself_is_told_so),
        TEST(run_ends_when_a_handler_stops_the_factory),
        TEST(a_background_thread_does_all_of_it),
        TEST(a_factory_that_runs_here_may_be_freed_elsewhere),
        TEST(a_program_without_informers_stops_too),
        TEST(a_thousand_lives_leave_nothing_behind),
        TEST(waiting_for_sync_ends_with_the_reason_it_did_not_come),
        TEST(waiting_for_sync_does_not_wait_for_who_must_drain),
        TEST(waiting_for_a_revision_ends_when_the_cache_has_it),
        TEST(waiting_costs_nothing),
        TEST(metrics_are_prometheus_text),
        TEST(a_report_is_json_for_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
