/* SPDX-License-Identifier: Apache-2.0 */
/* script_source.c -- a source of objects that a test controls. */
#include "support/script_source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void describe(script_source *s, bool is_list, const lw_source_request *request)
{
    char *at = s->text;
    char *end = s->text + sizeof(s->text);
    const char *verb = is_list ? "LIST" : request->sends_initial_events ? "STREAM" : "WATCH";
    at += snprintf(at, (size_t)(end - at), "%s", verb);
    if (request->limit > 0)
        at += snprintf(at, (size_t)(end - at), " limit=%lld", (long long)request->limit);
    if (or_empty(request->continue_token)[0] != '\0')
        at += snprintf(at, (size_t)(end - at), " continue=%s", request->continue_token);
    else
        at += snprintf(at, (size_t)(end - at), " rv=%s", or_empty(request->resource_version));
    if (is_list && or_empty(request->resource_version_match)[0] != '\0')
        (void)snprintf(at, (size_t)(end - at), " match=%s", request->resource_version_match);
}

static lw_status begin(script_source *s, bool is_list, const lw_source_request *request,
                       const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    s->faults += s->is_under_way || s->is_calling_back;
    describe(s, is_list, request);
    s->request = *request;
    s->request.resource_version = s->request.resource_version_match = NULL;
    s->request.continue_token = NULL;
    s->calls++;
    if (!is_list)
        s->watches++;
    else if (or_empty(request->continue_token)[0] == '\0')
        s->lists++;
    if (s->refusal.code < 0) {
        *err = s->refusal;
        s->refusal = (lw_error)LW_ERROR_INIT;
        return err->code;
    }
    s->sink = *sink;
    s->is_under_way = true;
    *out = (lw_source_call *)s;
    return LW_OK;
}

static lw_status source_list(lw_source *source, const lw_source_request *request,
                             const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin((script_source *)source, true, request, sink, out, err);
}

static lw_status source_watch(lw_source *source, const lw_source_request *request,
                              const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin((script_source *)source, false, request, sink, out, err);
}

static void source_cancel(lw_source *source, lw_source_call *call)
{
    script_source *s = (script_source *)source;
    s->faults += !s->is_under_way || s->is_calling_back || call != (lw_source_call *)s;
    s->is_under_way = false;
    s->cancels++;
}

static void source_free(lw_source *source)
{
    (void)source;
}

static const lw_source_ops script_ops = { source_list, source_watch, source_cancel, source_free };

void script_init(script_source *s)
{
    *s = (script_source){ .base = { &script_ops }, .refusal = LW_ERROR_INIT };
}

const char *script_request(const script_source *s)
{
    return s->is_under_way ? s->text : "";
}

lw_object *script_object(const char *key, uint64_t rv, unsigned generation)
{
    lw_key parts = { .ns = { NULL, 0 } };
    char json[512];
    lw_object *obj = NULL;
    (void)lw_key_parse(lw_str_of(key), &parts, NULL);
    int len =
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"namespace\":\"%.*s\",\"name\":\"%.*s\",\"uid\":\"%s-%u\","
                 "\"resourceVersion\":\"%llu\"}}",
                 (int)parts.ns.len, parts.ns.ptr ? parts.ns.ptr : "", (int)parts.name.len,
                 parts.name.ptr ? parts.name.ptr : "", key, generation, (unsigned long long)rv);
    return lw_object_from_json(&obj, json, (size_t)len, NULL) == LW_OK ? obj : NULL;
}

void script_item_object(script_source *s, const lw_object *obj)
{
    s->faults += !s->is_under_way;
    s->is_calling_back = true;
    s->sink.on_object(obj, s->sink.arg);
    s->is_calling_back = false;
}

void script_item(script_source *s, const char *key, uint64_t rv)
{
    lw_object *obj = script_object(key, rv, 0);
    if (obj)
        script_item_object(s, obj);
    lw_object_unref(obj);
}

void script_list_end(script_source *s, const char *rv, const char *token)
{
    const lw_list_metadata list = { "v1", "PodList", rv, token, -1 };
    s->faults += !s->is_under_way;
    s->is_under_way = false;
    s->is_calling_back = true;
    s->sink.on_list_end(&list, s->sink.arg);
    s->is_calling_back = false;
}

void script_open(script_source *s)
{
    s->faults += !s->is_under_way;
    s->is_calling_back = true;
    s->sink.on_open(s->sink.arg);
    s->is_calling_back = false;
}

static void send(script_source *s, const lw_watch_event *event)
{
    s->faults += !s->is_under_way;
    s->is_calling_back = true;
    s->sink.on_event(event, s->sink.arg);
    s->is_calling_back = false;
}

void script_event_object(script_source *s, lw_watch_event_type type, const lw_object *obj)
{
    const lw_watch_event event = { .type = type, .object = obj };
    send(s, &event);
}

void script_event(script_source *s, lw_watch_event_type type, const char *key, uint64_t rv)
{
    lw_object *obj = script_object(key, rv, 0);
    if (obj)
        script_event_object(s, type, obj);
    lw_object_unref(obj);
}

static void bookmark(script_source *s, uint64_t rv, bool is_end)
{
    lw_object *obj = script_object("", rv, 0);
    const lw_watch_event event = { .type = LW_WATCH_BOOKMARK,
                                   .object = obj,
                                   .is_initial_events_end = is_end };
    if (obj)
        send(s, &event);
    lw_object_unref(obj);
}

void script_bookmark(script_source *s, uint64_t rv)
{
    bookmark(s, rv, false);
}

void script_initial_events_end(script_source *s, uint64_t rv)
{
    bookmark(s, rv, true);
}

lw_error script_error(lw_status code, int http_status, int retry_after_s)
{
    lw_error err;
    (void)lw_error_set(&err, code, "scripted: %s", lw_status_name(code));
    err.http_status = http_status;
    err.retry_after_s = retry_after_s;
    return err;
}

void script_send_error(script_source *s, const lw_error *err)
{
    const lw_watch_event event = { .type = LW_WATCH_ERROR, .error = err };
    send(s, &event);
}

static void end(script_source *s, const lw_error *err)
{
    s->faults += !s->is_under_way;
    s->is_under_way = false;
    s->is_calling_back = true;
    s->sink.on_fail(err, s->sink.arg);
    s->is_calling_back = false;
}

void script_fail(script_source *s, const lw_error *err)
{
    end(s, err);
}

void script_close(script_source *s)
{
    end(s, NULL);
}
