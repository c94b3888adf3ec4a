/* SPDX-License-Identifier: Apache-2.0 */
/* shared_informer_test.c -- the events that the handlers of one informer receive, and when:
 * changes, relists, handlers that are added late, removals. */
#include <listwatch/informer.h>

#include "house.h"

static void a_handler_is_told_what_is_there_then_what_happens(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    const lw_handler handler = notebook_handler(&book);
    lw_registration *registration = house_add(&h, &handler);
    assert_false(lw_informer_is_synced(h.pods));
    assert_false(lw_registration_is_synced(registration));
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i +a/y.i");
    assert_true(lw_informer_is_synced(h.pods));
    assert_true(lw_registration_is_synced(registration));
    house_put(&h, "b/z");
    house_put(&h, "a/x");
    house_delete(&h, "a/y");
    house_run_until_idle(&h);
    assert_told(&book, "+b/z.w ~a/x.w -a/y.w");
    house_close(&h);
}

static void see_the_cache(const lw_event *event, void *arg)
{
    const house *h = arg;
    lw_object *cached =
        lw_lister_get(lw_informer_lister(h->pods), lw_object_namespace(event->object),
                      lw_object_name(event->object));
    assert_int_equal(cached != NULL, event->type != LW_EVENT_DELETE);
    lw_object_unref(cached);
}

static void the_cache_shows_a_change_before_handlers_are_told(void **state)
{
    (void)state;
    house h;
    notebook book = { .also = see_the_cache, .arg = &h };
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    house_delete(&h, "a/x");
    house_run_until_idle(&h);
    assert_int_equal(book.count, 3);
    house_close(&h);
}

static lw_event last_event;
static char last_old[64], last_new[64];

static void keep_revisions(const lw_event *event, void *arg)
{
    (void)arg;
    last_event = *event;
    snprintf(last_new, sizeof(last_new), "%s", lw_object_resource_version(event->object));
    snprintf(last_old, sizeof(last_old), "%s",
             event->old_object ? lw_object_resource_version(event->old_object) : "");
}

static void events_carry_the_old_state_and_their_revision(void **state)
{
    (void)state;
    house h;
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = { .on_event = keep_revisions };
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_int_equal(last_event.revision, 1);
    assert_null(last_event.old_object);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    assert_string_equal(last_old, "1");
    assert_string_equal(last_new, "2");
    assert_int_equal(last_event.revision, 2);
    house_delete(&h, "a/x");
    house_run_until_idle(&h);
    /* The last state, with the revision of the deletion. */
    assert_int_equal(last_event.type, LW_EVENT_DELETE);
    assert_string_equal(last_new, "3");
    assert_int_equal(last_event.revision, 3);
    house_close(&h);
}

/* TestAddWhileActive. */
static void who_joins_late_is_told_of_the_cache_first(void **state)
{
    (void)state;
    house h;
    notebook first = { .len = 0 }, second = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    lw_handler handler = notebook_handler(&first);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    house_put(&h, "a/z");
    house_run_until_idle(&h);
    assert_told(&first, "+a/x.i +a/y.i +a/z.w");
    handler = notebook_handler(&second);
    lw_registration *late = house_add(&h, &handler);
    assert_false(lw_registration_is_synced(late));
    house_delete(&h, "a/x");
    house_run_until_idle(&h);
    assert_true(lw_registration_is_synced(late));
    assert_told(&first, "-a/x.w");
    assert_told(&second, "+a/x.i +a/y.i +a/z.i -a/x.w");
    house_close(&h);
}

static void a_handler_of_an_empty_cache_is_synced_at_once(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_run_until_idle(&h);
    lw_handler handler = notebook_handler(&book);
    handler.mode = LW_HANDLER_DRAINED;
    assert_true(lw_registration_is_synced(house_add(&h, &handler)));
    house_close(&h);
}

