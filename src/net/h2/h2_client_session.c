/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_session.c -- handles what the server sends: SETTINGS, headers, bodies, ends, GOAWAY.
 *
 * A protocol violation that concerns one stream ends that stream, any other the connection: nghttp2
 * answers it, and the connection goes down when its GOAWAY is framed (h2_client_send.c). */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "net/h2/h2_client_internal.h"
#include "net/h2/h2_memory.h"

enum {
    ACKS_MAX = 100,    /* maximum queued replies to PING and SETTINGS */
    SETTINGS_MAX = 32, /* maximum entries of one SETTINGS frame */
    GOAWAY_TEXT = 200, /* bytes of the debug data of a GOAWAY that are kept */
};

void lw_h2_client__check(lw_h2_client *client, int result)
{
    if (result == NGHTTP2_ERR_NOMEM)
        lw_h2_client__fail(client, LW_ERR_NOMEM, "out of memory");
    else if (result != 0)
        lw_h2_client__fail(client, LW_ERR_INTERNAL, "HTTP/2 failed: %s", nghttp2_strerror(result));
}

lw_h2_call *lw_h2_client__find(const lw_h2_client *client, int32_t id)
{
    return lw_h2_client__is_over(client)
               ? NULL
               : nghttp2_session_get_stream_user_data(client->session, id);
}

/* Result of a callback of nghttp2 after a sink was called: stops if the client was freed. */
static int after_sink(const lw_h2_client *client)
{
    return client->is_freed ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    (void)frame;
    lw_h2_head_reset(&((lw_h2_client *)arg)->head);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    (void)session;
    (void)flags;
    lw_h2_client *client = arg;
    lw_h2_call *call = lw_h2_client__find(client, frame->hd.stream_id);
    if (!call)
        return 0;
    lw_h2_head_add(&client->head, lw_str_make((const char *)name, name_len),
                   lw_str_make((const char *)value, value_len));
    call->head_bytes += name_len + value_len + LW_H2_FIELD_OVERHEAD;
    if (client->head.is_too_large || call->head_bytes > LW_H2_CLIENT_HEAD_MAX)
        call->st = LW_ERR_LIMIT;
    else if (client->head.text.st < 0)
        call->st = client->head.text.st;
    else if (name[0] == ':' && value_len > 0 && value[0] == '0')
        call->st = LW_ERR_SYNTAX; /* :status, the only such field, of 000 to 099 */
    /* nghttp2 then resets the stream. */
    return call->st < 0 ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
}

/* A header block is complete: headers, an informational response (1xx) or trailers. */
static void take_head(lw_h2_client *client, lw_h2_call *call)
{
    lw_http_header fields[LW_H2_FIELDS_MAX];
    const lw_h2_head *head = &client->head;
    uint64_t status = 0;
    lw_h2_head_fields(head, fields);
    if (call->has_head) {
        if (call->sink.on_trailers)
            call->sink.on_trailers(call, fields, head->count, call->sink.arg);
        return;
    }
    /* nghttp2 has checked that :status is present and first. */
    if (head->count == 0 || !lw_str_to_uint64(fields[0].value, &status) || status / 100 == 1)
        return;
    call->has_head = true;
    if (call->sink.on_head)
        call->sink.on_head(call, (int)status, fields + 1, head->count - 1, call->sink.arg);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    (void)flags;
    lw_h2_client *client = arg;
    lw_h2_call *call = lw_h2_client__find(client, id);
    if (call && call->sink.on_data)
        call->sink.on_data(call, (const char *)data, len, call->sink.arg);
    if (client->is_freed)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    /* A paused call must not block others: the connection's window is returned. */
    call = lw_h2_client__find(client, id);
    if (call && call->is_paused)
        call->unreturned += len;
    else
        lw_h2_client__check(client, nghttp2_session_consume_stream(session, id, len));
    lw_h2_client__check(client, nghttp2_session_consume_connection(session, len));
    return 0;
}

