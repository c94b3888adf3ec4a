/* SPDX-License-Identifier: Apache-2.0 */
/* reply_list.c -- lists onto the wire, portion by portion.
 *
 * A small list is built whole and sent with its length.  Any other is streamed: as references to
 * the bytes that objects hold in JSON or keep in protobuf; other forms through a buffer that is
 * sent whenever it is full, and made only while the client takes data and its user has room for
 * held bytes.  So what a list costs in memory does not depend on how long it is.  Protobuf begins
 * with its length: such a list is gone through twice.
 *
 *     started ──▶ sending ──(client takes nothing)──▶ waiting for on_drained ──▶ sending ──▶ ended
 *                    ├──(enough for a turn)──▶ posted to the loop ───────────────▲
 *                    └──(user holds too much)──▶ waiting for room ───────────────┘
 *
 * Everything on the stream's loop.  The state is freed by whoever notices last that it is over: the
 * sender, the stream's closing, or the posted task. */
#include <assert.h>

#include "api/http/reply.h"
#include "api/media/forms_ahead.h"
#include "api/media/gzip.h"
#include "api/media/list_cbor.h"
#include "api/media/list_proto.h"
#include "api/media/list_writer.h"
#include "api/media/list_yaml.h"
#include "api/media/object_form.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"

enum {
    WHOLE_MAX = 64 * 1024,    /* bytes of objects; up to here the reply is built whole */
    PORTION = 128 * 1024,     /* bytes sent at a time */
    PIECES = 512,             /* pieces sent at a time */
    TURN_BYTES = 1024 * 1024, /* sent before others get their turn */
    LOOK_BYTES = 256,         /* what finding the size of an object counts as */
    AHEAD_AFTER = 32,         /* objects that a list encodes before others help */
};

typedef struct list_stream {
    lw_http_stream *stream;
    lw_loop *loop;
    lw_cache_list list;
    size_t next; /* the first object not sent yet */
    lw_list_writer writer;
    lw_list_proto proto;   /* instead of |writer|, if |is_proto| */
    lw_list_pieces pieces; /* instead of |writer|, if |convert_item| */
    size_t measured;       /* objects that |proto| knows the size of */
    size_t encoded;        /* of them; the others had been encoded before */
    lw_forms_ahead *ahead; /* of the API; NULL: the rest was offered to it, or is not worth it */
    lw_forms_run *run;     /* what encodes the objects from the last on; NULL: nothing does */
    lw_buf portion;        /* what the writer writes to */
    lw_gzip *gzip;         /* NULL: as it is */
    lw_registry *registry; /* held: has the custom kind that is listed; else NULL */
    lw_account account;    /* of the call */
    const lw_user *user;
    bool is_shared; /* items go out as the cache holds them */
    bool is_indented;
    bool is_proto;
    /* Of YAML and CBOR: appends an item; else NULL. */
    void (*convert_item)(lw_list_pieces *list, const lw_object *obj, lw_buf *out);
    bool is_ended;  /* the last byte has been written */
    bool is_busy;   /* in send_portions: whoever closes the stream leaves the state to it */
    bool is_posted; /* the task will run, unless |room| is cancelled */
    lw_task task;
    lw_held_bytes *held; /* of the API, which outlives the stream */
    lw_str holder;       /* the name of the user, for |held| */
    lw_held_waiter room;
} list_stream;

static void stream_free(list_stream *ls)
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
    lw_gzip_free(ls->gzip);
    lw_http_stream_unref(ls->stream);
    lw_registry_unref(ls->registry);
    lw_free(ls);
}

/* Appends the pieces of the next item: "{" or ",{" and its bytes, whose reference moves into the
 * piece.  An object that was packed is open only for this reply, and counted for its user.  False:
 * there was no memory. */
static bool add_item(list_stream *ls, lw_bytes *pieces, size_t *count)
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

static void release_pieces(const lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_bytes_release(pieces[i]);
}