/* TestSharedInformerMultipleRegistration. */
static void the_same_handler_twice_is_two_registrations(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    lw_registration *one = house_add(&h, &handler);
    lw_registration *two = house_add(&h, &handler);
    assert_ptr_not_equal(one, two);
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i +a/x.i");
    lw_informer_remove_handler(h.pods, one);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    assert_told(&book, "~a/x.w");
    house_close(&h);
}

/* TestRemoveWhileActive. */
static void nothing_is_told_after_removal(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    lw_registration *registration = house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i");
    house_put(&h, "a/y");
    lw_informer_remove_handler(h.pods, registration);
    house_put(&h, "a/z");
    house_run_until_idle(&h);
    assert_told(&book, "");
    lw_informer_remove_handler(h.pods, NULL);
    house_close(&h);
}

/* A handler that removes somebody at its first event. */
typedef struct remover {
    house *h;
    lw_registration *victim;
} remover;

static void remove_victim(const lw_event *event, void *arg)
{
    remover *r = arg;
    (void)event;
    lw_informer_remove_handler(r->h->pods, r->victim);
    r->victim = NULL;
}

static void a_handler_may_remove_itself(void **state)
{
    (void)state;
    house h;
    static const lw_handler_mode modes[] = { LW_HANDLER_IN_DISPATCH, LW_HANDLER_DRAINED };
    for (size_t i = 0; i < 2; i++) {
        remover r = { .h = &h };
        notebook book = { .also = remove_victim, .arg = &r };
        house_open(&h);
        house_put(&h, "a/x");
        house_put(&h, "a/y");
        lw_handler handler = notebook_handler(&book);
        handler.mode = modes[i];
        r.victim = house_add(&h, &handler);
        lw_registration *self = r.victim;
        house_run_until_idle(&h);
        if (handler.mode == LW_HANDLER_DRAINED)
            (void)lw_registration_drain(self, 0);
        assert_told(&book, "+a/x.i");
        house_put(&h, "a/z");
        house_run_until_idle(&h);
        assert_told(&book, "");
        house_close(&h);
    }
}

static void a_handler_may_remove_another_that_is_about_to_be_told(void **state)
{
    (void)state;
    house h;
    remover r = { .h = &h };
    notebook first = { .also = remove_victim, .arg = &r }, second = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    lw_handler handler = notebook_handler(&first);
    (void)house_add(&h, &handler);
    handler = notebook_handler(&second);
    r.victim = house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&first, "+a/x.i");
    assert_told(&second, "");
    house_close(&h);
}

static void add_another(const lw_event *event, void *arg)
{
    notebook *book = arg;
    house *h = book->arg;
    (void)event;
    const lw_handler handler = { .on_event = notebook_take, .arg = book };
    book->also = NULL;
    assert_int_equal(lw_informer_add_handler(h->pods, &handler, NULL, NULL), LW_OK);
}

static void note_and_add(const lw_event *event, void *arg)
{
    notebook *book = arg;
    if (book->also)
        book->also(event, book);
}

static void a_handler_may_add_a_handler(void **state)
{
    (void)state;
    house h;
    notebook book = { .also = add_another, .arg = &h };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    const lw_handler handler = { .on_event = note_and_add, .arg = &book };
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i +a/y.i");
    house_close(&h);
}

/* TestAddOnStoppedSharedInformer. */
static void a_stopped_informer_takes_no_handler(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    notebook book = { .len = 0 };
    house_open(&h);
    house_run_until_idle(&h);
    lw_factory_stop(h.factory);
    const lw_handler handler = notebook_handler(&book);
    assert_int_equal(lw_informer_add_handler(h.pods, &handler, NULL, &err), LW_ERR_STOPPED);
    assert_string_equal(err.message, "the informer was stopped");
    house_close(&h);
}

static void a_handler_must_be_callable(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    lw_handler handler = { .arg = &h };
    assert_int_equal(lw_informer_add_handler(h.pods, &handler, NULL, &err), LW_ERR_INVALID);
    handler.on_event = notebook_take;
    handler.mode = (lw_handler_mode)9;
    assert_int_equal(lw_informer_add_handler(h.pods, &handler, NULL, &err), LW_ERR_INVALID);
    house_close(&h);
}

