/* SPDX-License-Identifier: Apache-2.0 */
/* fake_provider.c -- an in-memory API server: lists and watches.
 *
 * A call is an open list or watch.  Dispatch serves each as far as there is data for it. */
#include "support/fake_provider.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <listwatch/match.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "support/fake_provider_core.h"

static fake_provider *provider_of(const fake_source *source)
{
    return source->fake;
}

static bool is_wanted(const fake_source *source, const char *resource, const lw_object *obj)
{
    return strcmp(resource, source->resource) == 0 &&
           (source->ns[0] == '\0' || strcmp(source->ns, lw_object_namespace(obj)) == 0) &&
           lw_label_selector_matches(source->selector, obj);
}

static void call_free(fake_call *call)
{
    call->source->fake->counts.open_calls--;
    lw_dlist_remove(&call->link);
    lw_free(call);
}

/* Ends the call and reports why. */
static void end_call(fake_call *call, const lw_error *err)
{
    lw_source_sink sink = call->sink;
    lw_error copy = err ? *err : (lw_error)LW_ERROR_INIT;
    call_free(call);
    sink.on_fail(err ? &copy : NULL, sink.arg);
}

/* Sends a page and ends the call. */
static void serve_list(fake_provider *fake, fake_call *call)
{
    char rv[32], token[FAKE_TEXT_SIZE + 32] = "";
    int64_t sent = 0;
    lw_source_sink sink = call->sink;
    if (call->revision == 0)
        call->revision = fake->revision;
    for (size_t i = 0; i < fake->object_count; i++) {
        const lw_object *obj = fake->objects[i].object;
        char key[FAKE_TEXT_SIZE];
        (void)lw_key_print(lw_object_key(obj), key, sizeof(key));
        if (!is_wanted(call->source, fake->objects[i].resource, obj) ||
            (call->after[0] &&
             lw_key_compare(fake_provider__key_of(call->after), lw_object_key(obj)) >= 0))
            continue;
        if (call->limit > 0 && sent == call->limit) {
            (void)snprintf(token, sizeof(token), "%" PRIu64 ":%s", call->revision, call->rv);
            break;
        }
        sink.on_object(obj, sink.arg);
        (void)snprintf(call->rv, sizeof(call->rv), "%s", key);
        sent++;
    }
    (void)snprintf(rv, sizeof(rv), "%" PRIu64, call->revision);
    const lw_list_metadata metadata = { .api_version = "v1",
                                        .kind = "List",
                                        .resource_version = rv,
                                        .continue_token = token,
                                        .remaining_item_count = -1 };
    call_free(call);
    sink.on_list_end(&metadata, sink.arg);
}

static void send_bookmark(fake_call *call, uint64_t revision, bool is_end)
{
    lw_object *obj = fake_provider__make_object(call->source->resource, fake_provider__key_of(""),
                                                revision, 0, NULL, NULL);
    if (!obj)
        return;
    const lw_watch_event event = { .type = LW_WATCH_BOOKMARK,
                                   .object = obj,
                                   .is_initial_events_end = is_end };
    call->sink.on_event(&event, call->sink.arg);
    lw_object_unref(obj);
}

static void send_state(fake_provider *fake, fake_call *call)
{
    for (size_t i = 0; i < fake->object_count; i++) {
        const lw_object *obj = fake->objects[i].object;
        const lw_watch_event event = { .type = LW_WATCH_ADDED, .object = obj };
        if (is_wanted(call->source, fake->objects[i].resource, obj))
            call->sink.on_event(&event, call->sink.arg);
    }
    call->tells_state = false;
    call->cursor = fake->revision;
    if (call->ends_state)
        send_bookmark(call, fake->revision, true);
}

/* Sends an event as the watch sees it: objects that leave or enter its selection are deleted or
 * added. */
static void send_event(fake_call *call, const past_event *past)
{
    lw_watch_event event = { .type = past->type, .object = past->object };
    bool is_in = is_wanted(call->source, past->resource, past->object);
    bool was_in = past->before && is_wanted(call->source, past->resource, past->before);
    if (past->type == LW_WATCH_MODIFIED && is_in != was_in)
        event.type = is_in ? LW_WATCH_ADDED : LW_WATCH_DELETED;
    if ((is_in || was_in) && !(past->is_lost && past->revision > call->opened_at))
        call->sink.on_event(&event, call->sink.arg);
}

static void send_gone(fake_call *call)
{
    lw_error err = fake_error(LW_ERR_EXPIRED, 410, "too old resource version");
    const lw_watch_event event = { .type = LW_WATCH_ERROR, .error = &err };
    call->is_over = true;
    call->sink.on_event(&event, call->sink.arg);
}

