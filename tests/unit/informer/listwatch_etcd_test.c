/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_test.c -- lists and watches on etcd, as the reflector asks for them; the etcd is
 * in memory.  What a source says is written down, a word an event. */
#include <stdio.h>
#include <stdlib.h>

#include "informer/listwatch_etcd_core.h"
#include "support/fake_etcd.h"
#include "unit/test.h"

enum {
    SAID_SIZE = 4096,
    TURNS_MAX = 1000,
};

typedef struct town {
    lw_manual_clock *clock;
    lw_provider *provider;
    lw_source *source;
    lw_source_call *call; /* NULL: none under way */
    char said[SAID_SIZE];
    char list_rv[32], token[256];
    int64_t remaining;
    size_t objects;
    lw_error error;
    bool cancels_at_once;
} town;

static void say(town *t, const char *word, const lw_object *obj)
{
    char key[128] = "";
    size_t len = strlen(t->said);
    if (obj)
        (void)lw_key_print(lw_object_key(obj), key, sizeof(key));
    snprintf(t->said + len, sizeof(t->said) - len, "%s%s%s%s%s%s", len ? " " : "", word,
             obj ? ":" : "", key, obj ? "@" : "", obj ? lw_object_resource_version(obj) : "");
    if (t->cancels_at_once && t->call)
        t->source->ops->cancel(t->source, t->call);
    if (t->cancels_at_once)
        t->call = NULL;
}

static void on_object(const lw_object *obj, void *arg)
{
    town *t = arg;
    t->objects++;
    if (strlen(t->said) < SAID_SIZE - 256)
        say(t, "item", obj);
}

static void on_list_end(const lw_list_metadata *list, void *arg)
{
    town *t = arg;
    t->call = NULL;
    snprintf(t->list_rv, sizeof(t->list_rv), "%s", list->resource_version);
    snprintf(t->token, sizeof(t->token), "%s", list->continue_token);
    t->remaining = list->remaining_item_count;
    say(t, list->continue_token[0] ? "more" : "end", NULL);
}

static void on_open(void *arg)
{
    say(arg, "open", NULL);
}

static void on_event(const lw_watch_event *event, void *arg)
{
    say(arg, event->is_initial_events_end ? "SYNCED" : lw_watch_event_type_name(event->type),
        event->object);
}

static void on_fail(const lw_error *err, void *arg)
{
    town *t = arg;
    t->call = NULL;
    t->error = err ? *err : (lw_error)LW_ERROR_INIT;
    say(t, err ? lw_status_name(err->code) : "closed", NULL);
}

static const lw_source_sink *sink_of(town *t)
{
    static lw_source_sink sink;
    sink = (lw_source_sink){ on_object, on_list_end, on_open, on_event, on_fail, t };
    return &sink;
}

static void town_open(town *t, const lw_source_spec *spec)
{
    const lw_etcd_provider_options options = { .endpoints = "http://fake" };
    lw_error err = LW_ERROR_INIT;
    *t = (town){ .call = NULL };
    assert_int_equal(lw_manual_clock_new(&t->clock, 0), LW_OK);
    assert_int_equal(lw_etcd_source__provider_new(&t->provider, &options,
                                                  lw_manual_clock_as_clock(t->clock), &err),
                     LW_OK);
    assert_int_equal(t->provider->ops->open(t->provider, spec, &t->source, &err), LW_OK);
}

static void town_open_on(town *t, const char *prefix)
{
    town_open(t, &(lw_source_spec){ .resource = prefix });
}

static void town_close(town *t)
{
    if (t->call)
        t->source->ops->cancel(t->source, t->call);
    t->source->ops->free(t->source);
    assert_int_equal(fake_etcd_open_count(), 0);
    t->provider->ops->free(t->provider);
    lw_manual_clock_free(t->clock);
    fake_etcd_reset();
}

static void turn(town *t)
{
    for (int i = 0; i < TURNS_MAX && t->provider->ops->timeout_ms(t->provider) == 0; i++)
        assert_int_equal(t->provider->ops->dispatch(t->provider, NULL), LW_OK);
}

