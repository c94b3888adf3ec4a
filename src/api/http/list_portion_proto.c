/* SPDX-License-Identifier: Apache-2.0 */
/* list_portion_proto.c -- portions of a list in protobuf: each object is measured, and encoded if
 * it was not yet, before the first byte is sent. */
#include "api/http/list_stream.h"
#include "object/object.h"

enum {
    LOOK_BYTES = 256, /* what finding the size of an object counts as */
    AHEAD_AFTER = 32, /* objects that a list encodes before others help */
};

/* After enough objects without an encoding, others begin with the rest of them from the end. */
static void share_measuring(lw_list_stream *ls)
{
    const lw_object *next = ls->list.objects[ls->measured];
    if (!ls->ahead || ls->encoded < AHEAD_AFTER || !lw_list_proto_keeps(&ls->proto, next))
        return;
    ls->run = lw_forms_ahead_start(ls->ahead, ls->list.objects + ls->measured,
                                   ls->list.count - ls->measured, ls->proto.budget);
    ls->ahead = NULL;
}

lw_status lw_list_portion_measure(lw_list_stream *ls, size_t *sent)
{
    for (size_t bytes = 0; ls->measured < ls->list.count && bytes < LW_LIST_PORTION;
         ls->measured++) {
        const lw_object *obj = ls->list.objects[ls->measured];
        bool is_encoded = lw_list_proto_measure(&ls->proto, obj);
        size_t cost = is_encoded ? lw_object__body_len(obj) : LOOK_BYTES;
        ls->encoded += is_encoded;
        bytes += cost;
        *sent += cost;
    }
    if (ls->measured < ls->list.count) {
        share_measuring(ls);
        return ls->proto.st;
    }
    lw_forms_run_stop(ls->run);
    ls->run = NULL;
    lw_list_proto_begin(&ls->proto, &ls->portion);
    return ls->proto.st < 0 ? ls->proto.st : ls->portion.st;
}

/* One portion in protobuf, of the bytes that are kept with the objects. */
static lw_status send_kept(lw_list_stream *ls, size_t *sent)
{
    lw_bytes pieces[LW_LIST_PIECES];
    size_t count = 0, bytes = 0;
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    while (ls->next < ls->list.count && bytes < LW_LIST_PORTION && count + 2 <= LW_LIST_PIECES) {
        pieces[count] = lw_list_proto_take(&ls->proto, &ls->list.objects[ls->next++]);
        bytes += pieces[count++].len;
    }
    if (ls->next == ls->list.count) {
        lw_list_proto_end(&ls->proto, &ls->portion);
        ls->is_ended = true;
    }
    if (ls->proto.st < 0) {
        lw_list_portion_release(pieces, count);
        return ls->proto.st;
    }
    if (ls->is_ended)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    *sent += bytes;
    return lw_list_portion_write(ls, pieces, count);
}

/* One portion in protobuf, to be compressed. */
static lw_status send_copied(lw_list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < LW_LIST_PORTION) {
        lw_list_proto_item(&ls->proto, ls->list.objects[ls->next], &ls->portion);
        lw_object_unref(ls->list.objects[ls->next]);
        ls->list.objects[ls->next++] = NULL;
    }
    if (ls->next == ls->list.count) {
        lw_list_proto_end(&ls->proto, &ls->portion);
        ls->is_ended = true;
    }
    return lw_list_portion_flush(ls, ls->proto.st < 0 ? ls->proto.st : ls->portion.st, sent);
}

lw_status lw_list_portion_send_proto(lw_list_stream *ls, size_t *sent)
{
    return ls->gzip ? send_copied(ls, sent) : send_kept(ls, sent);
}
