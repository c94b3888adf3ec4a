/* SPDX-License-Identifier: Apache-2.0 */
/* faults_test.c -- faults on demand of a server in this process. */
#include <sched.h>

#include "base/clock.h"
#include "base/sync.h"
#include "unit/testkit/kit.h"

static void add(lw_server_fault fault)
{
    KIT_OK(lw_server_add_fault(lw_test_server(kit), &fault, kit_err));
}

static void the_next_requests_that_match_fail(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    add((lw_server_fault){ .size = sizeof(lw_server_fault),
                           .verb = "get",
                           .resource = "configmaps",
                           .times = 2,
                           .status = 500 });
    assert_int_equal(kit_get("a", &err), LW_ERR_INTERNAL);
    assert_int_equal(err.http_status, 500);
    KIT_OK(kit_create("b", "1", kit_err)); /* another verb */
    assert_int_equal(kit_get("a", NULL), LW_ERR_INTERNAL);
    KIT_OK(kit_get("a", kit_err));
    assert_int_equal(lw_server_fault_count(lw_test_server(kit)), 2);
}

static void a_conflict_is_one_that_retry_on_conflict_understands(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .verb = "patch", .status = 409 });
    assert_int_equal(lw_client_patch(lw_test_client(kit), lw_gvr_make("", "v1", "configmaps"),
                                     "default", "a", lw_str_of("{\"data\":{\"v\":\"2\"}}"), NULL,
                                     NULL, &err),
                     LW_ERR_CONFLICT);
    assert_string_equal(err.reason, "Conflict");
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .verb = "create", .status = 409 });
    assert_int_equal(kit_create("b", "1", &err), LW_ERR_EXISTS);
}

static void the_client_waits_for_the_time_in_retry_after(void **state)
{
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    int64_t begin_ns = lw_clock_now(lw_clock_system());
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .status = 429, .retry_after_s = 1 });
    KIT_OK(kit_get("a", kit_err)); /* the client has tried again */
    assert_true(lw_clock_now(lw_clock_system()) - begin_ns >= LW_NS_PER_S);
    assert_int_equal(lw_server_fault_count(lw_test_server(kit)), 1);
}

static void requests_before_the_fault_pass(void **state)
{
    (void)state;
    add((lw_server_fault){
        .size = sizeof(lw_server_fault), .name = "a", .skip = 1, .status = 503 });
    assert_int_equal(kit_get("a", NULL), LW_ERR_NOT_FOUND);
    assert_int_equal(kit_get("b", NULL), LW_ERR_NOT_FOUND);
    assert_int_equal(kit_get("a", NULL), LW_ERR_UNAVAILABLE);
}

static void a_connection_is_cut_without_an_answer(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    add((lw_server_fault){
        .size = sizeof(lw_server_fault), .verb = "create", .times = -1, .is_cut = true });
    assert_true(kit_create("a", "1", &err) < 0);
    assert_int_equal(err.http_status, 0);
    lw_server_clear_faults(lw_test_server(kit));
    KIT_OK(kit_create("a", "1", kit_err));
}

static void the_requests_of_the_test_itself_do_not_fail(void **state)
{
    (void)state;
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .times = -1, .status = 500 });
    KIT_OK(lw_test_create(
        kit, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {v: '1'}}",
        kit_err));
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "configmaps", "default", "a", "/data/v", "1",
                             NULL, kit_err));
    assert_int_equal(lw_server_fault_count(lw_test_server(kit)), 0);
}

typedef struct late {
    lw_thread thread;
    lw_mutex mu;
    lw_cond changed;
    lw_status st;
    bool is_over;
} late;

static void get_in_thread(void *arg)
{
    late *l = arg;
    lw_status st = kit_get("a", NULL);
    lw_mutex_lock(&l->mu);
    l->st = st;
    l->is_over = true;
    lw_cond_signal(&l->changed);
    lw_mutex_unlock(&l->mu);
}

static void a_request_that_hangs_goes_on_when_the_faults_are_cleared(void **state)
{
    late l = { .is_over = false };
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .verb = "get", .delay_ms = -1 });
    lw_mutex_init(&l.mu);
    lw_cond_init(&l.changed);
    KIT_OK(lw_thread_start(&l.thread, "get", get_in_thread, &l, kit_err));
    while (lw_server_fault_count(lw_test_server(kit)) == 0)
        (void)sched_yield(); /* until the request has come */
    lw_mutex_lock(&l.mu);
    int64_t soon_ns = lw_clock_now(lw_clock_system()) + 30 * LW_NS_PER_MS;
    while (!l.is_over && lw_cond_wait_until(&l.changed, &l.mu, soon_ns)) {
    }
    assert_false(l.is_over);
    lw_mutex_unlock(&l.mu);
    lw_server_clear_faults(lw_test_server(kit));
    lw_thread_join(&l.thread);
    assert_int_equal(l.st, LW_OK);
    lw_cond_done(&l.changed);
    lw_mutex_done(&l.mu);
}

