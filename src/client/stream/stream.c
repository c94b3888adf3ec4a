/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c -- a stream from its beginning to its end: reads frames, and hands out what the channels
 * carry. */
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "base/sync.h"
#include "client/async_internal.h"
#include "client/call.h"
#include "client/stream/stream_internal.h"

enum {
    READS_MAX = 16,      /* reads of one turn, so that other transfers have theirs */
    CHANNEL_STATUS = 3,  /* of exec and attach */
    CHANNEL_ERROR = 1,   /* of a forward */
    CLOSE_NORMAL = 1000, /* RFC 6455, 7.4.1 */
    CLOSE_PROTOCOL = 1002,
};

/* Life cycle. */

static void on_session_end(lw_session_stream *link, const lw_error *err)
{
    lw_stream *stream = LW_CONTAINER_OF(link, lw_stream, link);
    if (err)
        lw_stream__end(stream, err, 0);
    else
        lw_stream__free(stream);
}

lw_status lw_stream__new(lw_stream **out, lw_session *session, const char *action, const char *ns,
                         const char *pod, const lw_stream_options *options, lw_error *err)
{
    lw_stream_options o = LW_STREAM_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_stream_options", err);
    if (st == LW_OK)
        st = lw_client__check_cancelled(session->client, err);
    if (st < 0)
        return st;
    lw_stream *stream = lw_alloc_zero(1, sizeof(*stream));
    if (!stream)
        return lw_error_nomem(err);
    stream->link.end = on_session_end;
    stream->session = session;
    stream->options = o;
    stream->channel = -1;
    stream->started_ns = lw_clock_now(session->client->clock);
    lw_buf_init(&stream->out, 2 * LW_STREAM_INPUT_MAX + 2 * LW_STREAM_CONTROL_ROOM);
    lw_buf_init(&stream->status, LW_STREAM_STATUS_MAX);
    (void)snprintf(stream->what, sizeof(stream->what), "%s pod %s/%s", action, ns ? ns : "", pod);
    stream->in = lw_alloc(LW_STREAM_READ_SIZE);
    if (!stream->in) {
        lw_stream__free(stream);
        return lw_error_nomem(err);
    }
    *out = stream;
    return LW_OK;
}

void lw_stream__free(lw_stream *stream)
{
    if (!stream)
        return;
    if (lw_dlist_node_is_linked(&stream->link.node)) {
        lw_dlist_remove(&stream->link.node);
        stream->session->stream_count--;
    }
    lw_transfer_cancel(stream->tunnel);
    lw_stream_pump_free(stream->pump);
    lw_websocket_reply_done(&stream->reply);
    lw_buf_done(&stream->out);
    lw_buf_done(&stream->status);
    lw_free(stream->in);
    lw_free(stream->target);
    lw_free(stream);
}

void lw_stream__end(lw_stream *stream, const lw_error *err, int exit_code)
{
    lw_error copy = err ? *err : (lw_error)LW_ERROR_INIT;
    const lw_stream_result result = { err ? err->code : LW_OK, err ? &copy : NULL, exit_code };
    void (*on_end)(const lw_stream_result *, void *) = stream->options.on_end;
    void *arg = stream->options.arg;
    lw_stream__free(stream);
    if (on_end)
        on_end(&result, arg);
}

lw_status lw_stream__started(lw_stream *stream, lw_status st, lw_stream **out)
{
    if (st < 0) {
        lw_stream__free(stream);
        return st;
    }
    lw_dlist_push_back(&stream->session->streams, &stream->link.node);
    stream->session->stream_count++;
    if (out)
        *out = stream;
    return LW_OK;
}

lw_status lw_stream__fail(const lw_stream *stream, lw_error *err, lw_status st, const char *format,
                          ...)
{
    char text[LW_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)lw_line_format(text, sizeof(text), format, args);
    va_end(args);
    return lw_error_set(err, st, "%s: %s", stream->what, text);
}

void lw_stream_cancel(lw_stream *stream)
{
    if (!stream)
        return;
    if (stream->is_calling)
        stream->is_cancelled = true;
    else
        lw_stream__free(stream);
}

/* Channels. */

static lw_status deliver(lw_stream *stream, lw_stream_source source, lw_str bytes, lw_error *err)
{
    if (bytes.len == 0)
        return LW_OK;
    if (stream->pump)
        return lw_stream_pump_take(stream->pump, bytes, err);
    if (!stream->options.on_bytes)
        return LW_OK;
    lw_status st = stream->options.on_bytes(source, bytes.ptr, bytes.len, stream->options.arg);
    return st < 0 ? lw_stream__fail(stream, err, st, "the program stopped reading") : LW_OK;
}

/* The beginning of a longer text is enough for a message; a longer Status cannot be read. */
static void keep_status(lw_stream *stream, lw_str bytes)
{
    size_t room = LW_STREAM_STATUS_MAX - stream->status.len;
    lw_buf_append(&stream->status, bytes.ptr, bytes.len < room ? bytes.len : room);
}

