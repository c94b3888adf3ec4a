/* SPDX-License-Identifier: Apache-2.0 */
/* list_portion.c -- portions of a list in JSON, YAML or CBOR. */
#include "api/http/list_stream.h"
#include "api/media/object_form.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"

enum {
    ITEM_MORE = 2,          /* bytes of a list that each item needs besides its own */
    PIECES_MORE = 4,        /* pieces that an item and the end of a portion need */
    COPIED_MAX = 16 * 1024, /* bytes of an open object that are copied to go out with others */
};

/* Appends the next item, a copy of it, to the buffer. */
static lw_status copy_item(lw_list_stream *ls)
{
    if (ls->next > 0)
        lw_buf_append_char(&ls->portion, ',');
    lw_list_writer_copy(&ls->writer, ls->list.objects[ls->next], &ls->portion);
    return ls->portion.st;
}

/* Reserves space for the packed objects of a portion that has |bytes| already, so that the buffer
 * does not grow while they are appended. */
static lw_status reserve_items(lw_list_stream *ls, size_t bytes)
{
    size_t wanted = LW_COMPACT_APPEND_SLACK;
    for (size_t i = ls->next; i < ls->list.count && bytes < LW_LIST_PORTION; i++) {
        size_t len = lw_object__body_len(ls->list.objects[i]) + ITEM_MORE;
        wanted += len;
        bytes += len;
    }
    return lw_buf_reserve(&ls->portion, wanted);
}

/* Appends the next item, which is packed, to the buffer. */
static lw_status unpack_item(lw_list_stream *ls)
{
    lw_object **slot = &ls->list.objects[ls->next];
    bool is_done = false;
    if (!ls->reader && !(ls->reader = lw_compact_reader_new()))
        return LW_ERR_NOMEM;
    const size_t before = ls->portion.len;
    if (ls->next > 0)
        lw_buf_append_char(&ls->portion, ',');
    lw_status st = lw_list_writer_unpack(&ls->writer, ls->reader, *slot, &ls->portion, &is_done);
    if (st < 0 || is_done)
        return st;
    lw_buf_truncate(&ls->portion, before);
    st = lw_compact_open(slot);
    return st < 0 ? st : copy_item(ls);
}

/* Appends the pieces of the next item: "{" or ",{" and its bytes, whose reference moves into the
 * piece. */
static lw_status share_item(lw_list_stream *ls, lw_bytes *pieces, size_t *count)
{
    lw_object **slot = &ls->list.objects[ls->next];
    lw_str tail, comma = ls->next > 0 ? LW_STR(",{") : LW_STR("{");
    if (!lw_list_writer_tail(&ls->writer, *slot, &tail))
        return copy_item(ls);
    pieces[(*count)++] = lw_bytes_static(comma);
    pieces[(*count)++] = lw_object_part_take(*slot, tail);
    *slot = NULL;
    return LW_OK;
}

void lw_list_portion_release(const lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_bytes_release(pieces[i]);
}

lw_status lw_list_portion_write(lw_list_stream *ls, lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ls->account.sent_bytes += pieces[i].len;
        pieces[i] = lw_held_bytes_charge(ls->held, ls->holder, pieces[i]);
    }
    return lw_http_write(ls->stream, pieces, count);
}

/* Adds items to the portion until it has enough bytes.  Items of open objects are shared, up to the
 * first that has to be written to the buffer; after it, those that are small are written there as
 * well, and a large one waits for the next portion. */
static lw_status add_items(lw_list_stream *ls, lw_bytes *pieces, size_t *count, size_t *bytes)
{
    const size_t shared_max = LW_LIST_PIECES - PIECES_MORE;
    lw_status st = LW_OK;
    while (st == LW_OK && ls->next < ls->list.count && *bytes < LW_LIST_PORTION &&
           *count <= shared_max) {
        const lw_object *obj = ls->list.objects[ls->next];
        const size_t before = ls->portion.len, pieces_before = *count;
        const bool is_packed = lw_compact_is_packed(obj);
        if (before > 0 && !is_packed && lw_object__body_len(obj) > COPIED_MAX)
            break;
        if (is_packed && before == 0)
            st = reserve_items(ls, *bytes);
        if (st == LW_OK)
            st = is_packed    ? unpack_item(ls)
                 : before > 0 ? copy_item(ls)
                              : share_item(ls, pieces, count);
        *bytes += ls->portion.len - before;
        for (size_t i = pieces_before; i < *count; i++)
            *bytes += pieces[i].len;
        lw_object_unref(ls->list.objects[ls->next]);
        ls->list.objects[ls->next++] = NULL;
    }
    return st;
}

