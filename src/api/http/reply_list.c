/* SPDX-License-Identifier: Apache-2.0 */
/* reply_list.c -- lists onto the wire.  A small list is built whole and sent with its length; any
 * other is streamed (list_stream.h). */
#include "api/http/list_stream.h"
#include "api/http/reply.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"

enum {
    WHOLE_MAX = 64 * 1024, /* bytes of objects; up to here the reply is built whole */
};

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

static void reply_streamed(lw_api_call *call, lw_cache_list *list, const lw_table_form *form,
                           const lw_api_list_metadata *metadata)
{
    lw_list_stream *ls = NULL;
    bool is_gzip =
        call->media.takes_gzip && count_bytes(list, LW_REPLY_GZIP_MIN) > LW_REPLY_GZIP_MIN;
    lw_status st = lw_list_stream_new(&ls, call, list, form, metadata, is_gzip);
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
        lw_list_stream_free(ls);
        return;
    }
    lw_list_stream_start(ls);
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