static void write_what_is_missed(house *h)
{
    house_put(h, "a/new");
    house_put(h, "a/changed");
    house_delete(h, "a/gone");
    assert_true(fake_provider_recreate(h->fake, "pods", "a/reborn") > 0);
}

/* TestResetWatch, TestReplaceEvents, TestSharedInformerWatchDisruption.  client-go tells handlers
 * without a resync period of unchanged objects too (an update each); here they hear of changes. */
static void a_relist_tells_of_what_differs_and_only_that(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/changed");
    house_put(&h, "a/gone");
    house_put(&h, "a/reborn");
    house_put(&h, "a/same");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/changed.i +a/gone.i +a/reborn.i +a/same.i");
    house_miss(&h, write_what_is_missed);
    assert_told(&book, "-a/gone.r? ~a/changed.r +a/new.r ~a/reborn.r!");
    house_close(&h);
}

static void a_recreation_seen_by_the_watch_is_a_delete_and_an_add(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    (void)fake_provider_recreate(h.fake, "pods", "a/x");
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i -a/x.w +a/x.w");
    house_close(&h);
}

static lw_object *only_names(const lw_object *obj, void *arg)
{
    char json[200];
    lw_object *kept = NULL;
    unsigned *calls = arg;
    ++*calls;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\","
                       "\"resourceVersion\":\"%s\",\"uid\":\"%s\"}}",
                       lw_object_namespace(obj), lw_object_name(obj),
                       lw_object_resource_version(obj), lw_object_uid(obj));
    (void)lw_object_from_json(&kept, json, (size_t)len, NULL);
    return kept;
}

/* client-go's WatchList transforms objects of the first state twice. */
static void objects_are_transformed_once_before_they_are_kept(void **state)
{
    (void)state;
    house h;
    unsigned calls = 0;
    lw_informer *small = NULL;
    house_open(&h);
    assert_true(fake_provider_put(h.fake, "pods", "a/x", "web", "\"spec\":{\"a\":1}") > 0);
    const lw_informer_options options = { .size = sizeof(lw_informer_options),
                                          .transform = only_names,
                                          .transform_arg = &calls };
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &options, &small, NULL), LW_OK);
    assert_ptr_not_equal(small, h.pods);
    house_run_until_idle(&h);
    assert_int_equal(calls, 1);
    lw_object *obj = lw_lister_get(lw_informer_lister(small), "a", "x");
    assert_int_equal(lw_object_int(obj, "/spec/a", 0), 0);
    assert_null(lw_object_label(obj, "app"));
    lw_object_unref(obj);
    house_close(&h);
}

/* TestIndexer: added before, and later with data, both at once usable. */
static void indexes_may_come_before_and_after_the_objects(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    lw_object_list *list = NULL;
    house_open(&h);
    assert_int_equal(lw_informer_add_index_path(h.pods, "node", "/spec/nodeName", &err), LW_OK);
    (void)fake_provider_put(h.fake, "pods", "a/x", "web", "\"spec\":{\"nodeName\":\"n1\"}");
    (void)fake_provider_put(h.fake, "pods", "a/y", "db", "\"spec\":{\"nodeName\":\"n\\u0031\"}");
    (void)fake_provider_put(h.fake, "pods", "a/z", "db", "\"spec\":{\"nodeName\":7}");
    house_run_until_idle(&h);
    const lw_lister *lister = lw_informer_lister(h.pods);
    assert_int_equal(lw_informer_add_index_path(h.pods, "app", "/metadata/labels/app", &err),
                     LW_OK);
    assert_int_equal(lw_lister_by_index(lister, "node", "n1", &list, &err), LW_OK);
    assert_int_equal(lw_object_list_count(list), 2);
    lw_object_list_free(list);
    assert_int_equal(lw_lister_by_index(lister, "app", "web", &list, &err), LW_OK);
    assert_int_equal(lw_object_list_count(list), 1);
    lw_object_list_free(list);
    assert_int_equal(lw_informer_add_index_path(h.pods, "app", "/kind", &err), LW_ERR_EXISTS);
    assert_int_equal(lw_informer_add_index_path(h.pods, "bad", "kind", &err), LW_ERR_INVALID);
    house_close(&h);
}

