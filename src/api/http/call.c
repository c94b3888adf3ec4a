/* SPDX-License-Identifier: Apache-2.0 */
/* call.c -- one request under way, and the replies that are one document. */
#include "api/http/call.h"

#include "api/context/asker.h"
#include "api/http/failures.h"
#include "api/http/reply.h"
#include "api/media/object_form.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

void lw_call_free(lw_api_call *call)
{
    if (!call)
        return;
    lw_account_end(&call->account, call->stream, call->user);
    lw_http_stream_unref(call->stream);
    lw_query_done(&call->query);
    lw_buf_done(&call->warnings);
    lw_buf_done(&call->annotations);
    lw_buf_done(&call->path_text);
    lw_cache_resource_unref(call->view);
    lw_registry_unref(call->registry);
    lw_free(call);
}

static bool has_warning(const lw_buf *warnings, lw_str wanted)
{
    lw_str rest = lw_buf_view(warnings), text;
    while (lw_str_cut(rest, '\0', &text, &rest)) {
        if (lw_str_equal(text, wanted))
            return true;
    }
    return false;
}

void lw_call_warn(lw_api_call *call, lw_str text)
{
    /* The texts are ended by NULs, and what is behind one nobody could read anyway. */
    lw_str tail;
    (void)lw_str_cut(text, '\0', &text, &tail);
    /* One that has no room is left out, and those that are shorter may still have some.  It is not
     * compared with the others: there may be very many of them. */
    if (text.len == 0 || call->warning_count == LW_CALL_WARNINGS_KEPT ||
        text.len >= LW_CALL_WARNING_BYTES - call->warnings.len ||
        has_warning(&call->warnings, text))
        return;
    if (lw_buf_reserve(&call->warnings, text.len + 1) < 0) {
        call->warnings.st = LW_OK; /* one warning less */
        return;
    }
    lw_buf_append_str(&call->warnings, text);
    lw_buf_append_char(&call->warnings, '\0');
    call->warning_count++;
}

static bool has_annotation(const lw_buf *annotations, lw_str wanted)
{
    lw_str rest = lw_buf_view(annotations), key, value;
    while (lw_str_cut(rest, '\0', &key, &rest)) {
        (void)lw_str_cut(rest, '\0', &value, &rest);
        if (lw_str_equal(key, wanted))
            return true;
    }
    return false;
}

void lw_call_annotate(lw_api_call *call, lw_str key, lw_str value)
{
    lw_str tail;
    (void)lw_str_cut(key, '\0', &key, &tail);
    (void)lw_str_cut(value, '\0', &value, &tail);
    size_t bytes = key.len + value.len + 2;
    if (key.len == 0 || bytes > LW_CALL_ANNOTATION_BYTES - call->annotations.len ||
        has_annotation(&call->annotations, key))
        return;
    if (lw_buf_reserve(&call->annotations, bytes) < 0) {
        call->annotations.st = LW_OK; /* one annotation less */
        return;
    }
    lw_buf_append_str(&call->annotations, key);
    lw_buf_append_char(&call->annotations, '\0');
    lw_buf_append_str(&call->annotations, value);
    lw_buf_append_char(&call->annotations, '\0');
}

static const char nomem_body[] =
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
    "\"message\":\"Internal error occurred: out of memory\",\"reason\":\"InternalError\","
    "\"details\":{\"causes\":[{\"message\":\"out of memory\"}]},\"code\":500}\n";

void lw_call_reply_nomem(lw_api_call *call)
{
    lw_api_reply_head head = { .code = 500, .content_type = "application/json" };
    lw_reply_send(call, &head, lw_bytes_static(lw_str_of(nomem_body)));
}

void lw_reply_failure(lw_api_call *call, lw_status st)
{
    if (st == LW_ERR_NOMEM) {
        lw_call_reply_nomem(call);
        return;
    }
    lw_api_status status;
    lw_api_status_internal(&status, st == LW_ERR_LIMIT
                                        ? LW_STR("the response is too large")
                                        : LW_STR("the stored object cannot be encoded as protobuf; "
                                                 "request JSON and repair the object"));
    call->media = (lw_media){ .format = LW_MEDIA_JSON };
    lw_call_reply_status(call, &status);
}

static void reply_document(lw_api_call *call, const lw_api_reply_head *head, lw_buf *json)
{
    lw_status st = lw_reply_dress(&call->media, json);
    if (st < 0) {
        lw_buf_done(json);
        lw_reply_failure(call, st);
        return;
    }
    lw_api_reply_head sent = *head;
    sent.content_type = lw_reply_content_type(&call->media);
    lw_reply_send_buf(call, &sent, json);
}

void lw_call_reply_json(lw_api_call *call, int code, lw_buf *json)
{
    lw_api_reply_head head = { .code = code };
    reply_document(call, &head, json);
}

/* Ends the call without a reply; its request is served again when the answers are there. */
static void serve_again(lw_api_call *call, lw_api_status *status)
{
    lw_api *api = call->api;
    lw_http_stream *stream = lw_http_stream_ref(call->stream);
    lw_api_status_done(status);
    lw_call_free(call);
    lw_asker_wait(stream, api->serve_again, api);
    lw_http_stream_unref(stream);
}

