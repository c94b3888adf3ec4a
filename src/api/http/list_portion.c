/* SPDX-License-Identifier: Apache-2.0 */
/* list_portion.c -- portions of a list in JSON, YAML or CBOR. */
#include "api/http/list_stream.h"
#include "api/media/object_form.h"
#include "base/str.h"
#include "object/compact/compact.h"

/* Appends the pieces of the next item: "{" or ",{" and its bytes, whose reference moves into the
 * piece.  An object that was packed is open only for this reply, and counted for its user.  False:
 * there was no memory. */
static bool add_item(lw_list_stream *ls, lw_bytes *pieces, size_t *count)
{
    lw_object **slot = &ls->list.objects[ls->next];
    lw_str tail, comma = ls->next > 0 ? LW_STR(",{") : LW_STR("{");
    bool was_packed = lw_compact_is_packed(*slot);
    if (lw_compact_open(slot) < 0)
        return false;
    if (lw_list_writer_tail(&ls->writer, *slot, &tail)) {
        lw_bytes item = lw_object_part_take(*slot, tail);
        pieces[(*count)++] = lw_bytes_static(comma);
        pieces[(*count)++] =
            was_packed ? lw_held_bytes_charge_own(ls->held, ls->holder, item) : item;
        *slot = NULL;
    } else {
        lw_buf copy;
        lw_buf_init(&copy, LW_CALL_REPLY_MAX);
        if (ls->next > 0)
            lw_buf_append_char(&copy, ',');
        lw_list_writer_copy(&ls->writer, *slot, &copy);
        if (copy.st < 0) {
            lw_buf_done(&copy);
            return false;
        }
        pieces[(*count)++] = lw_buf_take_bytes(&copy);
    }
    ls->next++;
    return true;
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

/* One portion of shared items, with what the writer has to say before and after them. */
static lw_status send_shared(lw_list_stream *ls, size_t *sent)
{
    lw_bytes pieces[LW_LIST_PIECES];
    size_t count = 0, bytes = 0;
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    while (ls->next < ls->list.count && bytes < LW_LIST_PORTION && count + 3 <= LW_LIST_PIECES) {
        size_t before = count;
        if (!add_item(ls, pieces, &count)) {
            lw_list_portion_release(pieces, count);
            return LW_ERR_NOMEM;
        }
        for (size_t i = before; i < count; i++)
            bytes += pieces[i].len;
    }
    if (ls->next == ls->list.count) {
        lw_list_writer_end(&ls->writer);
        lw_buf_append_char(&ls->portion, '\n');
        if (lw_list_writer_status(&ls->writer) < 0) {
            lw_list_portion_release(pieces, count);
            return LW_ERR_NOMEM;
        }
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
        ls->is_ended = true;
    }
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
    return ls->is_shared ? send_shared(ls, sent) : send_written(ls, sent);
}
