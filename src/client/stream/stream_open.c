/* SPDX-License-Identifier: Apache-2.0 */
/* stream_open.c -- the request that becomes a WebSocket, and its reply.
 *
 * exec and attach offer v5.channel.k8s.io, which can end stdin, and v4: kube-apiserver from 1.30 on
 * and kubelets from 1.36 on know v5, others choose v4.  Port forwarding offers v4 only, with one
 * WebSocket for each connection: every kubelet (and container runtime) serves it, and API servers
 * pass it on.  kubectl tunnels SPDY in a WebSocket (SPDY/3.1+portforward.k8s.io) instead, which
 * kube-apiserver itself translates from 1.30 on; kubelets before 1.36 and older API servers do not
 * have it, and it would bring SPDY, abandoned by everybody else, and zlib into this library. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "client/stream/stream_internal.h"
#include "object/api_errors.h"
#include "transport/reply_head.h"

enum {
    STATUS_UNAUTHORIZED = 401,
    STATUS_ERROR = 300, /* and above */
};

static const char v5[] = "v5.channel.k8s.io";
static const char v4[] = "v4.channel.k8s.io";
static const char upgrade_lines[] =
    "Connection: Upgrade\0Upgrade: websocket\0Sec-WebSocket-Version: 13";
static const char exec_line[] = "Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io";
static const char forward_line[] = "Sec-WebSocket-Protocol: v4.channel.k8s.io";

static void on_ready(lw_transfer *transfer, void *arg)
{
    (void)transfer;
    lw_stream__run(arg);
}

/* Connecting failed, or the time is over. */
static void on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    lw_stream *stream = arg;
    lw_error err;
    (void)transfer;
    stream->tunnel = NULL;
    if (stream->is_open && result->st == LW_ERR_TIMEOUT) {
        if (stream->pump && lw_stream_pump_is_over(stream->pump)) {
            lw_stream__end(stream, NULL, 0);
            return;
        }
        (void)lw_stream__fail(stream, &err, LW_ERR_TIMEOUT, "did not end within %d ms",
                              stream->options.timeout_ms);
    } else {
        (void)lw_stream__fail(stream, &err, result->st, "%s", result->err.message);
    }
    lw_stream__end(stream, &err, 0);
}

/* Until the stream is open, the timeout of the client applies as well. */
static int64_t asking_timeout_ms(const lw_stream *stream)
{
    int64_t asking_ms = lw_client__timeout_ms(stream->session->client, 0);
    int64_t whole_ms = stream->options.timeout_ms;
    return whole_ms > 0 && whole_ms < asking_ms ? whole_ms : asking_ms;
}

static lw_status make_headers(lw_stream *stream, lw_session_headers *headers, lw_error *err)
{
    const lw_session_request request = { .accept = "application/json, */*" };
    lw_buf lines;
    lw_buf_init(&lines, LW_SESSION_HEADERS_MAX);
    lw_buf_append(&lines, upgrade_lines, sizeof(upgrade_lines)); /* with NULs */
    if (stream->is_forward)
        lw_buf_append(&lines, forward_line, sizeof(forward_line));
    else
        lw_buf_append(&lines, exec_line, sizeof(exec_line));
    lw_buf_append_text(&lines, "Sec-WebSocket-Key: ");
    lw_buf_append(&lines, stream->key, sizeof(stream->key));
    lw_status st = lines.st < 0 ? lw_error_nomem(err)
                                : lw_session__make_headers(headers, stream->session, &request,
                                                           lw_buf_view(&lines), err);
    lw_buf_done(&lines);
    return st;
}

lw_status lw_stream__ask(lw_stream *stream, lw_error *err)
{
    lw_session *session = stream->session;
    lw_session_headers headers;
    lw_status st = lw_session__refresh(session, err);
    if (st == LW_OK && lw_websocket_make_key(stream->key) < 0)
        st = lw_error_set(err, LW_ERR_IO, "the system provides no random bytes");
    if (st < 0)
        return st;
    lw_websocket_reply_done(&stream->reply);
    lw_websocket_reply_init(&stream->reply, stream->key);
    st = make_headers(stream, &headers, err);
    if (st < 0)
        return st;
    stream->generation = session->credentials.generation;
    const lw_transfer_options options = {
        .method = "GET",
        .target = stream->target,
        .headers = (const char *const *)headers.lines,
        .timeout_ms = asking_timeout_ms(stream),
        .on_ready = on_ready,
        .on_done = on_done,
        .arg = stream,
    };
    st = lw_transport_start(session->transport, &options, &stream->tunnel, err);
    lw_session__free_headers(&headers);
    return st;
}

