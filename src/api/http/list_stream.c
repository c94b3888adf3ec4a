/* SPDX-License-Identifier: Apache-2.0 */
/* list_stream.c -- when portions of a list are sent, and the life of its state. */
#include "api/http/list_stream.h"

#include "api/media/list_cbor.h"
#include "api/media/list_yaml.h"
#include "base/alloc.h"

void lw_list_stream_free(lw_list_stream *ls)
{
    lw_account_end(&ls->account, ls->stream, ls->user);
    lw_cache_list_done(&ls->list);
    lw_forms_run_stop(ls->run);
    if (ls->is_proto)
        lw_list_proto_done(&ls->proto);
    else if (ls->convert_item)
        lw_list_pieces_done(&ls->pieces);
    else
        lw_list_writer_done(&ls->writer);
    lw_buf_done(&ls->portion);
    lw_compact_reader_free(ls->reader);
    lw_gzip_free(ls->gzip);
    lw_http_stream_unref(ls->stream);
    lw_registry_unref(ls->registry);
    lw_free(ls);
}

/* Sends as much as the client takes and one turn allows. */
static void send_portions(lw_list_stream *ls)
{
    size_t sent = 0;
    lw_status st = LW_OK;
    ls->is_busy = true;
    while (st == LW_OK && !ls->is_ended && sent < LW_LIST_TURN_BYTES &&
           lw_http_wants_more(ls->stream) && lw_held_bytes_has_room(ls->held, ls->holder))
        st = lw_list_portion_send(ls, &sent);
    lw_compact_reader_free(ls->reader); /* a list that waits holds no more than its objects */
    ls->reader = NULL;
    if (st < 0)
        lw_http_abort(ls->stream);
    else if (ls->is_ended)
        lw_http_end(ls->stream);
    if (ls->is_ended)
        lw_cache_list_done(&ls->list);
    ls->is_busy = false;
    if (ls->stream->is_closed) {
        if (!ls->is_posted)
            lw_list_stream_free(ls);
    } else if (st == LW_OK && !ls->is_ended && lw_http_wants_more(ls->stream)) {
        ls->is_posted = true;
        /* Deferring would go on within this turn. */
        if (!lw_held_bytes_wait(ls->held, &ls->room, ls->holder, ls->loop, &ls->task))
            lw_loop_post(ls->loop, &ls->task);
    }
}

static void run_posted(lw_task *task)
{
    lw_list_stream *ls = LW_DLIST_ITEM(&task->link, lw_list_stream, task.link);
    ls->is_posted = false;
    if (ls->stream->is_closed)
        lw_list_stream_free(ls);
    else
        send_portions(ls);
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    lw_list_stream *ls = arg;
    (void)stream;
    if (!ls->is_posted && !ls->is_busy && !ls->is_ended)
        send_portions(ls);
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    lw_list_stream *ls = arg;
    /* A posted task may run after the port is gone. */
    lw_account_end(&ls->account, stream, ls->user);
    if (ls->is_posted && lw_held_bytes_cancel(ls->held, &ls->room))
        ls->is_posted = false;
    if (!ls->is_posted && !ls->is_busy)
        lw_list_stream_free(ls);
}

/* Makes the writer of the form that is wanted; one of JSON has begun then. */
static lw_status writer_init(lw_list_stream *ls, const lw_api_call *call, const lw_table_form *form,
                             const lw_api_list_metadata *metadata)
{
    ls->is_proto = call->media.format == LW_MEDIA_PROTOBUF;
    if (ls->is_proto)
        return lw_list_proto_init(&ls->proto, call->route.kind, call->media.as, form->api_version,
                                  metadata, call->api->forms);
    if (call->media.format == LW_MEDIA_YAML) {
        ls->convert_item = lw_list_yaml_item;
        return lw_list_yaml_init(&ls->pieces, call->route.kind, call->media.as, form, metadata,
                                 &ls->portion);
    }
    if (call->media.format == LW_MEDIA_CBOR) {
        ls->convert_item = lw_list_cbor_item;
        return lw_list_cbor_init(&ls->pieces, call->route.kind, call->media.as, form, metadata,
                                 &ls->portion);
    }
    lw_status st =
        lw_list_writer_init(&ls->writer, call->route.kind, call->media.as, form, metadata,
                            &ls->portion, ls->is_indented ? LW_JSON_INDENTED : LW_JSON_COMPACT);
    if (st < 0)
        return st;
    lw_list_writer_begin(&ls->writer);
    return lw_list_writer_status(&ls->writer);
}

/* Measures what one turn allows: as long as nothing is sent, a failure can still be told. */
static lw_status measure_first(lw_list_stream *ls)
{
    lw_status st = LW_OK;
    for (size_t bytes = 0;
         st == LW_OK && ls->measured < ls->list.count && bytes < LW_LIST_TURN_BYTES;)
        st = lw_list_portion_measure(ls, &bytes);
    return st;
}

lw_status lw_list_stream_new(lw_list_stream **out, const lw_api_call *call, lw_cache_list *list,
                             const lw_table_form *form, const lw_api_list_metadata *metadata,
                             bool is_gzip)
{
    lw_list_stream *ls = lw_alloc_zero(1, sizeof(*ls));
    if (!ls) {
        lw_cache_list_done(list);
        return LW_ERR_NOMEM;
    }
    ls->list = *list;
    ls->stream = lw_http_stream_ref(call->stream);
    ls->loop = call->stream->loop;
    ls->registry = call->registry ? lw_registry_ref(call->registry) : NULL;
    ls->held = call->api->held;
    ls->ahead = call->api->ahead;
    ls->holder = call->user ? call->user->name : lw_str_make(NULL, 0);
    ls->is_indented = call->media.is_pretty;
    ls->is_stored = call->media.as == LW_MEDIA_AS_IS && !call->media.is_pretty && !is_gzip;
    ls->task.run = run_posted;
    lw_buf_init(&ls->portion, LW_CALL_REPLY_MAX);
    lw_status st = writer_init(ls, call, form, metadata);
    if (st == LW_OK && is_gzip)
        st = lw_gzip_new(&ls->gzip);
    if (st == LW_OK && ls->is_proto)
        st = measure_first(ls);
    if (st < 0)
        lw_list_stream_free(ls);
    else
        *out = ls;
    return st;
}

void lw_list_stream_start(lw_list_stream *ls)
{
    ls->stream->on_drained = on_drained;
    ls->stream->on_closed = on_closed;
    ls->stream->arg = ls;
    send_portions(ls);
}