static void pass(town *t, int seconds)
{
    lw_manual_clock_advance(t->clock, (int64_t)seconds * LW_NS_PER_S);
    turn(t);
}

static void list(town *t, const lw_source_request *request)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(t->source->ops->list(t->source, request, sink_of(t), &t->call, &err), LW_OK);
    turn(t);
}

static void watch(town *t, const lw_source_request *request)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(t->source->ops->watch(t->source, request, sink_of(t), &t->call, &err), LW_OK);
    turn(t);
}

static void watch_from(town *t, const char *rv)
{
    watch(t, &(lw_source_request){
                 .resource_version = rv, .timeout_s = 300, .allows_bookmarks = true });
}

/* What was said since the last time is |text|. */
static void assert_said_at(town *t, const char *text, const char *file, int line)
{
    if (strcmp(t->said, text) != 0) {
        print_error("said \"%s\", not \"%s\"\n", t->said, text);
        _fail(file, line);
    }
    t->said[0] = '\0';
}
#define assert_said(t, text) assert_said_at((t), (text), __FILE__, __LINE__)

/* Lists. */

static void list_shows_what_is_below_the_prefix(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/app", "0");
    fake_etcd_put_text("/app/b", "1");
    fake_etcd_put_text("/app/ns/a", "2");
    fake_etcd_put_text("/app0", "3");
    fake_etcd_put_text("/app/gone", "4");
    fake_etcd_delete("/app/gone");
    town_open_on(&t, "/app/");
    list(&t, &(lw_source_request){ .resource_version = "0" });
    assert_said(&t, "item:b@3 item:ns/a@4 end");
    assert_string_equal(t.list_rv, "7");
    town_close(&t);
}

static void pages_are_of_one_revision(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fake_etcd_put_text("/a/3", "x");
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "0", .limit = 2 });
    assert_said(&t, "item:1@2 item:2@3 more");
    assert_int_equal(t.remaining, 1);
    fake_etcd_put_text("/a/3", "later");
    fake_etcd_put_text("/a/4", "later");
    list(&t, &(lw_source_request){ .continue_token = t.token, .limit = 2 });
    assert_said(&t, "item:3@4 end");
    assert_string_equal(t.list_rv, "4");
    town_close(&t);
}

static void page_that_was_compacted_is_expired(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "", .limit = 1 });
    fake_etcd_compact(fake_etcd_put_text("/a/3", "x"));
    list(&t, &(lw_source_request){ .continue_token = t.token, .limit = 1 });
    assert_said(&t, "item:1@2 more expired");
    town_close(&t);
}

static void token_of_another_list_is_refused(void **state)
{
    static const char *const tokens[] = { "x", "7", "7.!", "0.L2EvMQ", ".L2EvMQ", "7.L2IvMQ" };
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        const lw_source_request request = { .continue_token = tokens[i] };
        assert_int_equal(t.source->ops->list(t.source, &request, sink_of(&t), &t.call, &err),
                         LW_ERR_INVALID);
    }
    town_close(&t);
}

static void long_lists_are_read_in_pages(void **state)
{
    town t;
    char key[32];
    (void)state;
    for (int i = 0; i < 2345; i++) {
        snprintf(key, sizeof(key), "/a/%05d", i);
        fake_etcd_put_text(key, "x");
    }
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "5" });
    assert_int_equal(t.objects, 2345);
    assert_string_equal(t.list_rv, "2346");
    assert_true(fake_etcd_range_count() > 1);
    town_close(&t);
}

static void replies_that_are_too_large_are_asked_for_in_parts(void **state)
{
    town t;
    char key[32];
    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "/a/%05d", i);
        fake_etcd_put_text(key, "0123456789");
    }
    fake_etcd_set_reply_max(100);
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "", .limit = 90 });
    assert_int_equal(t.objects, 90);
    assert_true(t.token[0] != '\0');
    town_close(&t);
}

static void one_value_that_is_too_large_is_an_error(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "0123456789");
    fake_etcd_set_reply_max(5);
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.error.code, LW_ERR_LIMIT);
    town_close(&t);
}

static void revision_to_come_is_too_large(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "50" });
    assert_int_equal(t.error.code, LW_ERR_TOO_LARGE_RV);
    town_close(&t);
}

