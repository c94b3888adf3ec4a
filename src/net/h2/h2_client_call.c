/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_call.c -- one call as its owner sees it: open, send, pause, reset, close.
 *
 *     waiting ──submitted──▶ in progress ──ended by the server, reset, connection lost──▶ closed
 *     waiting, in progress ──lw_h2_call_reset──▶ dropped without a callback */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/h2/h2_client_internal.h"

enum {
    OWN_FIELDS = 4, /* :method, :scheme, :authority, :path */
};

/* Copies |text| to |*at| and advances it. */
static uint8_t *place(char **at, lw_str text)
{
    char *start = *at;
    if (text.len > 0)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return (uint8_t *)start;
}

static void place_field(lw_h2_call *call, char **at, lw_str name, lw_str value)
{
    nghttp2_nv *field = &call->fields[call->field_count++];
    field->name = place(at, name);
    field->namelen = name.len;
    field->value = place(at, value);
    field->valuelen = value.len;
}

/* Allocates a call with its fields and their text in one block; NULL: out of memory. */
static lw_h2_call *call_new(const lw_h2_client *client, lw_str method, lw_str path,
                            const lw_http_header *headers, size_t count)
{
    const lw_http_header own[OWN_FIELDS] = {
        { LW_STR(":method"), method },
        { LW_STR(":scheme"), client->options.tls ? LW_STR("https") : LW_STR("http") },
        { LW_STR(":authority"), lw_str_of(client->authority) },
        { LW_STR(":path"), path },
    };
    size_t text = 0;
    for (size_t i = 0; i < OWN_FIELDS; i++)
        text += own[i].name.len + own[i].value.len;
    for (size_t i = 0; i < count; i++)
        text += headers[i].name.len + headers[i].value.len;
    size_t fields = (OWN_FIELDS + count) * sizeof(nghttp2_nv);
    lw_h2_call *call = lw_alloc_zero(1, sizeof(*call) + fields + text);
    if (!call)
        return NULL;
    char *at = (char *)call->fields + fields;
    for (size_t i = 0; i < OWN_FIELDS; i++)
        place_field(call, &at, own[i].name, own[i].value);
    for (size_t i = 0; i < count; i++)
        place_field(call, &at, headers[i].name, headers[i].value);
    return call;
}

lw_status lw_h2_call_open(lw_h2_call **out, lw_h2_client *client, lw_str method, lw_str path,
                          const lw_http_header *headers, size_t count, const lw_h2_call_sink *sink)
{
    if (client->err.code != LW_OK || lw_h2_client_is_closing(client))
        return LW_ERR_STOPPED;
    if (client->call_count >= LW_H2_CLIENT_STREAMS_MAX)
        return LW_ERR_TOO_MANY;
    if (count > LW_HTTP_HEADERS_MAX)
        return LW_ERR_LIMIT;
    lw_h2_call *call = call_new(client, method, path, headers, count);
    if (!call)
        return LW_ERR_NOMEM;
    call->client = client;
    call->sink = *sink;
    lw_h2_pieces_init(&call->queue);
    lw_dlist_push_back(&client->waiting, &call->link);
    if (client->call_count++ == 0)
        client->quiet_since_ns = lw_loop_now(client->loop);
    lw_h2_client__settle_soon(client);
    *out = call;
    return LW_OK;
}

/* Tells nghttp2 that there is more data, or the end. */
static void resume(lw_h2_call *call)
{
    if (!call->is_deferred)
        return;
    call->is_deferred = false;
    lw_h2_client__check(call->client, nghttp2_session_resume_data(call->client->session, call->id));
}

lw_status lw_h2_call_send(lw_h2_call *call, lw_bytes bytes, bool is_last)
{
    lw_h2_client *client = call->client;
    if (call->is_ended || call->is_closed) {
        lw_bytes_release(bytes);
        return LW_ERR_STOPPED;
    }
    if (bytes.len > LW_H2_CLIENT_QUEUE_MAX - client->queued) {
        lw_bytes_release(bytes);
        return LW_ERR_LIMIT;
    }
    size_t len = bytes.len;
    lw_status st = lw_h2_pieces_push(&call->queue, bytes);
    if (st < 0)
        return st;
    client->queued += len;
    call->is_ended = is_last;
    resume(call);
    lw_h2_client__settle_soon(client);
    return LW_OK;
}

size_t lw_h2_call_pending(const lw_h2_call *call)
{
    return call->queue.bytes;
}

/* Removes the call from the client. */
static void detach(lw_h2_call *call)
{
    lw_h2_client *client = call->client;
    lw_dlist_remove(&call->link);
    if (lw_dlist_node_is_linked(&call->drained))
        lw_dlist_remove(&call->drained);
    client->call_count--;
    client->queued -= call->queue.bytes;
    lw_h2_pieces_drop(&call->queue);
    if (call->id == 0)
        return;
    client->under_way_count--;
    (void)nghttp2_session_set_stream_user_data(client->session, call->id, NULL);
}

/* Resets the stream, unless the server knows already that it has ended. */
static void submit_reset(const lw_h2_call *call, uint32_t code)
{
    lw_h2_client *client = call->client;
    if (call->id != 0 && !lw_h2_client__is_over(client))
        lw_h2_client__check(client, nghttp2_submit_rst_stream(client->session, NGHTTP2_FLAG_NONE,
                                                              call->id, code));
    lw_h2_client__settle_soon(client);
}

void lw_h2_call__close(lw_h2_call *call, const lw_error *err, bool is_unseen)
{
    /* The server has ended the stream before we did: it does not need the rest. */
    if (!err && !call->is_end_sent)
        submit_reset(call, NGHTTP2_NO_ERROR);
    detach(call);
    call->is_closed = true;
    call->sink.on_close(call, err, is_unseen, call->sink.arg);
    lw_free(call);
}

void lw_h2_call__drop(lw_h2_call *call)
{
    detach(call);
    lw_free(call);
}

void lw_h2_call_reset(lw_h2_call *call)
{
    if (!call || call->is_closed)
        return;
    submit_reset(call, NGHTTP2_CANCEL);
    lw_h2_call__drop(call);
}

void lw_h2_call_set_paused(lw_h2_call *call, bool is_paused)
{
    lw_h2_client *client = call->client;
    call->is_paused = is_paused;
    if (is_paused || call->unreturned == 0 || call->is_closed || lw_h2_client__is_over(client))
        return;
    lw_h2_client__check(client, nghttp2_session_consume_stream(client->session, call->id,
                                                               call->unreturned));
    call->unreturned = 0;
    lw_h2_client__settle_soon(client);
}
