/* SPDX-License-Identifier: Apache-2.0 */
/* relist_test.c -- the effect of a new list after an interruption on the cache and the handlers,
 * for each way to get the state and to drain the queue. */
#include <listwatch/informer.h>

#include "house.h"

static void lose_x(house *h)
{
    house_delete(h, "a/x");
}

/* client-go: TestReflectorReplacesStoreOnUnsafeDelete.  An object that the server's store cannot
 * decode is deleted there without an event; the watch ends in an error. */
static void an_object_that_the_server_lost_goes_with_the_next_list(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/x.i +a/y.i");
    fake_provider_set_lossy(h.fake, true);
    lose_x(&h);
    fake_provider_set_lossy(h.fake, false);
    lw_error unreadable =
        fake_error(LW_ERR_INTERNAL, 500, "data from the storage is not decodable");
    (void)snprintf(unreadable.reason, sizeof(unreadable.reason), "StorageReadError");
    fake_provider_end_watches(h.fake, &unreadable);
    house_run_until_idle(&h);
    assert_told(&book, "");
    house_advance(&h, 60 * LW_NS_PER_S);
    assert_told(&book, "-a/x.r?");
    assert_null(lw_lister_get(lw_informer_lister(h.pods), "a", "x"));
    house_close(&h);
}

static void write_what_is_missed(house *h)
{
    house_put(h, "a/new");
    house_put(h, "a/changed");
    house_delete(h, "a/gone");
}

/* Returns the events that a handler with |resync_s| gets for an interruption, with |options| of the
 * factory. */
static void assert_told_of_interruption(const lw_factory_options *options, int resync_s)
{
    house h;
    notebook book = { .len = 0 };
    house_open_with(&h, options);
    house_put(&h, "a/changed");
    house_put(&h, "a/gone");
    house_put(&h, "a/same");
    lw_handler handler = notebook_handler(&book);
    handler.resync_s = resync_s;
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_told(&book, "+a/changed.i +a/gone.i +a/same.i");
    house_miss(&h, write_what_is_missed);
    assert_told(&book, "-a/gone.r? ~a/changed.r +a/new.r");
    house_close(&h);
}

/* client-go: TestSharedInformerWatchDisruption, where handlers that resync receive every object.
 * Better: a relist delivers the changes to all handlers, and a resync delivers everything when it
 * is due. */
static void a_relist_tells_who_resyncs_no_more_than_others(void **state)
{
    (void)state;
    const lw_factory_options options = house_options();
    assert_told_of_interruption(&options, 0);
    assert_told_of_interruption(&options, 3600);
}

/* client-go: TestDeltaFIFO_ReplaceMakesDeletions, where the older queue delivers deletions last.
 * Better: the order is the same in both modes of the queue. */
static void by_key_a_relist_tells_deletions_first_too(void **state)
{
    (void)state;
    lw_factory_options options = house_options();
    options.is_by_key = true;
    assert_told_of_interruption(&options, 0);
}

static lw_object *without_spec(const lw_object *obj, void *arg)
{
    char json[200];
    lw_object *kept = NULL;
    (void)arg;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\","
                       "\"resourceVersion\":\"%s\",\"uid\":\"%s\"}}",
                       lw_object_namespace(obj), lw_object_name(obj),
                       lw_object_resource_version(obj), lw_object_uid(obj));
    (void)lw_object_from_json(&kept, json, (size_t)len, NULL);
    return kept;
}

/* The cache as text, sorted by key. */
static void write_cache(const lw_informer *informer, char *text, size_t size)
{
    lw_object_list *list = lw_lister_list(lw_informer_lister(informer), NULL, NULL);
    size_t len = 0;
    assert_non_null(list);
    lw_object_list_sort(list);
    text[0] = '\0';
    for (size_t i = 0; i < lw_object_list_count(list); i++) {
        lw_str json = lw_object_json(lw_object_list_at(list, i));
        assert_true(len + json.len + 2 < size);
        len += (size_t)snprintf(text + len, size - len, "%.*s\n", (int)json.len, json.ptr);
    }
    lw_object_list_free(list);
}

/* client-go: TestReflectorDataConsistencyDetector, an option that lists again and panics if the
 * streamed state differs. Here the test compares both, also after an interruption. */
static void a_stream_and_a_list_leave_the_same_cache(void **state)
{
    (void)state;
    static char caches[2][8192];
    for (int is_small = 0; is_small < 2; is_small++) {
        for (int by_list = 0; by_list < 2; by_list++) {
            house h;
            lw_informer *informer = NULL;
            const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                                 .lists_only = by_list };
            const lw_informer_options small = { .size = sizeof(lw_informer_options),
                                                .transform = without_spec };
            house_open_with(&h, &options);
            for (const char *key = "a/gone\0a/changed\0b/same\0"; *key; key += strlen(key) + 1)
                (void)fake_provider_put(h.fake, "pods", key, "web", "\"spec\":{\"a\":1}");
            assert_int_equal(lw_factory_informer_with(h.factory, "pods", is_small ? &small : NULL,
                                                      &informer, NULL),
                             LW_OK);
            house_run_until_idle(&h);
            house_miss(&h, write_what_is_missed);
            assert_int_equal(fake_provider_look(h.fake).streams > 0, !by_list);
            write_cache(informer, caches[by_list], sizeof(caches[0]));
            assert_int_equal(strstr(caches[by_list], "spec") != NULL, !is_small);
            assert_non_null(strstr(caches[by_list], "\"new\""));
            house_close(&h);
        }
        assert_string_equal(caches[0], caches[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_object_that_the_server_lost_goes_with_the_next_list),
        TEST(a_relist_tells_who_resyncs_no_more_than_others),
        TEST(by_key_a_relist_tells_deletions_first_too),
        TEST(a_stream_and_a_list_leave_the_same_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