static void take_goaway(lw_h2_client *client, const nghttp2_goaway *goaway)
{
    char text[GOAWAY_TEXT];
    size_t len = goaway->opaque_data_len;
    lw_error_copy_text(text, sizeof(text), len ? (const char *)goaway->opaque_data : "", len);
    client->is_closing = true;
    (void)lw_error_set(&client->goaway, LW_ERR_UNAVAILABLE,
                       "the server is closing the connection (GOAWAY, %s%s%s)",
                       nghttp2_http2_strerror(goaway->error_code), len ? ": " : "", text);
    lw_h2_client__settle_soon(client);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    lw_h2_client *client = arg;
    int32_t id = frame->hd.stream_id;
    bool has_stream = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (lw_h2_client__is_over(client))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK) &&
        client->stage == LW_H2_CLIENT_GREETING)
        lw_h2_client__is_up(client);
    else if (frame->hd.type == NGHTTP2_GOAWAY)
        take_goaway(client, &frame->goaway);
    lw_h2_call *call = has_stream ? lw_h2_client__find(client, id) : NULL;
    if (call && frame->hd.type == NGHTTP2_HEADERS) {
        take_head(client, call);
        call = lw_h2_client__find(client, id);
    }
    if (call && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        lw_h2_call__close(call, NULL, false);
    return after_sink(client);
}

static void explain(lw_error *err, const lw_h2_call *call, uint32_t code)
{
    /* If nghttp2 has no memory to open a stream, it closes the stream before it reports the
     * error. */
    bool was_lost = !call->is_sent && call->st == LW_OK && !call->client->is_closing;
    if (call->st == LW_ERR_NOMEM || was_lost)
        (void)lw_error_nomem(err);
    else if (call->st == LW_ERR_INVALID)
        (void)lw_error_set(err, call->st, "cannot send the request headers: they are too large");
    else if (call->st == LW_ERR_SYNTAX)
        (void)lw_error_set(err, LW_ERR_INTERNAL,
                           "the reply does not have a valid HTTP status code");
    else if (call->st < 0)
        (void)lw_error_set(err, call->st, "the reply headers exceed %d bytes or %d fields",
                           LW_H2_CLIENT_HEAD_MAX, LW_HTTP_HEADERS_MAX);
    else
        (void)lw_error_set(err,
                           code == NGHTTP2_REFUSED_STREAM      ? LW_ERR_UNAVAILABLE
                           : code == NGHTTP2_ENHANCE_YOUR_CALM ? LW_ERR_TOO_MANY
                                                               : LW_ERR_INTERNAL,
                           "%s: the server reset the stream (%s)", call->client->authority,
                           nghttp2_http2_strerror(code));
}

/* Not called for streams that we have reset or that have ended: they have no call any more. */
static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *arg)
{
    (void)session;
    lw_h2_client *client = arg;
    lw_h2_call *call = lw_h2_client__find(client, id);
    lw_h2_client__settle_soon(client); /* a waiting call can be submitted */
    if (!call)
        return 0;
    lw_error err = LW_ERROR_INIT;
    explain(&err, call, code);
    bool is_unseen = !call->is_sent || (code == NGHTTP2_REFUSED_STREAM && !call->has_head);
    lw_h2_call__close(call, &err, is_unseen);
    /* Whatever the sink did: if this callback fails, nghttp2 1.52 leaks the frame that it could not
     * send.  No callback runs for a freed client. */
    return 0;
}

static void set_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    lw_h2_client__set_send_callbacks(callbacks);
}

static void set_options(nghttp2_option *option)
{
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_max_outbound_ack(option, ACKS_MAX);
    nghttp2_option_set_max_settings(option, SETTINGS_MAX);
    nghttp2_option_set_no_closed_streams(option, 1);
}

/* Sends the first SETTINGS to the server. */
static int submit_settings(nghttp2_session *session)
{
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, LW_H2_CLIENT_WINDOW },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LW_H2_CLIENT_HEAD_MAX },
    };
    int result = nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                         sizeof(settings) / sizeof(settings[0]));
    if (result == 0)
        result = nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                       LW_H2_CLIENT_CONNECTION_WINDOW);
    return result;
}

lw_status lw_h2_client__session_new(lw_h2_client *client)
{
    nghttp2_mem memory = lw_h2__memory;
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int result = nghttp2_session_callbacks_new(&callbacks);
    if (result == 0)
        result = nghttp2_option_new(&option);
    if (result == 0) {
        set_callbacks(callbacks);
        set_options(option);
        result = nghttp2_session_client_new3(&client->session, callbacks, client, option, &memory);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (result == 0)
        result = submit_settings(client->session);
    return result == 0 ? LW_OK : LW_ERR_NOMEM;
}

void lw_h2_client__feed(lw_h2_client *client, const char *bytes, size_t len)
{
    client->quiet_since_ns = lw_loop_now(client->loop);
    client->is_pinged = false;
    ssize_t taken = nghttp2_session_mem_recv(client->session, (const uint8_t *)bytes, len);
    if (taken < 0 && !client->is_freed)
        lw_h2_client__check(client, (int)taken);
}
