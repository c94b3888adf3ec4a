/* SPDX-License-Identifier: Apache-2.0 */
/* source_union_test.c -- one informer of several namespaces. */
#include "informer/source_union.h"

#include "base/str.h"
#include "unit/informer/house.h"

static lw_informer *informer_of(house *h, const char *resource, const char *ns)
{
    lw_informer *informer = NULL;
    lw_informer_options options = LW_INFORMER_OPTIONS_INIT;
    options.ns = ns;
    assert_int_equal(lw_factory_informer_with(h->factory, resource, &options, &informer, NULL),
                     LW_OK);
    return informer;
}

/* A house with the informer of a and b, and what its handler was told. */
static void open_with(house *h, notebook *book, const lw_factory_options *options)
{
    house_open_with(h, options);
    lw_factory_drop(h->factory, h->pods);
    h->pods = informer_of(h, "pods", "a,b");
    house_put(h, "a/1");
    house_put(h, "b/2");
    house_put(h, "c/3");
    const lw_handler handler = notebook_handler(book);
    (void)house_add(h, &handler);
    house_run_until_idle(h);
}

static void only_these_namespaces_are_listed_and_watched(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    const lw_factory_options options = house_options();
    open_with(&h, &book, &options);
    assert_told(&book, "+a/1.i +b/2.i");
    assert_true(lw_informer_is_synced(h.pods));
    house_put(&h, "b/4");
    house_put(&h, "c/5");
    house_put(&h, "a/1");
    house_delete(&h, "b/2");
    house_run_until_idle(&h);
    /* The order of events is that of each namespace. */
    assert_int_equal(atomic_load(&book.count), 5);
    assert_non_null(strstr(book.text, "~a/1.w"));
    assert_non_null(strstr(book.text, "+b/4.w -b/2.w"));
    assert_int_equal(lw_lister_count(lw_informer_lister(h.pods)), 2);
    house_close(&h);
}

static void pages_of_all_namespaces_are_one_list(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    lw_factory_options options = house_options();
    options.page_size = 2;
    house_open_with(&h, &options);
    lw_factory_drop(h.factory, h.pods);
    h.pods = informer_of(&h, "pods", "a,b,c");
    static const char *const keys[] = { "a/1", "a/2", "a/3", "c/1", "c/2", "c/3", "c/4", "c/5" };
    for (size_t i = 0; i < 8; i++)
        house_put(&h, keys[i]);
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(h.pods)), 8);
    assert_int_equal(atomic_load(&book.count), 8);
    house_close(&h);
}

static void a_watch_that_ends_is_resumed_without_gaps_or_repetitions(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    const lw_factory_options options = house_options();
    open_with(&h, &book, &options);
    book.len = 0;
    for (int i = 0; i < 5; i++) {
        house_put(&h, i % 2 ? "a/new" : "b/new");
        house_run_until_idle(&h);
        fake_provider_end_watches(h.fake, NULL);
        house_put(&h, "a/meanwhile");
        house_run_until_idle(&h);
        house_advance(&h, 60 * LW_NS_PER_S);
    }
    assert_told(&book, "+b/new.w +a/meanwhile.w +a/new.w ~a/meanwhile.w ~b/new.w ~a/meanwhile.w "
                       "~a/new.w ~a/meanwhile.w ~b/new.w ~a/meanwhile.w");
    lw_informer_statistics stats;
    lw_informer_stats(h.pods, &stats);
    assert_int_equal(stats.relists, 0);
    house_close(&h);
}

/* A source that the test plays: one request at a time. */
typedef struct played_source {
    lw_source base;
    char rv[16]; /* of the last watch */
    lw_source_sink sink;
    bool is_open;
} played_source;

static played_source played[2];
static char taken_rv[16]; /* what the reflector would have taken */

static lw_status play(lw_source *source, const lw_source_request *request,
                      const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    played_source *p = (played_source *)(void *)source;
    (void)err;
    (void)snprintf(p->rv, sizeof(p->rv), "%s", request->resource_version);
    p->sink = *sink;
    p->is_open = true;
    *out = (lw_source_call *)(void *)p;
    return LW_OK;
}

