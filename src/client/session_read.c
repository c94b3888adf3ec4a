/* SPDX-License-Identifier: Apache-2.0 */
/* session_read.c -- the reader of a list or a watch: from JSON, or from protobuf if that was asked
 * for and the server has it. */
#include "base/error.h"
#include "base/str.h"
#include "client/session_call.h"

static lw_status call_on_object(const lw_object *obj, void *arg, lw_error *err)
{
    lw_session_call *call = arg;
    (void)err;
    if (call->sink.on_object)
        call->sink.on_object(obj, call->sink.arg);
    return call->is_cancelled ? LW_ERR_STOPPED : LW_OK;
}

static lw_status call_on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    lw_session_call *call = arg;
    (void)err;
    if (call->sink.on_event)
        call->sink.on_event(event, call->sink.arg);
    return call->is_cancelled ? LW_ERR_STOPPED : LW_OK;
}

lw_status lw_session_call__make_reader(lw_session_call *call, bool is_protobuf, lw_error *err)
{
    lw_session_call__free_reader(call);
    if (call->request.kind == LW_SESSION_LIST) {
        const lw_list_reader_options options = { call->read, call_on_object, call };
        return is_protobuf ? lw_message_list_new(&call->list_messages, &options, err)
                           : lw_list_reader_new(&call->list_reader, &options, err);
    }
    if (call->request.kind == LW_SESSION_WATCH) {
        const lw_event_reader_options options = { call->read, call_on_event, call };
        return is_protobuf ? lw_message_events_new(&call->event_messages, &options, err)
                           : lw_event_reader_new(&call->event_reader, &options, err);
    }
    return LW_OK;
}

void lw_session_call__free_reader(lw_session_call *call)
{
    lw_list_reader_free(call->list_reader);
    lw_event_reader_free(call->event_reader);
    lw_message_list_free(call->list_messages);
    lw_message_events_free(call->event_messages);
    call->list_reader = NULL;
    call->event_reader = NULL;
    call->list_messages = NULL;
    call->event_messages = NULL;
}

static lw_status read_bytes(lw_session_call *call, const char *bytes, size_t len, lw_error *err)
{
    if (call->list_messages)
        return lw_message_list_feed(call->list_messages, bytes, len, err);
    if (call->event_messages)
        return lw_message_events_feed(call->event_messages, bytes, len, err);
    return call->list_reader ? lw_list_reader_feed(call->list_reader, bytes, len, err)
                             : lw_event_reader_feed(call->event_reader, bytes, len, err);
}

bool lw_session_call__feed(lw_session_call *call, const char *bytes, size_t len)
{
    lw_error err = LW_ERROR_INIT;
    call->is_calling = true;
    lw_status st = read_bytes(call, bytes, len, &err);
    call->is_calling = false;
    if (call->is_cancelled) {
        lw_session_call__free(call);
        return false;
    }
    if (st < 0) {
        lw_session_call__fail(call, &err);
        return false;
    }
    return true;
}

static lw_status finish_list(lw_session_call *call, const lw_list_metadata **metadata,
                             lw_error *err)
{
    lw_status st = call->list_messages ? lw_message_list_finish(call->list_messages, err)
                                       : lw_list_reader_finish(call->list_reader, err);
    if (st < 0)
        return st;
    *metadata = call->list_messages ? lw_message_list_metadata(call->list_messages)
                                    : lw_list_reader_metadata(call->list_reader);
    /* A Table has rows.  Even if one had items, it would not be a list of objects. */
    if (strcmp((*metadata)->kind, "Table") == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the server responded with a Table instead of a list");
    return LW_OK;
}

void lw_session_call__end_list(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    const lw_list_metadata *metadata = NULL;
    if (finish_list(call, &metadata, &err) < 0) {
        lw_session_call__fail(call, &err);
        return;
    }
    lw_source_sink sink = call->sink;
    lw_list_reader *reader = call->list_reader;
    lw_message_list *messages = call->list_messages;
    call->list_reader = NULL;
    call->list_messages = NULL;
    lw_session_call__free(call);
    if (sink.on_list_end)
        sink.on_list_end(metadata, sink.arg);
    lw_list_reader_free(reader);
    lw_message_list_free(messages);
}

void lw_session_call__end_watch(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = call->event_messages ? lw_message_events_finish(call->event_messages, &err)
                                        : lw_event_reader_finish(call->event_reader, &err);
    if (st == LW_ERR_SYNTAX)
        (void)lw_error_set(&err, LW_ERR_UNAVAILABLE,
                           "the connection was closed in the middle of a watch event");
    lw_session_call__fail(call, st < 0 ? &err : NULL);
}