static void exact_revision_is_shown(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "2", .resource_version_match = "Exact" });
    assert_said(&t, "item:1@2 end");
    assert_string_equal(t.list_rv, "2");
    town_close(&t);
}

static void failure_of_a_list_is_told(void **state)
{
    town t;
    (void)state;
    fake_etcd_fail_ranges(LW_ERR_UNAVAILABLE);
    town_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.error.code, LW_ERR_UNAVAILABLE);
    town_close(&t);
}

static void revision_that_is_no_number_is_refused(void **state)
{
    town t;
    lw_error err = LW_ERROR_INIT;
    const lw_source_request request = { .resource_version = "x" };
    (void)state;
    town_open_on(&t, "/a/");
    assert_int_equal(t.source->ops->list(t.source, &request, sink_of(&t), &t.call, &err),
                     LW_ERR_INVALID);
    assert_int_equal(t.source->ops->watch(t.source, &request, sink_of(&t), &t.call, &err),
                     LW_ERR_INVALID);
    town_close(&t);
}

/* Watches. */

static void watch_tells_what_happens_after_its_revision(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    watch_from(&t, "2");
    assert_said(&t, "open ADDED:2@3");
    fake_etcd_put_text("/a/2", "y");
    fake_etcd_put_text("/b/2", "y");
    fake_etcd_delete("/a/1");
    turn(&t);
    assert_said(&t, "MODIFIED:2@4 DELETED:1@6");
    town_close(&t);
}

static char *last_data;

static void remember_data(const lw_watch_event *event, void *arg)
{
    (void)arg;
    free(last_data);
    last_data = strdup(lw_object_string(event->object, "/data", "none"));
}

static void deleted_carries_the_last_state(void **state)
{
    town t;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    fake_etcd_put_text("/a/1", "last");
    town_open_on(&t, "/a/");
    lw_source_sink sink = *sink_of(&t);
    sink.on_event = remember_data;
    const lw_source_request request = { .resource_version = "2" };
    assert_int_equal(t.source->ops->watch(t.source, &request, &sink, &t.call, &err), LW_OK);
    fake_etcd_delete("/a/1");
    turn(&t);
    assert_string_equal(last_data, "last");
    fake_etcd_put_text("/a/1", "again");
    fake_etcd_delete("/a/1");
    fake_etcd_compact(fake_etcd_revision()); /* ... unless nobody knows it any more */
    turn(&t);
    assert_string_equal(last_data, "none");
    free(last_data);
    last_data = NULL;
    town_close(&t);
}

static void initial_events_come_before_a_bookmark(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    watch(&t, &(lw_source_request){ .resource_version = "",
                                    .resource_version_match = "NotOlderThan",
                                    .allows_bookmarks = true,
                                    .sends_initial_events = true });
    assert_said(&t, "open ADDED:1@2 ADDED:2@3 SYNCED:@3");
    fake_etcd_put_text("/a/1", "y");
    turn(&t);
    assert_said(&t, "MODIFIED:1@4");
    town_close(&t);
}

static void watch_from_nowhere_begins_with_what_there_is(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    town_open_on(&t, "/a/");
    watch_from(&t, "0");
    fake_etcd_put_text("/a/2", "x");
    turn(&t);
    assert_said(&t, "open ADDED:1@2 ADDED:2@3");
    town_close(&t);
}

static void compacted_watch_is_expired(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_compact(fake_etcd_put_text("/a/1", "y"));
    fake_etcd_compact(fake_etcd_put_text("/a/1", "z"));
    town_open_on(&t, "/a/");
    watch_from(&t, "2");
    assert_said(&t, "expired");
    assert_non_null(strstr(t.error.message, "revision 2 was compacted"));
    town_close(&t);
}

static void progress_is_a_bookmark(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/b/1", "x");
    turn(&t);
    fake_etcd_progress();
    turn(&t);
    fake_etcd_progress(); /* nothing new in it */
    turn(&t);
    assert_said(&t, "open BOOKMARK:@2");
    town_close(&t);
}

