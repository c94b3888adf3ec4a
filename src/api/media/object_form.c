/* SPDX-License-Identifier: Apache-2.0 */
/* object_form.c -- creates the cached encoding of an object and finds its parts. */
#include "api/media/object_form.h"

#include "api/media/watch_frame.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"
#include "schema/proto/proto.h"

enum {
    TYPE_AT = 0, /* offsets in the three bytes before the frame */
    HEAD_AT = 1,
    ITEM_AT = 2,
    KEPT_BYTES = 3,
    PLACE_MAX = 255,
};

static lw_object_form parts_of(lw_str kept)
{
    const unsigned char *places = (const unsigned char *)kept.ptr;
    lw_object_form form = { .type = (lw_watch_event_type)places[TYPE_AT],
                            .frame = lw_str_skip(kept, KEPT_BYTES) };
    form.document = lw_str_skip(form.frame, places[HEAD_AT]);
    form.item = lw_str_skip(form.document, places[ITEM_AT]);
    form.item.len -= LW_PROTO_ENVELOPE_END;
    return form;
}

bool lw_object_form_find(const lw_object *obj, lw_object_form *out)
{
    lw_str kept;
    if (!lw_object__kept_form(obj, &kept))
        return false;
    *out = parts_of(kept);
    return true;
}

/* Caches |document| and what precedes it. */
static lw_status keep(const lw_object *obj, lw_watch_event_type type, lw_str document,
                      lw_form_budget *budget, lw_object_form *out)
{
    char room[KEPT_BYTES + LW_FRAME_HEAD_MAX];
    lw_buf begin = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    size_t item_at = lw_proto_envelope_message_at(document);
    lw_str kept;
    if (item_at > PLACE_MAX)
        return LW_ERR_UNSUPPORTED;
    lw_buf_append_char(&begin, (char)type);
    lw_buf_append_char(&begin, '\0');
    lw_buf_append_char(&begin, (char)item_at);
    lw_watch_frame_head(type, document.len, &begin);
    room[HEAD_AT] = (char)(begin.len - KEPT_BYTES);
    lw_status st = lw_object__keep_form(obj, lw_buf_view(&begin), document, budget, &kept);
    if (st == LW_OK)
        *out = parts_of(kept);
    return st;
}

/* Encodes an object that is not one of many. */
static lw_status make_alone(const lw_object *obj, lw_watch_event_type type, lw_form_budget *budget,
                            lw_object_form *out)
{
    lw_buf document;
    lw_object *opened = lw_compact_open_ref(obj);
    if (!opened)
        return LW_ERR_NOMEM;
    lw_str json = lw_object_json(opened);
    lw_buf_init(&document, LW_OBJECT_FORM_MAX);
    (void)lw_buf_reserve(&document, json.len + LW_OBJECT_FORM_SLACK);
    lw_status st = lw_proto_write_document(json, &document, NULL);
    if (st == LW_OK)
        st = keep(obj, type, lw_buf_view(&document), budget, out);
    lw_buf_done(&document);
    lw_object_unref(opened);
    return st;
}

lw_status lw_object_form_make(const lw_object *obj, lw_watch_event_type type,
                              lw_form_budget *budget, lw_form_maker *maker, lw_object_form *out)
{
    lw_str document;
    if (lw_object_form_find(obj, out))
        return LW_OK;
    if (!maker)
        return make_alone(obj, type, budget, out);
    lw_status st = lw_form_maker_encode(maker, obj, &document);
    return st < 0 ? st : keep(obj, type, document, budget, out);
}

lw_status lw_object_form_offer(const lw_object *obj, lw_watch_event_type type,
                               lw_form_budget *budget, lw_form_maker *maker, lw_object_form *out)
{
    if (lw_object_form_find(obj, out))
        return LW_OK;
    if (!lw_form_budget_has_room(budget, lw_object__body_len(obj)))
        return LW_ERR_UNAVAILABLE;
    return lw_object_form_make(obj, type, budget, maker, out);
}

static void object_release(void *owner)
{
    lw_object_unref(owner);
}

lw_bytes lw_object_part_take(lw_object *obj, lw_str part)
{
    return (lw_bytes){ part.ptr, part.len, object_release, obj };
}