static void play_cancel(lw_source *source, lw_source_call *call)
{
    (void)source;
    ((played_source *)(void *)call)->is_open = false;
}

static void play_free(lw_source *source)
{
    assert_false(((played_source *)(void *)source)->is_open);
}

static lw_status play_open(lw_provider *provider, const lw_source_spec *spec, lw_source **out,
                           lw_error *err)
{
    static const lw_source_ops ops = { play, play, play_cancel, play_free };
    played_source *p = &played[spec->ns[0] - 'a'];
    (void)provider;
    (void)err;
    *p = (played_source){ .base = { &ops } };
    *out = &p->base;
    return LW_OK;
}

static const char *taken(const void *arg)
{
    return arg;
}

static void ignore_end(const lw_list_metadata *list, void *arg)
{
    (void)list;
    (void)arg;
}

static void ignore_event(const lw_watch_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

static void ignore_fail(const lw_error *err, void *arg)
{
    (void)err;
    (void)arg;
}

static const lw_source_sink ignoring = { .on_list_end = ignore_end,
                                         .on_event = ignore_event,
                                         .on_fail = ignore_fail };

static void send_event(played_source *p, const char *rv, bool is_taken)
{
    char json[64];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"%s\"}}", rv);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    const lw_watch_event event = { .type = LW_WATCH_ADDED, .object = obj };
    if (is_taken)
        (void)snprintf(taken_rv, sizeof(taken_rv), "%s", rv);
    p->sink.on_event(&event, p->sink.arg);
    lw_object_unref(obj);
}

static void end_list(played_source *p, const char *rv)
{
    const lw_list_metadata page = { "v1", "PodList", rv, "", -1 };
    p->is_open = false;
    p->sink.on_list_end(&page, p->sink.arg);
}

static void each_namespace_is_watched_from_its_own_revision(void **state)
{
    (void)state;
    static const lw_provider_ops ops = { .open = play_open };
    lw_provider provider = { &ops };
    const lw_source_spec spec = { .resource = "pods", .ns = "a,b" };
    lw_source *source = NULL;
    lw_source_call *call = NULL;
    lw_source_request request = { "", "", "", 0, 60, true, false };
    assert_int_equal(lw_source_union_open(&provider, &spec, &source, NULL), LW_OK);
    lw_source_union_follow(source, taken, taken_rv);
    assert_int_equal(source->ops->list(source, &request, &ignoring, &call, NULL), LW_OK);
    end_list(&played[0], "5");
    request.continue_token = "1:";
    assert_int_equal(source->ops->list(source, &request, &ignoring, &call, NULL), LW_OK);
    end_list(&played[1], "7");
    request = (lw_source_request){ "5", "", "", 0, 60, true, false };
    assert_int_equal(source->ops->watch(source, &request, &ignoring, &call, NULL), LW_OK);
    assert_string_equal(played[0].rv, "5");
    assert_string_equal(played[1].rv, "7");
    send_event(&played[0], "9", true); /* b lags behind: it may still have an 8 */
    send_event(&played[0], "10", false);
    played[1].is_open = false;
    played[1].sink.on_fail(NULL, played[1].sink.arg);
    request.resource_version = "9";
    assert_int_equal(source->ops->watch(source, &request, &ignoring, &call, NULL), LW_OK);
    assert_string_equal(played[0].rv, "9"); /* 10 was not taken */
    assert_string_equal(played[1].rv, "7");
    source->ops->cancel(source, call);
    source->ops->free(source);
}