/* Writes pieces, of which those that only this reply has are counted for its user. */
static lw_status write_pieces(list_stream *ls, lw_bytes *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ls->account.sent_bytes += pieces[i].len;
        pieces[i] = lw_held_bytes_charge(ls->held, ls->holder, pieces[i]);
    }
    return lw_http_write(ls->stream, pieces, count);
}

/* One portion of shared items, with what the writer has to say before and after them. */
static lw_status send_shared(list_stream *ls, size_t *sent)
{
    lw_bytes pieces[PIECES];
    size_t count = 0, bytes = 0;
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    while (ls->next < ls->list.count && bytes < PORTION && count + 3 <= PIECES) {
        size_t before = count;
        if (!add_item(ls, pieces, &count)) {
            release_pieces(pieces, count);
            return LW_ERR_NOMEM;
        }
        for (size_t i = before; i < count; i++)
            bytes += pieces[i].len;
    }
    if (ls->next == ls->list.count) {
        lw_list_writer_end(&ls->writer);
        lw_buf_append_char(&ls->portion, '\n');
        if (lw_list_writer_status(&ls->writer) < 0) {
            release_pieces(pieces, count);
            return LW_ERR_NOMEM;
        }
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
        ls->is_ended = true;
    }
    *sent += bytes;
    return write_pieces(ls, pieces, count);
}

static lw_status compress_portion(list_stream *ls)
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

/* Sends what was written, if |st| says that it was. */
static lw_status send_portion(list_stream *ls, lw_status st, size_t *sent)
{
    *sent += ls->portion.len;
    if (st == LW_OK && ls->gzip)
        st = compress_portion(ls);
    if (st < 0 || ls->portion.len == 0)
        return st;
    lw_bytes piece = lw_buf_take_bytes(&ls->portion);
    return write_pieces(ls, &piece, 1);
}

/* After enough objects without an encoding, others begin with the rest of them from the end. */
static void share_measuring(list_stream *ls)
{
    const lw_object *next = ls->list.objects[ls->measured];
    if (!ls->ahead || ls->encoded < AHEAD_AFTER || !lw_list_proto_keeps(&ls->proto, next))
        return;
    ls->run = lw_forms_ahead_start(ls->ahead, ls->list.objects + ls->measured,
                                   ls->list.count - ls->measured, ls->proto.budget);
    ls->ahead = NULL;
}