/* After a 401. */
static bool ask_again(lw_stream *stream, lw_error *err)
{
    if (stream->reply.status != STATUS_UNAUTHORIZED || stream->is_resent ||
        !lw_config_refused(stream->session->client->config, stream->generation))
        return false;
    stream->is_resent = true;
    lw_transfer_cancel(stream->tunnel);
    stream->tunnel = NULL;
    stream->in_at = stream->in_len = 0;
    if (lw_stream__ask(stream, err) < 0)
        lw_stream__end(stream, err, 0);
    return true;
}

static void refused(lw_stream *stream)
{
    const lw_client *client = stream->session->client;
    lw_error err = LW_ERROR_INIT;
    if (ask_again(stream, &err))
        return;
    if (stream->reply.body.st < 0) {
        (void)lw_error_nomem(&err);
        lw_stream__end(stream, &err, 0);
        return;
    }
    if (stream->reply.status < STATUS_ERROR) {
        (void)lw_stream__fail(stream, &err, LW_ERR_UNSUPPORTED,
                              "%s replied with status %d instead of 101; a proxy on the way may "
                              "not support WebSocket",
                              lw_config_server(client->config), stream->reply.status);
        lw_stream__end(stream, &err, 0);
        return;
    }
    (void)lw_api_error_decode(lw_buf_view(&stream->reply.body), stream->reply.status, LW_STR(""),
                              &err);
    if (err.code == LW_ERR_UNAUTHORIZED)
        lw_session__name_credentials(client->config, &err);
    if (err.retry_after_s == 0)
        lw_api_error_set_retry_after(&err, lw_retry_after_s(lw_str_of(stream->reply.retry_after),
                                                            lw_clock_wall(client->clock)));
    char message[LW_ERROR_MESSAGE_SIZE + LW_STREAM_WHAT_SIZE + 4];
    (void)snprintf(message, sizeof(message), "%s: %s", stream->what, err.message);
    lw_error_copy_text(err.message, sizeof(err.message), message, strlen(message));
    lw_stream__end(stream, &err, 0);
}

/* Returns what is wrong with the reply; NULL: the stream is open. */
static const char *opened(lw_stream *stream)
{
    stream->is_v5 = strcmp(stream->reply.protocol, v5) == 0;
    if (!(stream->is_v5 && !stream->is_forward) && strcmp(stream->reply.protocol, v4) != 0)
        return "it does not support the protocol v4.channel.k8s.io";
    stream->is_open = true;
    lw_websocket_reply_done(&stream->reply);
    lw_stream__begin_input(stream);
    return NULL;
}

static bool open_or_fail(lw_stream *stream, lw_websocket_step step)
{
    lw_error err;
    if (stream->reply.head.st == LW_ERR_NOMEM || stream->reply.body.st == LW_ERR_NOMEM ||
        lw_transfer_set_timeouts(stream->tunnel, stream->options.timeout_ms, 0) < 0) {
        (void)lw_error_nomem(&err);
        lw_stream__end(stream, &err, 0);
        return false;
    }
    const char *fault = step == LW_WEBSOCKET_STEP_OPEN ? opened(stream) : stream->reply.fault;
    if (fault) {
        (void)lw_stream__fail(stream, &err, LW_ERR_UNSUPPORTED, "%s: %s",
                              lw_config_server(stream->session->client->config), fault);
        lw_stream__end(stream, &err, 0);
        return false;
    }
    stream->is_calling = true;
    if (stream->pump)
        lw_stream_pump_on_room(stream->pump);
    if (stream->options.on_open)
        stream->options.on_open(stream, stream->options.arg);
    stream->is_calling = false;
    return true;
}

bool lw_stream__read_reply(lw_stream *stream, bool is_end)
{
    size_t used = 0;
    lw_websocket_step step = lw_websocket_reply_feed(&stream->reply, stream->in + stream->in_at,
                                                     stream->in_len - stream->in_at, &used);
    stream->in_at += used;
    if (step == LW_WEBSOCKET_STEP_MORE && is_end)
        step = lw_websocket_reply_end(&stream->reply);
    switch (step) {
    case LW_WEBSOCKET_STEP_MORE: return true;
    case LW_WEBSOCKET_STEP_REFUSED: refused(stream); return false;
    case LW_WEBSOCKET_STEP_OPEN:
    case LW_WEBSOCKET_STEP_INVALID: break;
    }
    return open_or_fail(stream, step);
}