static void bookmarks_move_quiet_namespaces_past_a_compaction(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    const lw_factory_options options = house_options();
    open_with(&h, &book, &options);
    for (int i = 0; i < 5; i++)
        house_put(&h, "a/busy");
    house_run_until_idle(&h);
    fake_provider_bookmark(h.fake);
    house_run_until_idle(&h);
    fake_provider_compact(h.fake);
    fake_provider_end_watches(h.fake, NULL);
    house_run_until_idle(&h);
    house_advance(&h, 60 * LW_NS_PER_S);
    house_put(&h, "b/late");
    house_run_until_idle(&h);
    assert_non_null(strstr(book.text, "+b/late.w"));
    lw_informer_statistics stats;
    lw_informer_stats(h.pods, &stats);
    assert_int_equal(stats.relists, 0);
    house_close(&h);
}

static void write_in_both(house *h)
{
    house_delete(h, "a/1");
    house_put(h, "b/new");
}

static void a_relist_finds_what_was_missed_in_all_namespaces(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    const lw_factory_options options = house_options();
    open_with(&h, &book, &options);
    book.len = 0;
    house_miss(&h, write_in_both);
    assert_told(&book, "-a/1.r? +b/new.r");
    house_close(&h);
}

static void lists_that_fail_are_tried_again(void **state)
{
    (void)state;
    house h;
    lw_factory_options options = house_options();
    house_open_with(&h, &options);
    lw_factory_drop(h.factory, h.pods);
    h.pods = informer_of(&h, "pods", "a,b");
    lw_error busy = fake_error(LW_ERR_UNAVAILABLE, 503, "busy");
    fake_provider_fail_lists(h.fake, 1, &busy);
    fake_provider_fail_watches(h.fake, 3, &busy);
    house_put(&h, "b/2");
    house_run_until_idle(&h);
    for (int i = 0; i < 10; i++)
        house_advance(&h, 60 * LW_NS_PER_S);
    assert_int_equal(lw_lister_count(lw_informer_lister(h.pods)), 1);
    house_put(&h, "a/1");
    house_run_until_idle(&h);
    assert_int_equal(lw_lister_count(lw_informer_lister(h.pods)), 2);
    house_close(&h);
}

static void informers_of_the_same_namespaces_are_shared(void **state)
{
    (void)state;
    house h;
    house_open(&h);
    assert_ptr_equal(informer_of(&h, "pods", "a,b"), informer_of(&h, "pods", "a,b"));
    assert_ptr_not_equal(informer_of(&h, "pods", "a,b"), informer_of(&h, "pods", "a"));
    house_close(&h);
}

static void lists_of_namespaces_are_checked(void **state)
{
    (void)state;
    char many[4 * (LW_SOURCE_UNION_MAX + 1) + 1] = "";
    size_t len = 0;
    for (int i = 0; i <= LW_SOURCE_UNION_MAX; i++)
        len += (size_t)snprintf(many + len, sizeof(many) - len, "%s%d", i ? "," : "", i + 10);
    static const char *const wrong[] = { "a,", ",a", "a,,b", "a,b,a", "," };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(lw_source_union_check(wrong[i], NULL), LW_ERR_INVALID);
    assert_int_equal(lw_source_union_check(many, NULL), LW_ERR_INVALID);
    *strrchr(many, ',') = '\0';
    assert_int_equal(lw_source_union_check(many, NULL), LW_OK);
    house h;
    house_open(&h);
    lw_informer *informer = NULL;
    lw_informer_options options = LW_INFORMER_OPTIONS_INIT;
    options.ns = "a,a";
    assert_int_equal(lw_factory_informer_with(h.factory, "pods", &options, &informer, NULL),
                     LW_ERR_INVALID);
    house_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_these_namespaces_are_listed_and_watched),
        TEST(pages_of_all_namespaces_are_one_list),
        TEST(a_watch_that_ends_is_resumed_without_gaps_or_repetitions),
        TEST(each_namespace_is_watched_from_its_own_revision),
        TEST(bookmarks_move_quiet_namespaces_past_a_compaction),
        TEST(a_relist_finds_what_was_missed_in_all_namespaces),
        TEST(lists_that_fail_are_tried_again),
        TEST(informers_of_the_same_namespaces_are_shared),
        TEST(lists_of_namespaces_are_checked),
    };
    return cmocka_run_group_tests_name("source_union", tests, NULL, NULL);
}