static lw_status take_forward(lw_stream *stream, lw_str bytes, lw_error *err)
{
    if (stream->channel > CHANNEL_ERROR)
        return LW_OK;
    unsigned *port_bytes = &stream->port_bytes[stream->channel];
    size_t skip = LW_STREAM_PORT_SIZE - *port_bytes;
    skip = bytes.len < skip ? bytes.len : skip;
    *port_bytes += (unsigned)skip;
    bytes = lw_str_skip(bytes, skip);
    if (stream->channel == CHANNEL_ERROR) {
        keep_status(stream, bytes);
        return LW_OK;
    }
    return deliver(stream, LW_STREAM_DATA, bytes, err);
}

static lw_status take_bytes(lw_stream *stream, lw_str bytes, lw_error *err)
{
    if (stream->channel < 0) {
        if (bytes.len == 0)
            return LW_OK;
        stream->channel = (unsigned char)bytes.ptr[0];
        bytes = lw_str_skip(bytes, 1);
    }
    if (stream->is_forward)
        return take_forward(stream, bytes, err);
    if (stream->channel == LW_STREAM_STDOUT || stream->channel == LW_STREAM_STDERR)
        return deliver(stream, (lw_stream_source)stream->channel, bytes, err);
    if (stream->channel == CHANNEL_STATUS)
        keep_status(stream, bytes);
    return LW_OK;
}

/* The end. */

static lw_status forward_result(lw_stream *stream, bool is_closed, lw_error *err)
{
    lw_str text = lw_str_trim(lw_buf_view(&stream->status));
    if (text.len > 0)
        return lw_stream__fail(stream, err, LW_ERR_UNAVAILABLE,
                               "%.*s (does a container listen on port %u?)", LW_STR_ARG(text),
                               stream->port);
    if (!is_closed && !(stream->pump && lw_stream_pump_is_over(stream->pump)))
        return lw_stream__fail(stream, err, LW_ERR_UNAVAILABLE, "%s closed the connection",
                               lw_config_server(stream->session->client->config));
    return LW_OK;
}

static lw_status exec_result(lw_stream *stream, int *exit_code, lw_error *err)
{
    lw_error why;
    if (stream->status.len == 0)
        return lw_stream__fail(stream, err, LW_ERR_UNAVAILABLE,
                               "%s closed the connection before the end of the command, which may "
                               "go on",
                               lw_config_server(stream->session->client->config));
    lw_status st = lw_exec_status_read(lw_buf_view(&stream->status), exit_code, &why);
    if (st < 0) {
        (void)lw_stream__fail(stream, &why, st, "%s", why.message);
        if (err)
            *err = why;
    }
    return st;
}

/* The connection is over; frees the stream. */
static void finish(lw_stream *stream, bool is_closed)
{
    lw_error err = LW_ERROR_INIT;
    int exit_code = 0;
    lw_status st = LW_OK;
    if (stream->status.st < 0)
        st = lw_error_nomem(&err);
    else if (stream->is_forward)
        st = forward_result(stream, is_closed, &err);
    else
        st = exec_result(stream, &exit_code, &err);
    lw_stream__end(stream, st < 0 ? &err : NULL, exit_code);
}

/* Replies to the Close of the server, as far as that is possible at once. */
static void say_goodbye(lw_stream *stream, unsigned status)
{
    const char code[2] = { (char)(status >> 8), (char)status };
    size_t sent = 0;
    if (lw_stream__queue(stream, LW_WEBSOCKET_CLOSE, lw_str_make(code, sizeof(code)), LW_STR("")))
        (void)lw_transfer_write(stream->tunnel, stream->out.data + stream->out_at,
                                stream->out.len - stream->out_at, &sent, NULL);
}

/* Running. */

static lw_status flush(lw_stream *stream, lw_error *err)
{
    size_t sent = 0;
    lw_status st =
        lw_transfer_write(stream->tunnel, stream->out.data ? stream->out.data + stream->out_at : "",
                          lw_stream__queued(stream), &sent, err);
    stream->out_at += sent;
    if (lw_stream__queued(stream) == 0) {
        lw_buf_reset(&stream->out);
        stream->out_at = 0;
    }
    return st;
}

static lw_status take_piece(lw_stream *stream, lw_websocket_found found,
                            const lw_websocket_piece *piece, lw_error *err)
{
    switch (found) {
    case LW_WEBSOCKET_FOUND_DATA:
        if (piece->is_first)
            stream->channel = -1;
        return take_bytes(stream, piece->bytes, err);
    case LW_WEBSOCKET_FOUND_PING:
        (void)lw_stream__queue(stream, LW_WEBSOCKET_PONG, LW_STR(""), piece->bytes);
        return LW_OK;
    case LW_WEBSOCKET_FOUND_CLOSE:
        stream->is_closed = true;
        say_goodbye(stream, piece->status ? piece->status : CLOSE_NORMAL);
        return LW_OK;
    case LW_WEBSOCKET_FOUND_INVALID:
        say_goodbye(stream, CLOSE_PROTOCOL);
        return lw_stream__fail(stream, err, LW_ERR_INVALID,
                               "%s violates the WebSocket protocol: %s",
                               lw_config_server(stream->session->client->config), piece->fault);
    case LW_WEBSOCKET_FOUND_NOTHING:
    case LW_WEBSOCKET_FOUND_PONG: break;
    }
    return LW_OK;
}

