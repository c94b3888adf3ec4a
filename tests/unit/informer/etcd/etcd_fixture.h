/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_fixture.h -- a source on an etcd in memory, with its own clock, and a sink that records one
 * word per event: "open ADDED:ns/name@7 closed". */
#ifndef LW_TESTS_UNIT_INFORMER_ETCD_FIXTURE_H
#define LW_TESTS_UNIT_INFORMER_ETCD_FIXTURE_H

#include <stdio.h>

#include "informer/etcd/listwatch_etcd_internal.h"
#include "support/fake_etcd.h"
#include "unit/test.h"

enum {
    SAID_SIZE = 4096,
    TURNS_MAX = 1000,
};

typedef struct fixture {
    lw_manual_clock *clock;
    lw_provider *provider;
    lw_source *source;
    lw_source_call *call; /* NULL: none in progress */
    char said[SAID_SIZE];
    char list_rv[32], token[256];
    int64_t remaining;
    size_t objects;
    lw_error error;
    bool cancels_at_once;
} fixture;

static inline void say(fixture *t, const char *word, const lw_object *obj)
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

static inline void on_object(const lw_object *obj, void *arg)
{
    fixture *t = arg;
    t->objects++;
    if (strlen(t->said) < SAID_SIZE - 256)
        say(t, "item", obj);
}

static inline void on_list_end(const lw_list_metadata *list, void *arg)
{
    fixture *t = arg;
    t->call = NULL;
    snprintf(t->list_rv, sizeof(t->list_rv), "%s", list->resource_version);
    snprintf(t->token, sizeof(t->token), "%s", list->continue_token);
    t->remaining = list->remaining_item_count;
    say(t, list->continue_token[0] ? "more" : "end", NULL);
}

static inline void on_open(void *arg)
{
    say(arg, "open", NULL);
}

static inline void on_event(const lw_watch_event *event, void *arg)
{
    say(arg, event->is_initial_events_end ? "SYNCED" : lw_watch_event_type_name(event->type),
        event->object);
}

static inline void on_fail(const lw_error *err, void *arg)
{
    fixture *t = arg;
    t->call = NULL;
    t->error = err ? *err : (lw_error)LW_ERROR_INIT;
    say(t, err ? lw_status_name(err->code) : "closed", NULL);
}

static inline const lw_source_sink *sink_of(fixture *t)
{
    static lw_source_sink sink;
    sink = (lw_source_sink){ on_object, on_list_end, on_open, on_event, on_fail, t };
    return &sink;
}

static inline void fixture_open(fixture *t, const lw_source_spec *spec)
{
    const lw_etcd_provider_options options = { .endpoints = "http://fake" };
    lw_error err = LW_ERROR_INIT;
    *t = (fixture){ .call = NULL };
    assert_int_equal(lw_manual_clock_new(&t->clock, 0), LW_OK);
    assert_int_equal(lw_etcd_source__provider_new(&t->provider, &options,
                                                  lw_manual_clock_as_clock(t->clock), &err),
                     LW_OK);
    assert_int_equal(t->provider->ops->open(t->provider, spec, &t->source, &err), LW_OK);
}

static inline void fixture_open_on(fixture *t, const char *prefix)
{
    fixture_open(t, &(lw_source_spec){ .resource = prefix });
}

static inline void fixture_close(fixture *t)
{
    if (t->call)
        t->source->ops->cancel(t->source, t->call);
    t->source->ops->free(t->source);
    assert_int_equal(fake_etcd_open_count(), 0);
    t->provider->ops->free(t->provider);
    lw_manual_clock_free(t->clock);
    fake_etcd_reset();
}

static inline void turn(fixture *t)
{
    for (int i = 0; i < TURNS_MAX && t->provider->ops->timeout_ms(t->provider) == 0; i++)
        assert_int_equal(t->provider->ops->dispatch(t->provider, NULL), LW_OK);
}

static inline void pass(fixture *t, int seconds)
{
    lw_manual_clock_advance(t->clock, (int64_t)seconds * LW_NS_PER_S);
    turn(t);
}

static inline void list(fixture *t, const lw_source_request *request)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(t->source->ops->list(t->source, request, sink_of(t), &t->call, &err), LW_OK);
    turn(t);
}

static inline void watch(fixture *t, const lw_source_request *request)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(t->source->ops->watch(t->source, request, sink_of(t), &t->call, &err), LW_OK);
    turn(t);
}

static inline void watch_from(fixture *t, const char *rv)
{
    watch(t, &(lw_source_request){
                 .resource_version = rv, .timeout_s = 300, .allows_bookmarks = true });
}

/* What was said since the last time is |text|. */
static inline void assert_said_at(fixture *t, const char *text, const char *file, int line)
{
    if (strcmp(t->said, text) != 0) {
        print_error("said \"%s\", not \"%s\"\n", t->said, text);
        _fail(file, line);
    }
    t->said[0] = '\0';
}
#define assert_said(t, text) assert_said_at((t), (text), __FILE__, __LINE__)

#endif
