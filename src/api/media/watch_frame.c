/* SPDX-License-Identifier: Apache-2.0 */
/* watch_frame.c -- watch events in protobuf. The cached encoding of an object begins with the head
 * of one event type, the first that was requested. A watch that needs another type gets its own
 * head and shares the rest. */
#include "api/media/watch_frame.h"

#include "api/media/object_form.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"

enum {
    LENGTH_BYTES = 4,
};

static lw_str type_name(lw_watch_event_type type)
{
    switch (type) {
    case LW_WATCH_ADDED: return LW_STR("ADDED");
    case LW_WATCH_MODIFIED: return LW_STR("MODIFIED");
    case LW_WATCH_DELETED: return LW_STR("DELETED");
    case LW_WATCH_BOOKMARK: return LW_STR("BOOKMARK");
    case LW_WATCH_ERROR: break;
    }
    return LW_STR("ERROR");
}

void lw_watch_frame_head(lw_watch_event_type type, size_t len, lw_buf *out)
{
    lw_str name = type_name(type);
    uint64_t raw = 1 + lw_proto_varint_size(len) + len;
    uint64_t all = 2 + name.len + 1 + lw_proto_varint_size(raw) + raw;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        lw_buf_append_char(out, (char)(all >> (shift - 8) & 0xFFU));
    lw_proto_put_bytes(out, 1, name);
    lw_proto_put_tag(out, 2, LW_PROTO_BYTES);
    lw_proto_put_varint(out, raw);
    lw_proto_put_tag(out, 1, LW_PROTO_BYTES);
    lw_proto_put_varint(out, len);
}

/* Appends the head; with |is_message| without the length. */
static void append_head(lw_watch_event_type type, size_t len, bool is_message, lw_buf *out)
{
    char room[LW_FRAME_HEAD_MAX];
    lw_buf head = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_watch_frame_head(type, len, &head);
    lw_buf_append_str(out, lw_str_skip(lw_buf_view(&head), is_message ? LENGTH_BYTES : 0));
}

void lw_watch_frame_write(lw_watch_event_type type, lw_str json, bool is_message, lw_buf *out)
{
    lw_buf object;
    lw_buf_init(&object, LW_OBJECT_FORM_MAX);
    lw_status st = lw_proto_write_document(json, &object, NULL);
    append_head(type, object.len, is_message, out);
    lw_buf_append_str(out, lw_buf_view(&object));
    if (st < 0 && out->st == LW_OK)
        out->st = st;
    lw_buf_done(&object);
}

/* Creates a separate head before the document of |form|, which takes the reference. */
static size_t take_other_type(lw_watch_event_type type, lw_object *obj, const lw_object_form *form,
                              bool is_message, lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_buf head;
    lw_buf_init(&head, LW_FRAME_HEAD_MAX);
    append_head(type, form->document.len, is_message, &head);
    if (head.st < 0) {
        lw_buf_done(&head);
        lw_object_unref(obj);
        return 0;
    }
    pieces[0] = lw_buf_take_bytes(&head);
    pieces[1] = lw_object_part_take(obj, form->document);
    return 2;
}

/* Creates a frame for this watch only. */
static size_t take_own(lw_watch_event_type type, lw_object *obj, bool is_message,
                       lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_buf frame;
    lw_buf_init(&frame, LW_OBJECT_FORM_MAX);
    lw_watch_frame_write(type, lw_object_json(obj), is_message, &frame);
    lw_object_unref(obj);
    if (frame.st < 0) {
        lw_buf_done(&frame);
        return 0;
    }
    pieces[0] = lw_buf_take_bytes(&frame);
    return 1;
}

size_t lw_watch_frame_take(lw_watch_event_type type, lw_object *obj, bool is_shared,
                           bool is_message, lw_form_budget *budget, lw_form_maker *maker,
                           lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_object_form form;
    lw_status st = is_shared ? lw_object_form_make(obj, type, budget, maker, &form)
                             : lw_object_form_offer(obj, type, budget, maker, &form);
    if (st == LW_ERR_UNAVAILABLE)
        return take_own(type, obj, is_message, pieces);
    if (st < 0) {
        lw_object_unref(obj);
        return 0;
    }
    if (form.type != type)
        return take_other_type(type, obj, &form, is_message, pieces);
    pieces[0] = lw_object_part_take(obj, lw_str_skip(form.frame, is_message ? LENGTH_BYTES : 0));
    return 1;
}