/* Parses what was read, until the stream is paused, cancelled or closed. */
static lw_status parse(lw_stream *stream, lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && stream->in_at < stream->in_len && !stream->is_paused &&
           !stream->is_cancelled && !stream->is_closed) {
        lw_websocket_found found;
        lw_websocket_piece piece;
        stream->in_at += lw_websocket_read(&stream->reader, stream->in + stream->in_at,
                                           stream->in_len - stream->in_at, &found, &piece);
        stream->is_calling = true;
        st = take_piece(stream, found, &piece, err);
        stream->is_calling = false;
    }
    return st;
}

typedef enum turn_end {
    TURN_WAITS,
    TURN_AGAIN, /* there may be more to read */
    TURN_FREED,
} turn_end;

/* Handles what is in the buffer. */
static turn_end handle(lw_stream *stream, bool is_end)
{
    lw_error err = LW_ERROR_INIT;
    if (!stream->is_open) {
        if (!lw_stream__read_reply(stream, is_end))
            return TURN_FREED;
        if (!stream->is_open)
            return TURN_AGAIN;
    }
    lw_status st = parse(stream, &err);
    if (stream->is_cancelled) {
        lw_stream__free(stream);
        return TURN_FREED;
    }
    if (st < 0) {
        lw_stream__end(stream, &err, 0);
        return TURN_FREED;
    }
    if (stream->is_closed || (is_end && stream->in_at == stream->in_len)) {
        finish(stream, stream->is_closed);
        return TURN_FREED;
    }
    return stream->is_paused ? TURN_WAITS : TURN_AGAIN;
}

/* A broken connection after the Status is the end of the command nevertheless. */
static turn_end connection_failed(lw_stream *stream, lw_error *err)
{
    lw_error why;
    if (stream->status.len > 0) {
        finish(stream, false);
        return TURN_FREED;
    }
    (void)lw_stream__fail(stream, &why, err->code, "%s", err->message);
    lw_stream__end(stream, &why, 0);
    return TURN_FREED;
}

static turn_end turn(lw_stream *stream)
{
    lw_error err = LW_ERROR_INIT;
    bool is_end = false;
    if (stream->in_at < stream->in_len) { /* left by a pause */
        turn_end end = handle(stream, false);
        if (end != TURN_AGAIN)
            return end;
    }
    if (stream->is_paused)
        return TURN_WAITS;
    stream->in_at = stream->in_len = 0;
    lw_status st = lw_transfer_read(stream->tunnel, stream->in, LW_STREAM_READ_SIZE,
                                    &stream->in_len, &is_end, &err);
    if (st < 0)
        return connection_failed(stream, &err);
    if (stream->in_len == 0 && !is_end)
        return TURN_WAITS;
    return handle(stream, is_end);
}

static void offer_room(lw_stream *stream)
{
    if (!stream->wants_room || lw_stream__queued(stream) > LW_STREAM_INPUT_MAX / 2)
        return;
    stream->wants_room = false;
    if (stream->pump) {
        lw_stream_pump_on_room(stream->pump);
        return;
    }
    stream->is_calling = true;
    if (stream->options.on_room)
        stream->options.on_room(stream, stream->options.arg);
    stream->is_calling = false;
}

void lw_stream__run(lw_stream *stream)
{
    lw_error err = LW_ERROR_INIT;
    turn_end end = TURN_AGAIN;
    if (stream->out.st < 0) {
        (void)lw_error_nomem(&err);
        lw_stream__end(stream, &err, 0);
        return;
    }
    lw_status st = stream->is_open ? flush(stream, &err) : LW_OK;
    for (int reads = 0; end == TURN_AGAIN && reads < READS_MAX; reads++)
        end = turn(stream);
    /* If writing failed, the reason may have been in what the server has sent before. */
    if (end == TURN_WAITS && st < 0)
        end = connection_failed(stream, &err);
    if (end == TURN_FREED)
        return;
    if (end == TURN_AGAIN)
        lw_transfer_want_again(stream->tunnel);
    if (stream->is_open)
        offer_room(stream);
    if (stream->is_cancelled)
        lw_stream__free(stream);
    else
        lw_stream__poll(stream);
}

void lw_stream__poll(lw_stream *stream)
{
    if (stream->tunnel)
        lw_transfer_want(stream->tunnel, !stream->is_paused,
                         stream->is_open && (lw_stream__queued(stream) > 0 || stream->wants_room ||
                                             stream->out.st < 0));
}

void lw_stream_set_paused(lw_stream *stream, bool is_paused)
{
    stream->is_paused = is_paused;
    lw_stream__poll(stream);
}