void lw_call_reply_status(lw_api_call *call, lw_api_status *status)
{
    lw_buf json;
    lw_json_writer w;
    /* A webhook has not answered yet: its answer may change everything. */
    if (lw_asker_is_waiting(call->stream)) {
        serve_again(call, status);
        return;
    }
    /* Whatever failed has failed because of this. */
    if (lw_budget_is_over(&call->budget)) {
        lw_api_status_done(status);
        lw_api_status_over_budget(status, &call->budget);
    }
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_status st = lw_api_status_write(status, &w);
    lw_api_reply_head head = { .code = status->code > 0 ? status->code : 200,
                               .retry_after_s = status->retry_after_s };
    lw_api_status_done(status);
    if (st < 0) {
        lw_buf_done(&json);
        lw_call_reply_nomem(call);
        return;
    }
    reply_document(call, &head, &json);
}

void lw_call_reply_text(lw_api_call *call, int code, const char *content_type, lw_str text)
{
    lw_buf body;
    lw_buf_init(&body, LW_CALL_REPLY_MAX);
    lw_buf_append_str(&body, text);
    if (body.st < 0) {
        lw_buf_done(&body);
        lw_reply_failure(call, LW_ERR_NOMEM);
        return;
    }
    lw_api_reply_head head = { .code = code, .content_type = content_type };
    lw_reply_send(call, &head, lw_buf_take_bytes(&body));
}

void lw_call_reply_nowhere(lw_api_call *call)
{
    lw_call_reply_text(call, 404, "text/plain; charset=utf-8", LW_STR("404 page not found\n"));
}

bool lw_reply_table_form(lw_api_call *call, lw_table_form *form)
{
    lw_str include = lw_query_get(&call->query, "includeObject");
    *form = (lw_table_form){ .api_version = lw_reply_meta_version(&call->media),
                             .include = LW_TABLE_METADATA,
                             .has_columns = true,
                             .now_ns = lw_clock_wall(call->api->clock) };
    if (include.len == 0 || lw_str_equal(include, LW_STR("Metadata")))
        return true;
    form->include = lw_str_equal(include, LW_STR("None")) ? LW_TABLE_NONE : LW_TABLE_OBJECT;
    if (form->include == LW_TABLE_NONE || lw_str_equal(include, LW_STR("Object")))
        return true;
    lw_buf message;
    lw_buf_init(&message, LW_CALL_REPLY_MAX);
    lw_buf_append_text(&message, "Unable to convert to Table as requested: includeObject: "
                                 "Invalid value: \"");
    lw_buf_append_str(&message, include);
    lw_buf_append_text(&message, "\": must be 'Metadata', 'Object', 'None', or empty");
    lw_call_reply_bad_request(call, &message);
    return false;
}

static void write_table(const lw_api_call *call, const lw_table_form *form, const lw_object *obj,
                        lw_json_writer *w)
{
    lw_buf metadata;
    lw_json_writer meta;
    lw_buf_init(&metadata, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&meta, &metadata, LW_JSON_COMPACT);
    lw_json_write_object_begin(&meta);
    lw_str rv = lw_str_of(lw_object_resource_version(obj));
    if (rv.len > 0)
        lw_json_write_member_string(&meta, "resourceVersion", rv);
    lw_json_write_object_end(&meta);
    if (metadata.st < 0) {
        w->out->st = metadata.st;
    } else {
        lw_table_begin(call->route.kind, form, lw_buf_view(&metadata), w);
        lw_table_row(call->route.kind, form, obj, w);
        lw_table_end(w);
    }
    lw_buf_done(&metadata);
}

/* The object as it is, in protobuf: the bytes that are kept with it, if there is room to keep them.
 * False: it must be made from JSON. */
static bool reply_kept(lw_api_call *call, int code, const lw_object *obj)
{
    lw_watch_event_type type =
        code == 201 || call->route.verb == LW_VERB_GET ? LW_WATCH_ADDED : LW_WATCH_MODIFIED;
    lw_object_form form;
    if (call->media.format != LW_MEDIA_PROTOBUF || call->media.as != LW_MEDIA_AS_IS ||
        !lw_kind_shows_as_stored(call->route.kind, obj) ||
        lw_object_form_offer(obj, type, call->api->forms, NULL, &form) < 0)
        return false;
    if (call->media.takes_gzip && form.document.len > LW_REPLY_GZIP_MIN)
        return false;
    const lw_api_reply_head head = { .code = code,
                                     .content_type = lw_reply_content_type(&call->media) };
    lw_reply_send(call, &head, lw_object_part_take(lw_object_ref(obj), form.document));
    return true;
}

void lw_call_reply_object(lw_api_call *call, int code, const lw_object *obj)
{
    lw_table_form form;
    if (reply_kept(call, code, obj))
        return;
    if (call->media.as == LW_MEDIA_TABLE && !lw_reply_table_form(call, &form))
        return;
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    if (call->media.as == LW_MEDIA_TABLE) {
        write_table(call, &form, obj, &w);
    } else if (call->media.as == LW_MEDIA_PARTIAL) {
        lw_partial_write(obj, lw_reply_meta_version(&call->media), &w);
    } else {
        lw_kind_append_object(call->route.kind, obj, &json);
    }
    lw_call_reply_json(call, code, &json);
}