static void open_watch(fake_call *call)
{
    if (call->is_open)
        return;
    call->is_open = true;
    call->sink.on_open(call->sink.arg);
}

static void serve_watch(fake_provider *fake, fake_call *call)
{
    if (call->is_over)
        return;
    open_watch(call);
    if (call->tells_state) {
        send_state(fake, call);
    } else if (call->cursor < fake->compacted && call->cursor == call->opened_at) {
        send_gone(call);
        return;
    }
    for (size_t i = 0; i < fake->event_count; i++) {
        if (fake->events[i].revision > call->cursor)
            send_event(call, &fake->events[i]);
    }
    call->cursor = fake->revision;
    if (call->wants_bookmark)
        send_bookmark(call, fake->revision, false);
    call->wants_bookmark = false;
    if (call->is_ended)
        end_call(call, call->has_failed ? &call->error : NULL);
}

static void serve(fake_provider *fake, fake_call *call)
{
    if (!call->is_open && call->has_failed)
        end_call(call, &call->error);
    else if (call->is_watch)
        serve_watch(fake, call);
    else
        serve_list(fake, call);
}

static lw_status provider_dispatch(lw_provider *provider, lw_error *err)
{
    fake_provider *fake = (fake_provider *)(void *)provider;
    uint64_t count;
    (void)err;
    lw_mutex_lock(&fake->mu);
    fake->counts.dispatches++;
    (void)!read(fake->fd, &count, sizeof(count));
    if (!fake->is_held) {
        LW_DLIST_FOR_EACH_SAFE(fake_call, call, &fake->calls, link)
        serve(fake, call);
    }
    lw_mutex_unlock(&fake->mu);
    return LW_OK;
}

/* Checks a request for errors. */
static void judge(fake_provider *fake, fake_call *call, const lw_source_request *request)
{
    unsigned *failures = call->is_watch ? &fake->watch_failures : &fake->list_failures;
    call->has_failed = true;
    if (*failures > 0) {
        --*failures;
        call->error = call->is_watch ? fake->watch_error : fake->list_error;
    } else if (request->sends_initial_events && !fake->has_streams) {
        call->error = fake_error(LW_ERR_INVALID, 422, "sendInitialEvents is forbidden for watch");
    } else if (call->revision > fake->revision || call->cursor > fake->revision) {
        call->error = fake_error(LW_ERR_TOO_LARGE_RV, 504, "Too large resource version");
    } else if (!call->is_watch && call->after[0] && call->revision < fake->compacted) {
        call->error = fake_error(LW_ERR_EXPIRED, 410, "the provided continue parameter is too old");
    } else {
        call->has_failed = false;
    }
}

static uint64_t number_of(const char *text)
{
    uint64_t number = 0;
    (void)lw_str_to_uint64(lw_str_of(text), &number);
    return number;
}

static void read_request(fake_provider *fake, fake_call *call, const lw_source_request *request)
{
    lw_str revision, after;
    uint64_t rv = number_of(request->resource_version);
    call->limit = request->limit;
    call->opened_at = fake->revision;
    if (call->is_watch) {
        call->tells_state = rv == 0;
        call->ends_state = request->sends_initial_events;
        if (request->sends_initial_events)
            call->tells_state = true;
        call->cursor = rv;
        call->opened_at = rv > 0 && !call->tells_state ? rv : fake->revision;
    } else if (lw_str_cut(lw_str_of(request->continue_token), ':', &revision, &after)) {
        (void)lw_str_to_uint64(revision, &call->revision);
        (void)snprintf(call->after, sizeof(call->after), "%.*s", LW_STR_ARG(after));
    } else if (rv > fake->revision) {
        call->revision = rv; /* refused */
    }
}