/* By key, all changes of an object that are queued become one. */
static void by_key_a_handler_is_shown_the_latest(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    lw_factory_options options = house_options();
    options.is_by_key = true;
    house_open_with(&h, &options);
    house_put(&h, "a/x");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_put(&h, "a/x");
    house_put(&h, "a/z");
    uint64_t newest = house_put(&h, "a/y");
    house_delete(&h, "a/z");
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i ~a/x.w +a/y.w");
    lw_informer_statistics stats;
    lw_informer_stats(h.pods, &stats);
    assert_int_equal(stats.revision, newest + 1);
    house_close(&h);
}

static void statistics_tell_what_was_done(void **state)
{
    (void)state;
    house h;
    lw_informer_statistics stats;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    lw_informer_stats(h.pods, &stats);
    assert_false(stats.is_synced);
    assert_int_equal(stats.last_byte_age_ns, -1);
    assert_int_equal(stats.sync_ns, -1);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_run_until_idle(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    lw_manual_clock_advance(h.clock, 3 * LW_NS_PER_S);
    lw_informer_stats(h.pods, &stats);
    assert_true(stats.is_synced);
    assert_int_equal(stats.objects, 2);
    assert_true(stats.bytes > 0);
    assert_int_equal(stats.lists, 1);
    assert_int_equal(stats.watches, 1);
    assert_int_equal(stats.updates, 1);
    assert_int_equal(stats.revision, 3);
    assert_int_equal(stats.last_byte_age_ns, 3 * LW_NS_PER_S);
    assert_int_equal(lw_informer_last_error(h.pods, &err), LW_OK);
    house_close(&h);
}

static void what_is_wrong_can_be_asked_while_it_is(void **state)
{
    (void)state;
    house h;
    lw_error err = LW_ERROR_INIT;
    house_open(&h);
    lw_error no = fake_error(LW_ERR_FORBIDDEN, 403, "pods is forbidden");
    fake_provider_fail_lists(h.fake, 1, &no);
    house_run_until_idle(&h);
    assert_int_equal(lw_informer_last_error(h.pods, &err), LW_ERR_FORBIDDEN);
    assert_int_equal(err.http_status, 403);
    assert_false(lw_informer_is_synced(h.pods));
    house_advance(&h, 10 * LW_NS_PER_S);
    assert_true(lw_informer_is_synced(h.pods));
    assert_int_equal(lw_informer_last_error(h.pods, &err), LW_OK);
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_handler_is_told_what_is_there_then_what_happens),
        TEST(the_cache_shows_a_change_before_handlers_are_told),
        TEST(events_carry_the_old_state_and_their_revision),
        TEST(who_joins_late_is_told_of_the_cache_first),
        TEST(a_handler_of_an_empty_cache_is_synced_at_once),
        TEST(the_same_handler_twice_is_two_registrations),
        TEST(nothing_is_told_after_removal),
        TEST(a_handler_may_remove_itself),
        TEST(a_handler_may_remove_another_that_is_about_to_be_told),
        TEST(a_handler_may_add_a_handler),
        TEST(a_stopped_informer_takes_no_handler),
        TEST(a_handler_must_be_callable),
        TEST(a_relist_tells_of_what_differs_and_only_that),
        TEST(a_recreation_seen_by_the_watch_is_a_delete_and_an_add),
        TEST(objects_are_transformed_once_before_they_are_kept),
        TEST(indexes_may_come_before_and_after_the_objects),
        TEST(by_key_a_handler_is_shown_the_latest),
        TEST(statistics_tell_what_was_done),
        TEST(what_is_wrong_can_be_asked_while_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