static void watch_ends_when_its_time_is_over_and_goes_on(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    pass(&t, 299);
    assert_said(&t, "open ADDED:1@2");
    pass(&t, 1);
    assert_said(&t, "closed");
    fake_etcd_put_text("/a/2", "x"); /* before anybody watches again */
    pass(&t, 1);
    watch_from(&t, "2");
    assert_said(&t, "open ADDED:2@3");
    fake_etcd_put_text("/a/3", "x");
    turn(&t);
    assert_said(&t, "ADDED:3@4");
    assert_int_equal(fake_etcd_watch_count(), 1); /* it was the same all the time */
    pass(&t, 300);
    assert_said(&t, "closed");
    town_close(&t);
}

/* Its history is gone, but the watch was there. */
static void quiet_watch_outlives_a_compaction(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/b/1", "x");
    turn(&t);
    pass(&t, 300);
    fake_etcd_compact(fake_etcd_put_text("/b/1", "y"));
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    assert_said(&t, "open closed open ADDED:1@4");
    town_close(&t);
}

static void held_watch_is_of_no_use_to_another_revision(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_put_text("/a/1", "x");
    turn(&t);
    pass(&t, 300);
    watch_from(&t, "1");
    assert_said(&t, "open ADDED:1@2 closed open ADDED:1@2");
    assert_int_equal(fake_etcd_watch_count(), 2);
    town_close(&t);
}

static void held_watch_that_nobody_wants_ends(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    pass(&t, 300);
    assert_int_equal(fake_etcd_open_count(), 1);
    pass(&t, LW_ETCD_SOURCE_HOLD_S);
    assert_int_equal(fake_etcd_open_count(), 0);
    watch_from(&t, "1");
    assert_said(&t, "open closed open");
    town_close(&t);
}

static void watch_that_is_cut_for_a_moment_goes_on(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S - 1);
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_set_cut(false);
    turn(&t);
    pass(&t, 2 * LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "open ADDED:1@2");
    town_close(&t);
}

static void watch_that_is_cut_for_long_is_told(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "open unavailable");
    assert_non_null(strstr(t.error.message, "cut off"));
    watch_from(&t, "1");
    pass(&t, LW_ETCD_SOURCE_OUTAGE_S);
    assert_said(&t, "unavailable");
    town_close(&t);
}

static void compaction_while_it_is_cut_is_expired(void **state)
{
    town t;
    (void)state;
    town_open_on(&t, "/a/");
    watch_from(&t, "1");
    fake_etcd_set_cut(true);
    turn(&t);
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/1", "y");
    fake_etcd_compact(fake_etcd_put_text("/a/1", "y"));
    fake_etcd_set_cut(false);
    /* The fake resumes where it was: at revision 2, which is gone. */
    turn(&t);
    assert_said(&t, "open expired");
    town_close(&t);
}

static void store_that_went_back_is_told(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    watch_from(&t, "3");
    assert_said(&t, "open");
    fake_etcd_set_cut(true);
    turn(&t);
    fake_etcd_restore();
    fake_etcd_set_cut(false);
    turn(&t);
    assert_int_equal(t.error.code, LW_ERR_TOO_LARGE_RV);
    town_close(&t);
}

static void call_may_be_cancelled_from_within(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    town_open_on(&t, "/a/");
    t.cancels_at_once = true;
    watch_from(&t, "1");
    assert_said(&t, "open");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2");
    t.cancels_at_once = false;
    watch_from(&t, "3");
    fake_etcd_put_two("/a/3", "/a/4", "x");
    t.cancels_at_once = true;
    t.said[0] = '\0';
    turn(&t);
    assert_said(&t, "ADDED:3@4");
    town_close(&t);
}

/* Which keys. */

static void labels_are_selected_by_with_their_transitions(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}");
    fake_etcd_put_text("/a/3", "no labels");
    town_open(&t, &(lw_source_spec){ .resource = "/a/", .label_selector = "app=web" });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2 end");
    watch_from(&t, "4");
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}"); /* comes in */
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"web\"}},\"x\":1}");
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}"); /* leaves */
    fake_etcd_put_text("/a/3", "still none");
    fake_etcd_delete("/a/1"); /* was not there for us */
    fake_etcd_delete("/a/2");
    fake_etcd_put_text("/a/2", "new, and none of ours");
    turn(&t);
    assert_said(&t, "open ADDED:2@5 MODIFIED:2@6 DELETED:1@7 DELETED:2@10");
    pass(&t, 300); /* how far it got is told at the end */
    assert_said(&t, "BOOKMARK:@11 closed");
    town_close(&t);
}

