/* SPDX-License-Identifier: Apache-2.0 */
/* watch_frame.c -- events in protobuf.
 *
 * What hangs on an object is the frame of the first type that was asked for, and before it two
 * bytes: that type, and how long the head of the frame is.  A watch that sees the event as another
 * type (a selector that begins to match) gets a head of its own and shares the rest:
 *
 *     | type | head length | 4 bytes length | WatchEvent up to the object | the object's envelope |
 *                          └──────────── head ─────────────────────────────┘ */
#include "api/watch_frame.h"

#include "api/reply.h"
#include "base/str.h"
#include "object/object.h"
#include "schema/proto.h"
#include "schema/proto_wire.h"

enum {
    LENGTH_BYTES = 4,
    KEPT_BYTES = 2, /* before the frame */
    HEAD_MAX = 64,
    FRAME_MAX = 64 * 1024 * 1024,
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

/* Appends what comes before the |len| bytes of the object. */
static void write_head(lw_watch_event_type type, size_t len, lw_buf *out)
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

/* Appends head and object.  Returns how long the head is. */
static size_t write_frame(lw_watch_event_type type, lw_str json, lw_buf *out)
{
    char room[HEAD_MAX];
    lw_buf head = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_buf object;
    lw_buf_init(&object, FRAME_MAX);
    lw_status st = lw_proto_write_document(json, &object, NULL);
    write_head(type, object.len, &head);
    lw_buf_append_str(out, lw_buf_view(&head));
    lw_buf_append_str(out, lw_buf_view(&object));
    if (st < 0 && out->st == LW_OK)
        out->st = st;
    lw_buf_done(&object);
    return head.len;
}

void lw_watch_frame_write(lw_watch_event_type type, lw_str json, bool is_message, lw_buf *out)
{
    lw_buf frame;
    lw_buf_init(&frame, FRAME_MAX);
    (void)write_frame(type, json, &frame);
    lw_buf_append_str(out, lw_str_skip(lw_buf_view(&frame), is_message ? LENGTH_BYTES : 0));
    if (frame.st < 0 && out->st == LW_OK)
        out->st = frame.st;
    lw_buf_done(&frame);
}

static void object_release(void *owner)
{
    lw_object_unref(owner);
}

/* The kept form of |obj|, which is made now if there is none.  False: it cannot be made. */
static bool keep_frame(lw_watch_event_type type, const lw_object *obj, lw_str *kept)
{
    lw_buf form;
    if (lw_object__kept_form(obj, kept))
        return true;
    lw_buf_init(&form, FRAME_MAX);
    lw_buf_append_char(&form, (char)type);
    lw_buf_append_char(&form, '\0');
    size_t head = write_frame(type, lw_object_json(obj), &form);
    bool is_good = form.st == LW_OK;
    if (is_good) {
        form.data[1] = (char)head;
        is_good = lw_object__keep_form(obj, lw_buf_view(&form), kept) == LW_OK;
    }
    lw_buf_done(&form);
    return is_good;
}

/* A head of its own before the object's bytes in |kept|, which go on with the reference. */
static size_t take_other_type(lw_watch_event_type type, lw_object *obj, lw_str kept,
                              bool is_message, lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_str object = lw_str_skip(kept, KEPT_BYTES + (size_t)(unsigned char)kept.ptr[1]);
    lw_buf head, sent;
    lw_buf_init(&head, HEAD_MAX);
    lw_buf_init(&sent, HEAD_MAX);
    write_head(type, object.len, &head);
    lw_buf_append_str(&sent, lw_str_skip(lw_buf_view(&head), is_message ? LENGTH_BYTES : 0));
    bool is_good = head.st == LW_OK && sent.st == LW_OK;
    lw_buf_done(&head);
    if (!is_good) {
        lw_buf_done(&sent);
        lw_object_unref(obj);
        return 0;
    }
    pieces[0] = lw_reply_take_bytes(&sent);
    pieces[1] = (lw_bytes){ object.ptr, object.len, object_release, obj };
    return 2;
}

/* A frame for one watch alone. */
static size_t take_own(lw_watch_event_type type, lw_object *obj, bool is_message,
                       lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_buf frame;
    lw_buf_init(&frame, FRAME_MAX);
    lw_watch_frame_write(type, lw_object_json(obj), is_message, &frame);
    lw_object_unref(obj);
    if (frame.st < 0) {
        lw_buf_done(&frame);
        return 0;
    }
    pieces[0] = lw_reply_take_bytes(&frame);
    return 1;
}

size_t lw_watch_frame_take(lw_watch_event_type type, lw_object *obj, bool is_shared,
                           bool is_message, lw_bytes pieces[LW_FRAME_PIECES])
{
    lw_str kept;
    if (!is_shared && !lw_object__kept_form(obj, &kept))
        return take_own(type, obj, is_message, pieces);
    if (!keep_frame(type, obj, &kept)) {
        lw_object_unref(obj);
        return 0;
    }
    if (kept.ptr[0] != (char)type)
        return take_other_type(type, obj, kept, is_message, pieces);
    lw_str frame = lw_str_skip(kept, KEPT_BYTES + (is_message ? LENGTH_BYTES : 0));
    pieces[0] = (lw_bytes){ frame.ptr, frame.len, object_release, obj };
    return 1;
}
