/* SPDX-License-Identifier: Apache-2.0 */
/* message_events.c -- reads the events of a watch in protobuf.  Each is a frame: four bytes of
 * length, then { 1: type, 2: { 1: object in its envelope } }. */
#include "schema/message/message.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/watch_event.h"
#include "schema/message/message_cut.h"
#include "schema/message/message_maker.h"
#include "schema/proto/proto_wire.h"

enum {
    LENGTH_SIZE = 4,
    AROUND_MAX = 64 * 1024, /* bytes of a frame besides the object */
    NAMES_MAX = 64 * 1024,
    STATUS_MAX = 64 * 1024 * 1024, /* bytes of the JSON of a Status */
    TYPE = 1,
    OBJECT = 2,
    RAW = 1, /* field numbers */
};

struct lw_message_events {
    lw_message_cut cut;
    lw_message_maker maker;
    lw_watch_event_fn on_event;
    void *arg;
    lw_buf names; /* of the last object: apiVersion, kind */
    size_t kind_at;
    const lw_type *type; /* of the last object; NULL: none yet */
};

lw_status lw_message_events_new(lw_message_events **out, const lw_event_reader_options *options,
                                lw_error *err)
{
    lw_message_events *events = lw_alloc_zero(1, sizeof(*events));
    if (!events)
        return lw_error_nomem(err);
    lw_message_maker_init(&events->maker, &options->read);
    lw_message_cut_init(&events->cut, lw_message_maker_wire_max(&events->maker) + AROUND_MAX);
    lw_buf_init(&events->names, NAMES_MAX);
    events->on_event = options->on_event;
    events->arg = options->arg;
    *out = events;
    return LW_OK;
}

void lw_message_events_free(lw_message_events *events)
{
    if (!events)
        return;
    lw_message_cut_done(&events->cut);
    lw_message_maker_done(&events->maker);
    lw_buf_done(&events->names);
    lw_free(events);
}

static lw_status malformed(lw_error *err, const char *why)
{
    return lw_error_set(err, LW_ERR_SYNTAX, "the watch event is not valid protobuf: %s", why);
}

static lw_status read_length(lw_str bytes, size_t *size, void *arg, lw_error *err)
{
    const lw_message_events *events = arg;
    const unsigned char *p = (const unsigned char *)bytes.ptr;
    *size = 0;
    if (bytes.len < LENGTH_SIZE)
        return LW_OK;
    size_t len = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
    if (len > lw_message_maker_wire_max(&events->maker) + AROUND_MAX)
        return lw_error_set(err, LW_ERR_LIMIT,
                            "the watch event has %zu bytes; the limit of an object is %zu", len,
                            events->maker.max_object);
    *size = LENGTH_SIZE + len;
    return LW_OK;
}

/* Returns the bytes of the last field |number| of |message|; false: malformed. */
static bool find_bytes(lw_str message, unsigned number, lw_str *out)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    *out = LW_STR("");
    while (lw_proto_next(&from, &item)) {
        if (item.number != number)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return false;
        *out = item.bytes;
    }
    return !from.error;
}

/* Returns the type of |document|; most objects of a watch have the same. */
static const lw_type *type_of(lw_message_events *events, const lw_proto_document *document)
{
    lw_buf *names = &events->names;
    lw_str last = lw_buf_view(names);
    if (events->type && lw_str_equal(lw_str_skip(last, events->kind_at), document->kind) &&
        lw_str_equal(lw_str_make(last.ptr, events->kind_at), document->api_version))
        return events->type;
    lw_buf_reset(names);
    lw_buf_append_str(names, document->api_version);
    events->kind_at = names->len;
    lw_buf_append_str(names, document->kind);
    const lw_type *type = lw_message_type(document->api_version, document->kind);
    events->type = names->st == LW_OK ? type : NULL;
    return type;
}

static lw_status make_object(lw_message_events *events, lw_str bytes, lw_object **out,
                             lw_error *err)
{
    lw_proto_document document;
    lw_status st = lw_proto_open(bytes, &document, err);
    if (st < 0)
        return st;
    const lw_type *type = type_of(events, &document);
    if (!type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED, "objects of kind \"%.*s\" are read as JSON",
                            LW_STR_ARG(document.kind));
    return lw_message_make(&events->maker, type, &document, true, out, err);
}

/* The Status of an ERROR event, which is read as JSON. */
static lw_status make_status(lw_str bytes, lw_object **out, lw_error *err)
{
    lw_buf json;
    lw_buf_init(&json, STATUS_MAX);
    lw_status st = lw_message_append_json(bytes, &json, err);
    if (st == LW_OK)
        st = lw_object_from_json(out, json.data, json.len, err);
    lw_buf_done(&json);
    return st;
}

static lw_status deliver(lw_message_events *events, lw_watch_event_type type, lw_object *obj,
                         lw_error *err)
{
    lw_watch_event event = { .type = type, .object = obj };
    lw_error error = LW_ERROR_INIT;
    if (type == LW_WATCH_ERROR) {
        lw_status st = lw_watch_event__read_error(obj, &error, err);
        if (st < 0)
            return st;
        event.error = &error;
    } else if (type == LW_WATCH_BOOKMARK) {
        event.is_initial_events_end = lw_watch_event__ends_initial(obj);
    }
    return events->on_event(&event, events->arg, err);
}

static lw_status read_frame(lw_message_events *events, lw_str frame, lw_error *err)
{
    lw_str name, extension, bytes;
    lw_watch_event_type type;
    lw_object *obj = NULL;
    if (!find_bytes(frame, TYPE, &name) || !find_bytes(frame, OBJECT, &extension) ||
        !find_bytes(extension, RAW, &bytes))
        return malformed(err, "it is no event");
    if (!lw_watch_event_type_parse(name, &type))
        return lw_error_set(err, LW_ERR_INVALID, "the watch event has the unknown type \"%.*s\"",
                            LW_STR_ARG(name));
    if (bytes.len == 0 && type != LW_WATCH_ERROR)
        return lw_error_set(err, LW_ERR_INVALID, "the watch event of type %s has no object",
                            lw_watch_event_type_name(type));
    lw_status st = LW_OK;
    if (type != LW_WATCH_ERROR)
        st = make_object(events, bytes, &obj, err);
    else if (bytes.len > 0)
        st = make_status(bytes, &obj, err);
    if (st == LW_OK)
        st = deliver(events, type, obj, err);
    if (type == LW_WATCH_ERROR) /* a status, which the maker has not made */
        lw_object_unref(obj);
    else if (obj)
        lw_object__spare_unref(&events->maker.spare, obj);
    return st;
}

lw_status lw_message_events_feed(lw_message_events *events, const char *bytes, size_t len,
                                 lw_error *err)
{
    lw_str rest = lw_str_make(bytes, len), piece;
    for (;;) {
        lw_status st = lw_message_cut_next(&events->cut, &rest, read_length, events, &piece, err);
        if (st == LW_OK)
            st = read_frame(events, lw_str_skip(piece, LENGTH_SIZE), err);
        else if (st == LW_ERR_NOT_FOUND)
            return LW_OK;
        if (st < 0)
            return st;
    }
}

lw_status lw_message_events_finish(lw_message_events *events, lw_error *err)
{
    return lw_message_cut_is_inside(&events->cut) ? malformed(err, "it is truncated") : LW_OK;
}