/* Measures some of the objects; after the last the list can begin. */
static lw_status measure_some(list_stream *ls, size_t *sent)
{
    for (size_t bytes = 0; ls->measured < ls->list.count && bytes < PORTION; ls->measured++) {
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
static lw_status send_proto(list_stream *ls, size_t *sent)
{
    lw_bytes pieces[PIECES];
    size_t count = 0, bytes = 0;
    if (ls->portion.len > 0)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    while (ls->next < ls->list.count && bytes < PORTION && count + 2 <= PIECES) {
        pieces[count] = lw_list_proto_take(&ls->proto, &ls->list.objects[ls->next++]);
        bytes += pieces[count++].len;
    }
    if (ls->next == ls->list.count) {
        lw_list_proto_end(&ls->proto, &ls->portion);
        ls->is_ended = true;
    }
    if (ls->proto.st < 0) {
        release_pieces(pieces, count);
        return ls->proto.st;
    }
    if (ls->is_ended)
        pieces[count++] = lw_buf_take_bytes(&ls->portion);
    *sent += bytes;
    return write_pieces(ls, pieces, count);
}

/* One portion in protobuf, to be compressed. */
static lw_status send_proto_copied(list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < PORTION) {
        lw_list_proto_item(&ls->proto, ls->list.objects[ls->next], &ls->portion);
        lw_object_unref(ls->list.objects[ls->next]);
        ls->list.objects[ls->next++] = NULL;
    }
    if (ls->next == ls->list.count) {
        lw_list_proto_end(&ls->proto, &ls->portion);
        ls->is_ended = true;
    }
    return send_portion(ls, ls->proto.st < 0 ? ls->proto.st : ls->portion.st, sent);
}

/* One portion through the writer. */
static lw_status send_written(list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < PORTION) {
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
    return send_portion(ls, lw_list_writer_status(&ls->writer), sent);
}

static lw_status send_converted(list_stream *ls, size_t *sent)
{
    while (ls->next < ls->list.count && ls->portion.len < PORTION && ls->pieces.st == LW_OK) {
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
    return send_portion(ls, ls->pieces.st < 0 ? ls->pieces.st : ls->portion.st, sent);
}

static lw_status send_one(list_stream *ls, size_t *sent)
{
    if (ls->is_proto && ls->measured < ls->list.count)
        return measure_some(ls, sent);
    if (ls->is_proto)
        return ls->gzip ? send_proto_copied(ls, sent) : send_proto(ls, sent);
    if (ls->convert_item)
        return send_converted(ls, sent);
    return ls->is_shared ? send_shared(ls, sent) : send_written(ls, sent);
}

/* Sends as much as the client takes and one turn allows. */
static void send_portions(list_stream *ls)
{
    size_t sent = 0;
    lw_status st = LW_OK;
    ls->is_busy = true;
    while (st == LW_OK && !ls->is_ended && sent < TURN_BYTES && lw_http_wants_more(ls->stream) &&
           lw_held_bytes_has_room(ls->held, ls->holder))
        st = send_one(ls, &sent);
    if (st < 0)
        lw_http_abort(ls->stream);
    else if (ls->is_ended)
        lw_http_end(ls->stream);
    if (ls->is_ended)
        lw_cache_list_done(&ls->list);
    ls->is_busy = false;
    if (ls->stream->is_closed) {
        if (!ls->is_posted)
            stream_free(ls);
    } else if (st == LW_OK && !ls->is_ended && lw_http_wants_more(ls->stream)) {
        ls->is_posted = true;
        /* Deferring would go on within this turn. */
        if (!lw_held_bytes_wait(ls->held, &ls->room, ls->holder, ls->loop, &ls->task))
            lw_loop_post(ls->loop, &ls->task);
    }
}

static void run_posted(lw_task *task)
{
    list_stream *ls = LW_DLIST_ITEM(&task->link, list_stream, task.link);
    ls->is_posted = false;
    if (ls->stream->is_closed)
        stream_free(ls);
    else
        send_portions(ls);
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    list_stream *ls = arg;
    (void)stream;
    if (!ls->is_posted && !ls->is_busy && !ls->is_ended)
        send_portions(ls);
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    list_stream *ls = arg;
    /* A posted task may run after the port is gone. */
    lw_account_end(&ls->account, stream, ls->user);
    if (ls->is_posted && lw_held_bytes_cancel(ls->held, &ls->room))
        ls->is_posted = false;
    if (!ls->is_posted && !ls->is_busy)
        stream_free(ls);
}

/* Bytes of the objects together, counted no further than to |enough|. */
static size_t count_bytes(const lw_cache_list *list, size_t enough)
{
    size_t bytes = 0;
    for (size_t i = 0; i < list->count && bytes <= enough; i++)
        bytes += lw_object__body_len(list->objects[i]);
    return bytes;
}

static void reply_whole(lw_api_call *call, lw_cache_list *list, const lw_table_form *form,
                        const lw_api_list_metadata *metadata)
{
    lw_list_writer writer;
    lw_buf json;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_status st = lw_list_writer_init(&writer, call->route.kind, call->media.as, form, metadata,
                                       &json, LW_JSON_COMPACT);
    if (st == LW_OK) {
        lw_list_writer_begin(&writer);
        for (size_t i = 0; i < list->count && st == LW_OK; i++) {
            st = lw_compact_open(&list->objects[i]);
            if (st == LW_OK)
                lw_list_writer_item(&writer, list->objects[i]);
        }
        lw_list_writer_end(&writer);
        if (st == LW_OK)
            st = lw_list_writer_status(&writer);
    }
    lw_list_writer_done(&writer);
    lw_cache_list_done(list);
    if (st < 0 && json.st == LW_OK)
        json.st = st;
    lw_call_reply_json(call, 200, &json);
}

static void reply_whole_proto(lw_api_call *call, lw_cache_list *list, const lw_table_form *form,
                              const lw_api_list_metadata *metadata)
{
    lw_list_proto proto;
    lw_buf body;
    lw_buf_init(&body, LW_CALL_REPLY_MAX);
    lw_status st = lw_list_proto_init(&proto, call->route.kind, call->media.as, form->api_version,
                                      metadata, call->api->forms);
    if (st == LW_OK)
        st = lw_list_proto_whole(&proto, list->objects, list->count, &body);
    lw_list_proto_done(&proto);
    lw_cache_list_done(list);
    if (st < 0) {
        lw_buf_done(&body);
        lw_reply_failure(call, st);
        return;
    }
    const lw_api_reply_head head = { .code = 200,
                                     .content_type = lw_reply_content_type(&call->media) };
    lw_reply_send_buf(call, &head, &body);
}

/* Makes the writer of the form that is wanted; one of JSON has begun then. */
static lw_status writer_init(list_stream *ls, const lw_api_call *call, const lw_table_form *form,
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
static lw_status measure_first(list_stream *ls)
{
    lw_status st = LW_OK;
    for (size_t bytes = 0; st == LW_OK && ls->measured < ls->list.count && bytes < TURN_BYTES;)
        st = measure_some(ls, &bytes);
    return st;
}

/* The state of a streamed reply, with the beginning of the document in its buffer; takes |list|. */
static lw_status stream_new(list_stream **out, lw_api_call *call, lw_cache_list *list,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            bool is_gzip)
{
    list_stream *ls = lw_alloc_zero(1, sizeof(*ls));
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
    ls->is_shared = call->media.as == LW_MEDIA_AS_IS && !call->media.is_pretty && !is_gzip;
    ls->task.run = run_posted;
    lw_buf_init(&ls->portion, LW_CALL_REPLY_MAX);
    lw_status st = writer_init(ls, call, form, metadata);
    if (st == LW_OK && is_gzip)
        st = lw_gzip_new(&ls->gzip);
    if (st == LW_OK && ls->is_proto)
        st = measure_first(ls);
    if (st < 0)
        stream_free(ls);
    else
        *out = ls;
    return st;
}

static void reply_streamed(lw_api_call *call, lw_cache_list *list, const lw_table_form *form,
                           const lw_api_list_metadata *metadata)
{
    list_stream *ls = NULL;
    bool is_gzip =
        call->media.takes_gzip && count_bytes(list, LW_REPLY_GZIP_MIN) > LW_REPLY_GZIP_MIN;
    lw_status st = stream_new(&ls, call, list, form, metadata, is_gzip);
    if (st < 0) {
        lw_reply_failure(call, st);
        return;
    }
    lw_api_reply_head head = { .code = 200,
                               .content_type = lw_reply_content_type(&call->media),
                               .is_gzip = is_gzip };
    st = lw_reply_begin(call, &head);
    ls->user = call->user;
    lw_account_move(&ls->account, &call->account);
    lw_call_free(call);
    if (st < 0) {
        lw_http_abort(ls->stream);
        stream_free(ls);
        return;
    }
    ls->stream->on_drained = on_drained;
    ls->stream->on_closed = on_closed;
    ls->stream->arg = ls;
    send_portions(ls);
}

void lw_call_reply_list(lw_api_call *call, lw_cache_list *list, lw_str continue_token,
                        int64_t remaining)
{
    const lw_api_list_metadata metadata = { list->revision, continue_token, remaining };
    lw_table_form form = { .api_version = lw_reply_meta_version(&call->media) };
    if (call->media.as == LW_MEDIA_TABLE && !lw_reply_table_form(call, &form)) {
        lw_cache_list_done(list);
        return;
    }
    if (count_bytes(list, WHOLE_MAX) > WHOLE_MAX)
        reply_streamed(call, list, &form, &metadata);
    else if (call->media.format == LW_MEDIA_PROTOBUF)
        reply_whole_proto(call, list, &form, &metadata);
    else
        reply_whole(call, list, &form, &metadata);
}