static void fields_are_selected_by_though_they_are_dropped(void **state)
{
    static const char *const drop[] = { "/value", NULL };
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "{\"on\":true}");
    fake_etcd_put_text("/a/2", "{\"on\":false}");
    town_open(&t, &(lw_source_spec){ .resource = "/a/",
                                     .field_selector = "value.on=true",
                                     .read = { .drop = drop } });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2 end");
    town_close(&t);
}

static void namespace_is_a_directory(void **state)
{
    town t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/ns/1", "x");
    fake_etcd_put_text("/a/ns/deeper/1", "x");
    fake_etcd_put_text("/a/ns2/1", "x");
    town_open(&t, &(lw_source_spec){ .resource = "/a/", .ns = "ns" });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:ns/1@3 end");
    watch_from(&t, "5");
    fake_etcd_put_text("/a/ns/deeper/1", "y");
    fake_etcd_put_text("/a/ns/2", "x");
    fake_etcd_delete("/a/ns/deeper/1");
    turn(&t);
    assert_said(&t, "open ADDED:ns/2@7");
    town_close(&t);
}

static void prefix_of_the_highest_bytes_has_no_end(void **state)
{
    town t;
    (void)state;
    fake_etcd_put(lw_str_make("\xff\xff/1", 4), lw_str_of("x"));
    town_open_on(&t, "\xff\xff");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.objects, 1);
    town_close(&t);
}

static void provider_needs_endpoints_and_a_prefix(void **state)
{
    lw_provider *provider = NULL;
    lw_source *source = NULL;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_etcd_provider_new(&provider, &(lw_etcd_provider_options){ NULL }, &err),
                     LW_ERR_INVALID);
    const lw_etcd_provider_options options = { .endpoints = "http://fake" };
    assert_int_equal(lw_etcd_provider_new(&provider, &options, &err), LW_OK);
    assert_int_equal(provider->ops->open(provider, &(lw_source_spec){ .resource = "" }, &source,
                                         &err),
                     LW_ERR_INVALID);
    provider->ops->free(provider);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(list_shows_what_is_below_the_prefix),
        TEST(pages_are_of_one_revision),
        TEST(page_that_was_compacted_is_expired),
        TEST(token_of_another_list_is_refused),
        TEST(long_lists_are_read_in_pages),
        TEST(replies_that_are_too_large_are_asked_for_in_parts),
        TEST(one_value_that_is_too_large_is_an_error),
        TEST(revision_to_come_is_too_large),
        TEST(exact_revision_is_shown),
        TEST(failure_of_a_list_is_told),
        TEST(revision_that_is_no_number_is_refused),
        TEST(watch_tells_what_happens_after_its_revision),
        TEST(deleted_carries_the_last_state),
        TEST(initial_events_come_before_a_bookmark),
        TEST(watch_from_nowhere_begins_with_what_there_is),
        TEST(compacted_watch_is_expired),
        TEST(progress_is_a_bookmark),
        TEST(watch_ends_when_its_time_is_over_and_goes_on),
        TEST(quiet_watch_outlives_a_compaction),
        TEST(held_watch_is_of_no_use_to_another_revision),
        TEST(held_watch_that_nobody_wants_ends),
        TEST(watch_that_is_cut_for_a_moment_goes_on),
        TEST(watch_that_is_cut_for_long_is_told),
        TEST(compaction_while_it_is_cut_is_expired),
        TEST(store_that_went_back_is_told),
        TEST(call_may_be_cancelled_from_within),
        TEST(labels_are_selected_by_with_their_transitions),
        TEST(fields_are_selected_by_though_they_are_dropped),
        TEST(namespace_is_a_directory),
        TEST(prefix_of_the_highest_bytes_has_no_end),
        TEST(provider_needs_endpoints_and_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