/* One portion of items as they are stored, with what the writer has to say before and after
 * them. */
static lw_status send_stored(lw_list_stream *ls, size_t *sent)
{
    lw_bytes pieces[LW_LIST_PIECES];
    size_t count = 0, bytes = 0;
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    lw_status st = add_items(ls, pieces, &count, &bytes);
    if (st == LW_OK && ls->next == ls->list.count) {
        lw_list_writer_end(&ls->writer);
        lw_buf_append_char(&ls->portion, '\n');
        st = lw_list_writer_status(&ls->writer);
        ls->is_ended = st == LW_OK;
    }
    if (st < 0) {
        lw_list_portion_release(pieces, count);
        return st;
    }
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    *sent += bytes;
    return lw_list_portion_write(ls, pieces, count);
}

static lw_status compress_portion(lw_list_stream *ls)
{
    lw_buf small;
    lw_buf_init(&small, LW_CALL_REPLY_MAX);
    lw_status st = lw_gzip_feed(ls->gzip, lw_buf_view(&ls->portion), ls->is_ended, &small);
    if (st < 0) {
        lw_buf_done(&small);
        return st;
    }
    lw_buf_done(&ls->portion);
    ls->portion = small;
    return LW_OK;
}

lw_status lw_list_portion_flush(lw_list_stream *ls, lw_status st, size_t *sent)
{
    *sent += ls->portion.len;
    if (st == LW_OK && ls->gzip)
        st = compress_portion(ls);
    if (st < 0 || ls->portion.len == 0)
        return st;
    lw_bytes piece = lw_buf_take_bytes(&ls->portion);
    return lw_list_portion_write(ls, &piece, 1);
}

/* One portion through the writer. */
static lw_status send_written(lw_list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < LW_LIST_PORTION) {
        if (lw_compact_open(&ls->list.objects[ls->next]) < 0)
            return LW_ERR_NOMEM;
        lw_list_writer_item(&ls->writer, ls->list.objects[ls->next]);
        lw_object_unref(ls->list.objects[ls->next]);
        ls->list.objects[ls->next++] = NULL;
    }
    if (ls->next == ls->list.count) {
        lw_list_writer_end(&ls->writer);
        if (!ls->is_indented)
            lw_buf_append_char(&ls->portion, '\n');
        ls->is_ended = true;
    }
    return lw_list_portion_flush(ls, lw_list_writer_status(&ls->writer), sent);
}

static lw_status send_converted(lw_list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < LW_LIST_PORTION &&
           ls->pieces.st == LW_OK) {
        if (lw_compact_open(&ls->list.objects[ls->next]) < 0)
            return LW_ERR_NOMEM;
        ls->convert_item(&ls->pieces, ls->list.objects[ls->next], &ls->portion);
        lw_object_unref(ls->list.objects[ls->next]);
        ls->list.objects[ls->next++] = NULL;
    }
    if (ls->next == ls->list.count) {
        lw_list_pieces_end(&ls->pieces, &ls->portion);
        ls->is_ended = true;
    }
    return lw_list_portion_flush(ls, ls->pieces.st < 0 ? ls->pieces.st : ls->portion.st, sent);
}

lw_status lw_list_portion_send(lw_list_stream *ls, size_t *sent)
{
    if (ls->is_proto && ls->measured < ls->list.count)
        return lw_list_portion_measure(ls, sent);
    if (ls->is_proto)
        return lw_list_portion_send_proto(ls, sent);
    if (ls->convert_item)
        return send_converted(ls, sent);
    return ls->is_stored ? send_stored(ls, sent) : send_written(ls, sent);
}
