/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_source_scenarios.c -- a source on an in-memory etcd: paged lists, a stream and its watch,
 * with every allocation failing in turn. */
#include <string.h>

#include "base/error.h"
#include "informer/etcd/listwatch_etcd_internal.h"
#include "oom/oom.h"
#include "support/fake_etcd.h"

enum {
    TURNS = 100,
};

typedef struct scene {
    lw_manual_clock *clock;
    lw_provider *provider;
    lw_source *source;
    lw_source_call *call;
    size_t objects, changes, bookmarks;
    bool is_over;
    lw_error error; /* set if |is_over| and the call failed */
    char token[128];
} scene;

static void on_object(const lw_object *obj, void *arg)
{
    (void)obj;
    ((scene *)arg)->objects++;
}

static void on_list_end(const lw_list_metadata *list, void *arg)
{
    scene *s = arg;
    size_t len = strlen(list->continue_token);
    s->call = NULL;
    s->is_over = true;
    memcpy(s->token, list->continue_token, len < sizeof(s->token) ? len + 1 : 1);
}

static void on_open(void *arg)
{
    (void)arg;
}

static void on_event(const lw_watch_event *event, void *arg)
{
    scene *s = arg;
    s->changes += event->type != LW_WATCH_BOOKMARK;
    s->bookmarks += event->type == LW_WATCH_BOOKMARK;
}

static void on_fail(const lw_error *err, void *arg)
{
    scene *s = arg;
    s->call = NULL;
    s->is_over = true;
    if (err)
        s->error = *err;
}

static lw_source_sink sink_of(scene *s)
{
    return (lw_source_sink){ on_object, on_list_end, on_open, on_event, on_fail, s };
}

static lw_status open_scene(scene *s, const lw_source_spec *spec, lw_error *err)
{
    const lw_etcd_provider_options options = { .endpoints = "http://fake" };
    *s = (scene){ .error = LW_ERROR_INIT };
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
    fake_etcd_put_text("/a/ns/2", "{\"metadata\":{\"labels\":{\"app\":\"web\"}},\"spec\":1}");
    fake_etcd_put_text("/a/3\xff", "text");
    if (lw_manual_clock_new(&s->clock, 0) < 0)
        return lw_error_nomem(err);
    lw_status st = lw_etcd_source__provider_new(&s->provider, &options,
                                                lw_manual_clock_as_clock(s->clock), err);
    return st < 0 ? st : s->provider->ops->open(s->provider, spec, &s->source, err);
}

static void close_scene(scene *s)
{
    if (s->call)
        s->source->ops->cancel(s->source, s->call);
    if (s->source)
        s->source->ops->free(s->source);
    if (s->provider)
        s->provider->ops->free(s->provider);
    lw_manual_clock_free(s->clock);
    fake_etcd_reset();
}

static lw_status turn(scene *s, lw_error *err)
{
    for (int i = 0; i < TURNS && s->provider->ops->timeout_ms(s->provider) == 0; i++) {
        lw_status st = s->provider->ops->dispatch(s->provider, err);
        if (st < 0)
            return st;
    }
    *err = s->error;
    return s->error.code;
}

static lw_status read_page(scene *s, const char *token, lw_error *err)
{
    const lw_source_request request = { .continue_token = token, .limit = 2 };
    lw_source_sink sink = sink_of(s);
    s->is_over = false;
    lw_status st = s->source->ops->list(s->source, &request, &sink, &s->call, err);
    return st < 0 ? st : turn(s, err);
}

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status list_in_pages(lw_error *err)
{
    scene s;
    char token[sizeof(s.token)];
    lw_status st = open_scene(&s, &(lw_source_spec){ .resource = "/a/" }, err);
    if (st == LW_OK)
        st = read_page(&s, "", err);
    if (st == LW_OK) {
        memcpy(token, s.token, sizeof(token));
        st = read_page(&s, token, err);
    }
    if (st == LW_OK && (!s.is_over || s.objects != 3))
        st = wrong(err, "the list is incomplete");
    close_scene(&s);
    return st;
}

static lw_status watch_all(scene *s, lw_error *err)
{
    const lw_source_request request = { .resource_version = "",
                                        .timeout_s = 300,
                                        .allows_bookmarks = true,
                                        .sends_initial_events = true };
    lw_source_sink sink = sink_of(s);
    lw_status st = s->source->ops->watch(s->source, &request, &sink, &s->call, err);
    if (st == LW_OK)
        st = turn(s, err);
    if (st < 0)
        return st;
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}");
    fake_etcd_delete("/a/ns/2");
    fake_etcd_set_cut(true);
    st = turn(s, err);
    fake_etcd_set_cut(false);
    if (st == LW_OK)
        st = turn(s, err);
    if (st < 0)
        return st;
    fake_etcd_put_text("/b", "x");
    fake_etcd_progress();
    return turn(s, err);
}

/* The call times out, and the next one resumes. */
static lw_status watch_on(scene *s, lw_error *err)
{
    const lw_source_request request = { .resource_version = "7", .timeout_s = 300 };
    lw_source_sink sink = sink_of(s);
    lw_manual_clock_advance(s->clock, 300 * LW_NS_PER_S);
    lw_status st = turn(s, err);
    if (st == LW_OK && !s->is_over)
        return wrong(err, "the watch does not end");
    if (st == LW_OK)
        st = s->source->ops->watch(s->source, &request, &sink, &s->call, err);
    if (st < 0)
        return st;
    fake_etcd_put_text("/a/4", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
    return turn(s, err);
}

static lw_status stream_and_watch(lw_error *err)
{
    static const char *const drop[] = { "/spec", NULL };
    scene s;
    const lw_source_spec spec = { .resource = "/a/",
                                  .label_selector = "app=web",
                                  .field_selector = "metadata.name!=x",
                                  .read = { .drop = drop } };
    lw_status st = open_scene(&s, &spec, err);
    if (st == LW_OK)
        st = watch_all(&s, err);
    if (st == LW_OK)
        st = watch_on(&s, err);
    if (st == LW_OK && (s.changes != 5 || s.bookmarks != 2))
        st = wrong(err, "the events are wrong");
    close_scene(&s);
    return st;
}

const oom_scenario etcd_source_scenarios[] = {
    { "a list on etcd in pages", list_in_pages },
    { "a stream on etcd, and its watch", stream_and_watch },
};
const size_t etcd_source_scenario_count =
    sizeof(etcd_source_scenarios) / sizeof(etcd_source_scenarios[0]);