static void a_server_stops_although_a_request_hangs(void **state)
{
    late l = { .is_over = false };
    (void)state;
    add((lw_server_fault){ .size = sizeof(lw_server_fault), .verb = "get", .delay_ms = -1 });
    lw_mutex_init(&l.mu);
    lw_cond_init(&l.changed);
    KIT_OK(lw_thread_start(&l.thread, "get", get_in_thread, &l, kit_err));
    while (lw_server_fault_count(lw_test_server(kit)) == 0)
        (void)sched_yield();
    lw_client_close(lw_test_client(kit));
    lw_thread_join(&l.thread);
    assert_int_equal(l.st, LW_ERR_STOPPED);
    lw_cond_done(&l.changed);
    lw_mutex_done(&l.mu);
}

static void a_fault_that_makes_no_sense_is_refused(void **state)
{
    lw_error err = LW_ERROR_INIT;
    lw_server_fault fault = LW_SERVER_FAULT_INIT;
    (void)state;
    assert_int_equal(lw_server_add_fault(lw_test_server(kit), &fault, &err), LW_ERR_INVALID);
    fault.status = 200;
    assert_int_equal(lw_server_add_fault(lw_test_server(kit), &fault, &err), LW_ERR_INVALID);
    fault.status = 500;
    fault.verb = "GET";
    assert_int_equal(lw_server_add_fault(lw_test_server(kit), &fault, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "\"GET\" is not a verb");
    fault.verb = NULL;
    for (int i = 0; i < 64; i++)
        KIT_OK(lw_server_add_fault(lw_test_server(kit), &fault, kit_err));
    assert_int_equal(lw_server_add_fault(lw_test_server(kit), &fault, &err), LW_ERR_LIMIT);
}

/* An informer of config maps that notes how it learns of them. */
typedef struct observed {
    lw_factory *factory;
    lw_informer *informer;
    int count;
} observed;

static void note(const lw_event *event, void *arg)
{
    (void)event;
    ((observed *)arg)->count++;
}

static void observe(observed *o)
{
    const lw_factory_options options = { .size = sizeof(options),
                                         .client = lw_test_client(kit),
                                         .backoff_min_ms = 1,
                                         .backoff_max_ms = 5 };
    KIT_OK(lw_factory_new(&o->factory, &options, kit_err));
    KIT_OK(lw_factory_informer(o->factory, "configmaps", &o->informer, kit_err));
    KIT_OK(lw_informer_add_handler(o->informer, &(lw_handler){ .on_event = note, .arg = o }, NULL,
                                   kit_err));
    KIT_OK(lw_factory_wait_for_sync(o->factory, 20, kit_err));
}

/* Waits until the informer has the revision of a change that is made now. */
static void catch_up(observed *o, const char *name)
{
    lw_object *obj = NULL;
    KIT_OK(kit_create(name, "1", kit_err));
    KIT_OK(lw_client_get(lw_test_client(kit), lw_gvr_make("", "v1", "configmaps"), "default", name,
                         NULL, &obj, kit_err));
    KIT_OK(lw_informer_wait_for_revision(o->informer, lw_object_revision(obj), 20, kit_err));
    lw_object_unref(obj);
}

static void an_informer_survives_watches_that_break(void **state)
{
    observed o = { .count = 0 };
    lw_informer_statistics stats;
    (void)state;
    observe(&o);
    catch_up(&o, "a");
    for (int status = 0; status < 2; status++) {
        assert_int_equal(lw_server_break_watches(lw_test_server(kit), "secrets", status), 0);
        assert_int_equal(lw_server_break_watches(lw_test_server(kit), "configmaps", status), 1);
        catch_up(&o, status == 0 ? "b" : "c");
    }
    lw_informer_stats(o.informer, &stats);
    assert_int_equal(stats.relists, 0);
    assert_true(stats.watches >= 3);
    lw_factory_free(o.factory);
}

static void an_informer_lists_again_after_410(void **state)
{
    observed o = { .count = 0 };
    lw_informer_statistics stats;
    (void)state;
    observe(&o);
    catch_up(&o, "a");
    assert_int_equal(lw_server_break_watches(lw_test_server(kit), NULL, 410), 1);
    catch_up(&o, "b");
    lw_informer_stats(o.informer, &stats);
    assert_int_equal(stats.relists, 1);
    assert_int_equal(stats.last_relist_reason, LW_RELIST_EXPIRED);
    lw_factory_free(o.factory);
}

int main(void)
{
#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, kit_tear_down)
    const struct CMUnitTest tests[] = {
        KIT_TEST(the_next_requests_that_match_fail),
        KIT_TEST(a_conflict_is_one_that_retry_on_conflict_understands),
        KIT_TEST(the_client_waits_for_the_time_in_retry_after),
        KIT_TEST(requests_before_the_fault_pass),
        KIT_TEST(a_connection_is_cut_without_an_answer),
        KIT_TEST(the_requests_of_the_test_itself_do_not_fail),
        KIT_TEST(a_request_that_hangs_goes_on_when_the_faults_are_cleared),
        KIT_TEST(a_server_stops_although_a_request_hangs),
        KIT_TEST(a_fault_that_makes_no_sense_is_refused),
        KIT_TEST(an_informer_survives_watches_that_break),
        KIT_TEST(an_informer_lists_again_after_410),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
