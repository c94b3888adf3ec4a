/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event_writer.c -- writes {"type":"ADDED","object":...} and a newline, or the event as a
 * protobuf frame (watch_frame.h) or as CBOR. */
#include "api/media/watch_event_writer.h"

#include "api/media/object_form.h"
#include "api/media/watch_frame.h"
#include "base/str.h"
#include "json/cbor/cbor.h"

enum {
    EVENT_MAX = 64 * 1024 * 1024, /* bytes of an event that is composed */
};

static const lw_str event_end = LW_STR_INIT("}\n");

static lw_str event_begin(lw_watch_event_type type)
{
    switch (type) {
    case LW_WATCH_ADDED: return LW_STR("{\"type\":\"ADDED\",\"object\":");
    case LW_WATCH_MODIFIED: return LW_STR("{\"type\":\"MODIFIED\",\"object\":");
    case LW_WATCH_DELETED: return LW_STR("{\"type\":\"DELETED\",\"object\":");
    case LW_WATCH_BOOKMARK: return LW_STR("{\"type\":\"BOOKMARK\",\"object\":");
    case LW_WATCH_ERROR: break;
    }
    return LW_STR("{\"type\":\"ERROR\",\"object\":");
}

/* Appends the event as an item of a CBOR sequence (RFC 8742), which needs nothing between them. */
static void append_cbor(lw_watch_event_type type, lw_str json, lw_buf *out)
{
    static const char map_of_two[] = LW_CBOR_SELF_DESCRIBED "\xa2";
    lw_buf_append_text(out, map_of_two);
    lw_cbor_append_text(LW_STR("type"), out);
    lw_cbor_append_text(lw_str_of(lw_watch_event_type_name(type)), out);
    lw_cbor_append_text(LW_STR("object"), out);
    (void)lw_cbor_append_document(json, out);
}

/* Writes the object's JSON as CBOR, for this watch alone. */
static size_t encoded(lw_watch_event_type type, lw_object *obj, lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_buf whole;
    lw_buf_init(&whole, EVENT_MAX);
    append_cbor(type, lw_object_json(obj), &whole);
    lw_object_unref(obj);
    if (whole.st < 0) {
        lw_buf_done(&whole);
        return 0;
    }
    pieces[0] = lw_buf_take_bytes(&whole);
    return 1;
}

/* Finishes the event, as one piece, from the object's JSON in |text|. */
static size_t finish(const lw_event_shape *shape, lw_watch_event_type type, lw_buf *text,
                     lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_buf whole;
    lw_buf_init(&whole, EVENT_MAX);
    if (text->st < 0) {
        lw_buf_done(text);
        return 0;
    }
    if (shape->format == LW_MEDIA_CBOR) {
        append_cbor(type, lw_buf_view(text), &whole);
    } else if (shape->format == LW_MEDIA_PROTOBUF) {
        lw_watch_frame_write(type, lw_buf_view(text), shape->is_message, &whole);
    } else {
        lw_buf_append_str(&whole, event_begin(type));
        lw_buf_append_str(&whole, lw_buf_view(text));
        lw_buf_append_str(&whole, event_end);
    }
    lw_buf_done(text);
    if (whole.st < 0) {
        lw_buf_done(&whole);
        return 0;
    }
    pieces[0] = lw_buf_take_bytes(&whole);
    return 1;
}

static void write_table(const lw_event_shape *shape, const lw_object *obj, lw_json_writer *w)
{
    lw_buf metadata;
    lw_buf_init(&metadata, EVENT_MAX);
    lw_buf_append_text(&metadata, "{\"resourceVersion\":\"");
    lw_buf_append_text(&metadata, lw_object_resource_version(obj));
    lw_buf_append_text(&metadata, "\"}");
    if (metadata.st < 0) {
        w->out->st = metadata.st;
    } else {
        lw_table_begin(shape->kind, &shape->form, lw_buf_view(&metadata), w);
        lw_table_row(shape->kind, &shape->form, obj, w);
        lw_table_end(w);
    }
    lw_buf_done(&metadata);
}

static size_t transformed(const lw_event_shape *shape, lw_watch_event_type type,
                          const lw_object *obj, lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, EVENT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    if (shape->as == LW_MEDIA_TABLE)
        write_table(shape, obj, &w);
    else
        lw_partial_write(obj, shape->form.api_version, &w);
    return finish(shape, type, &text, pieces);
}

/* Writes an object that is stored in another version than the watched one. */
static size_t converted(const lw_event_shape *shape, lw_watch_event_type type, const lw_object *obj,
                        lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_buf text;
    lw_buf_init(&text, EVENT_MAX);
    lw_kind_append_object(shape->kind, obj, &text);
    return finish(shape, type, &text, pieces);
}

size_t lw_event_pieces_take(const lw_event_shape *shape, lw_watch_event_type type, lw_object *obj,
                            bool is_shared, lw_bytes pieces[LW_EVENT_PIECES])
{
    if (shape->as != LW_MEDIA_AS_IS) {
        size_t count = transformed(shape, type, obj, pieces);
        lw_object_unref(obj);
        return count;
    }
    lw_str json = lw_object_json(obj);
    if (!lw_kind_shows_as_stored(shape->kind, obj)) {
        size_t count = converted(shape, type, obj, pieces);
        lw_object_unref(obj);
        return count;
    }
    if (shape->format == LW_MEDIA_PROTOBUF)
        return lw_watch_frame_take(type, obj, is_shared, shape->is_message, shape->budget,
                                   shape->maker, pieces);
    if (shape->format == LW_MEDIA_CBOR)
        return encoded(type, obj, pieces);
    pieces[0] = lw_bytes_static(event_begin(type));
    pieces[1] = lw_object_part_take(obj, json);
    pieces[2] = lw_bytes_static(event_end);
    return 3;
}

size_t lw_event_bookmark(const lw_event_shape *shape, uint64_t revision, bool ends_initial_events,
                         lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_str annotations = ends_initial_events ? LW_STR("{\"k8s.io/initial-events-end\":\"true\"}")
                                             : lw_str_make(NULL, 0);
    lw_object *obj = NULL;
    lw_buf text;
    lw_buf_init(&text, EVENT_MAX);
    lw_kind_write_empty(shape->kind, revision, annotations, &text);
    if (shape->as == LW_MEDIA_AS_IS)
        return finish(shape, LW_WATCH_BOOKMARK, &text, pieces);
    lw_status st = text.st < 0 ? text.st : lw_object_from_json(&obj, text.data, text.len, NULL);
    lw_buf_done(&text);
    return st < 0 ? 0 : lw_event_pieces_take(shape, LW_WATCH_BOOKMARK, obj, false, pieces);
}

size_t lw_event_error(const lw_event_shape *shape, lw_api_status *status,
                      lw_bytes pieces[LW_EVENT_PIECES])
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, EVENT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_status st = lw_api_status_write(status, &w);
    lw_api_status_done(status);
    if (st < 0 && text.st == LW_OK)
        text.st = st;
    return finish(shape, LW_WATCH_ERROR, &text, pieces);
}