static lw_status begin(lw_source *source, const lw_source_request *request,
                       const lw_source_sink *sink, bool is_watch, lw_source_call **out,
                       lw_error *err)
{
    fake_source *s = (fake_source *)(void *)source;
    fake_provider *fake = provider_of(s);
    fake_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return lw_error_nomem(err);
    call->source = s;
    call->sink = *sink;
    call->is_watch = is_watch;
    lw_mutex_lock(&fake->mu);
    read_request(fake, call, request);
    judge(fake, call, request);
    lw_dlist_push_back(&fake->calls, &call->link);
    fake->counts.open_calls++;
    fake->counts.lists += !is_watch;
    fake->counts.streams += request->sends_initial_events;
    fake->counts.watches += is_watch && !request->sends_initial_events;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

static lw_status source_list(lw_source *source, const lw_source_request *request,
                             const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin(source, request, sink, false, out, err);
}

static lw_status source_watch(lw_source *source, const lw_source_request *request,
                              const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin(source, request, sink, true, out, err);
}

static void source_cancel(lw_source *source, lw_source_call *opaque)
{
    fake_provider *fake = provider_of((fake_source *)(void *)source);
    lw_mutex_lock(&fake->mu);
    fake->counts.cancels++;
    call_free((fake_call *)(void *)opaque);
    lw_mutex_unlock(&fake->mu);
}

static void source_free(lw_source *source)
{
    fake_source *s = (fake_source *)(void *)source;
    lw_mutex_lock(&s->fake->mu);
    s->fake->counts.open_sources--;
    lw_mutex_unlock(&s->fake->mu);
    lw_label_selector_free(s->selector);
    lw_free(s);
}

/* The provider. */

static lw_status provider_open(lw_provider *provider, const lw_source_spec *spec, lw_source **out,
                               lw_error *err)
{
    static const lw_source_ops ops = { source_list, source_watch, source_cancel, source_free };
    fake_provider *fake = (fake_provider *)(void *)provider;
    fake_source *source = lw_alloc_zero(1, sizeof(*source));
    if (!source)
        return lw_error_nomem(err);
    source->base.ops = &ops;
    source->fake = fake;
    (void)snprintf(source->resource, sizeof(source->resource), "%s", spec->resource);
    (void)snprintf(source->ns, sizeof(source->ns), "%s", spec->ns ? spec->ns : "");
    lw_status st = lw_label_selector_parse(&source->selector, lw_str_of(spec->label_selector), err);
    if (st < 0) {
        lw_free(source);
        return st;
    }
    lw_mutex_lock(&fake->mu);
    fake->counts.open_sources++;
    lw_mutex_unlock(&fake->mu);
    *out = &source->base;
    return LW_OK;
}

static int provider_fd(lw_provider *provider)
{
    return ((fake_provider *)(void *)provider)->fd;
}

static int provider_timeout_ms(lw_provider *provider)
{
    (void)provider;
    return -1;
}

static void provider_free(lw_provider *provider)
{
    fake_provider *fake = (fake_provider *)(void *)provider;
    lw_mutex_lock(&fake->mu);
    fake->counts.is_freed = true;
    lw_mutex_unlock(&fake->mu);
}

/* Known from the first request on, as on a real server. */
static bool provider_type(lw_provider *provider, const lw_source *source, lw_source_type *out)
{
    static const struct {
        const char *resource, *group, *kind;
        bool is_namespaced;
    } types[] = { { "pods", "", "Pod", true },
                  { "webs", "example.com", "Web", true },
                  { "regions", "example.com", "Region", false } };
    const fake_source *s = (const fake_source *)(const void *)source;
    (void)provider;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].resource, s->resource) != 0)
            continue;
        *out = (lw_source_type){ lw_str_of(types[i].group), lw_str_of(types[i].kind),
                                 types[i].is_namespaced };
        return true;
    }
    return false;
}

static lw_status provider_identity(lw_provider *provider, char *dst, size_t size, lw_error *err)
{
    (void)provider;
    (void)err;
    (void)snprintf(dst, size, "fake");
    return LW_OK;
}

static void provider_cluster(lw_provider *provider, const lw_source *source, char *dst, size_t size)
{
    const fake_provider *fake = (const fake_provider *)(const void *)provider;
    (void)source;
    (void)snprintf(dst, size, "%s", fake->cluster ? fake->cluster : "");
}

void fake_provider_set_cluster(fake_provider *fake, const char *cluster)
{
    fake->cluster = cluster;
}

lw_provider *fake_provider_as_provider(fake_provider *fake)
{
    return &fake->base;
}

fake_provider *fake_provider_new(void)
{
    static const lw_provider_ops ops = { .open = provider_open,
                                         .fd = provider_fd,
                                         .timeout_ms = provider_timeout_ms,
                                         .dispatch = provider_dispatch,
                                         .free = provider_free,
                                         .type = provider_type,
                                         .identity = provider_identity,
                                         .cluster = provider_cluster };
    fake_provider *fake = lw_alloc_zero(1, sizeof(*fake));
    if (!fake)
        return NULL;
    fake->base.ops = &ops;
    fake->has_streams = true;
    lw_mutex_init(&fake->mu);
    lw_dlist_init(&fake->calls);
    fake->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fake->fd < 0) {
        fake_provider_free(fake);
        return NULL;
    }
    return fake;
}

void fake_provider_free(fake_provider *fake)
{
    if (!fake)
        return;
    for (size_t i = 0; i < fake->object_count; i++) {
        lw_object_unref(fake->objects[i].object);
        lw_free(fake->objects[i].resource);
    }
    fake_provider__forget_events(fake);
    lw_free(fake->objects);
    lw_free(fake->events);
    if (fake->fd >= 0)
        close(fake->fd);
    lw_mutex_done(&fake->mu);
    lw_free(fake);
}
