/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_stream.c -- one gRPC call on a connection.
 *
 * The owner may reset the stream in any callback and free its memory; code that continues after a
 * callback first checks a flag on its own stack. */
#include "etcd/grpc_stream.h"

#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

enum {
    /* Bytes in flight when a stream is paused: its window, and one piece that is being received. */
    HELD_MAX = 2 * LW_H2_CLIENT_WINDOW,
};

static void forget(lw_grpc_stream *stream)
{
    stream->h2 = NULL;
    if (stream->is_gone)
        *stream->is_gone = true;
    stream->is_gone = NULL;
    lw_grpc_frames_done(&stream->frames);
    lw_buf_done(&stream->held);
}

void lw_grpc_reset(lw_grpc_stream *stream)
{
    if (!stream->h2)
        return;
    lw_h2_call_reset(stream->h2);
    forget(stream);
}

/* Reports the end; the stream is closed before. */
static void report_end(lw_grpc_stream *stream, lw_status st, const char *message, bool is_unseen)
{
    const lw_grpc_status status = stream->status;
    const lw_grpc_end end = { st, status.code, message ? message : status.message, is_unseen };
    forget(stream);
    stream->sink->on_end(stream, &end);
}

/* Ends the stream because of invalid data. */
static void give_up(lw_grpc_stream *stream, const lw_error *err)
{
    lw_h2_call_reset(stream->h2);
    report_end(stream, err->code, err->message, false);
}

/* Reports the messages in |*input| until it is consumed, paused or reset; true if the stream still
 * exists. */
static bool deliver_messages(lw_grpc_stream *stream, lw_str *input)
{
    bool is_gone = false;
    lw_error err = LW_ERROR_INIT;
    lw_str message;
    stream->is_gone = &is_gone;
    while (!stream->is_paused) {
        int got = lw_grpc_frames_next(&stream->frames, input, &message, &err);
        if (got == 0)
            break;
        if (got < 0) {
            give_up(stream, &err);
            return false;
        }
        stream->sink->on_message(stream, message);
        if (is_gone)
            return false;
    }
    stream->is_gone = NULL;
    return true;
}

static void hold(lw_grpc_stream *stream, lw_str input)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf_append_str(&stream->held, input);
    if (stream->held.st == LW_OK)
        return;
    lw_error_set(&err, stream->held.st, "sent more data than the flow-control window allows");
    give_up(stream, &err);
}

static bool is_refused(const lw_grpc_stream *stream)
{
    return stream->status.http_status != 200 || !stream->status.is_grpc;
}

static void on_head(lw_h2_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    lw_grpc_stream *stream = arg;
    (void)call;
    stream->is_heard = true;
    ++*stream->activity;
    lw_grpc_status_head(&stream->status, status, headers, count);
}

static void on_data(lw_h2_call *call, const char *bytes, size_t len, void *arg)
{
    lw_grpc_stream *stream = arg;
    lw_str input = lw_str_make(bytes, len);
    (void)call;
    ++*stream->activity;
    if (is_refused(stream))
        return; /* for example a proxy's error page; on_server_end reports it */
    if (stream->is_paused || stream->held.len > 0) {
        hold(stream, input);
        return;
    }
    if (deliver_messages(stream, &input) && input.len > 0)
        hold(stream, input);
}

static void on_trailers(lw_h2_call *call, const lw_http_header *headers, size_t count, void *arg)
{
    lw_grpc_stream *stream = arg;
    (void)call;
    lw_grpc_status_trailers(&stream->status, headers, count);
}

/* Maps an HTTP status to an error, as gRPC specifies. */
static lw_status http_meaning(int status)
{
    switch (status) {
    case 401: return LW_ERR_UNAUTHORIZED;
    case 403: return LW_ERR_FORBIDDEN;
    case 429:
    case 502:
    case 503:
    case 504: return LW_ERR_UNAVAILABLE;
    default: return LW_ERR_INTERNAL;
    }
}

/* The server has ended the stream: checks for a valid gRPC status. */
static void on_server_end(lw_grpc_stream *stream)
{
    char message[LW_GRPC_MESSAGE_SIZE + 64];
    const lw_grpc_status *status = &stream->status;
    if (status->http_status != 200) {
        (void)snprintf(
            message, sizeof(message),
            "replied with HTTP status %d instead of gRPC; check that this is etcd's client port",
            status->http_status);
        report_end(stream, http_meaning(status->http_status), message, false);
    } else if (!status->is_grpc) {
        report_end(stream, LW_ERR_INTERNAL,
                   "the reply is not gRPC; check that this is etcd's client port", false);
    } else if (status->code == LW_GRPC_NONE) {
        report_end(stream, LW_ERR_INTERNAL, "the reply ended without a gRPC status", false);
    } else if (status->code == LW_GRPC_OK && !lw_grpc_frames_is_between(&stream->frames)) {
        report_end(stream, LW_ERR_INTERNAL, "the reply ended in the middle of a message", false);
    } else {
        report_end(stream, LW_OK, NULL, false);
    }
}

static void on_close(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg)
{
    lw_grpc_stream *stream = arg;
    (void)call;
    if (!err) {
        on_server_end(stream);
    } else {
        /* Except for our own lack of memory, another member may be able to answer. */
        lw_status st = err->code == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_UNAVAILABLE;
        report_end(stream, st, err->message, is_unseen);
    }
}

lw_status lw_grpc_open(lw_grpc_stream *stream, lw_h2_client *client, lw_str path,
                       const lw_http_header *headers, size_t count, size_t message_max,
                       const lw_grpc_sink *sink, uint64_t *activity)
{
    const lw_h2_call_sink h2_sink = { on_head, on_data, on_trailers, NULL, on_close, stream };
    *stream = (lw_grpc_stream){ .sink = sink, .activity = activity };
    lw_grpc_frames_init(&stream->frames, message_max);
    lw_grpc_status_init(&stream->status);
    lw_buf_init(&stream->held, HELD_MAX);
    lw_status st =
        lw_h2_call_open(&stream->h2, client, LW_STR("POST"), path, headers, count, &h2_sink);
    if (st < 0)
        stream->h2 = NULL;
    return st;
}

lw_status lw_grpc_send(lw_grpc_stream *stream, lw_bytes frame, bool is_last)
{
    return lw_h2_call_send(stream->h2, frame, is_last);
}

void lw_grpc_set_paused(lw_grpc_stream *stream, bool is_paused)
{
    stream->is_paused = is_paused;
    if (stream->h2)
        lw_h2_call_set_paused(stream->h2, is_paused);
}

void lw_grpc_pump(lw_grpc_stream *stream)
{
    if (!stream->h2 || stream->is_paused || stream->held.len == 0)
        return;
    lw_buf taken = stream->held;
    lw_str input = lw_buf_view(&taken);
    lw_buf_init(&stream->held, HELD_MAX);
    if (deliver_messages(stream, &input) && input.len > 0)
        hold(stream, input);
    lw_buf_done(&taken);
}
