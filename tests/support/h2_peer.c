/* SPDX-License-Identifier: Apache-2.0 */
/* h2_peer.c -- an nghttp2 server on a socket. */
#include "support/h2_peer.h"
#include "base/container_of.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "net/address.h"
#include "net/wire.h"

enum {
    PATH_MAX_BYTES = 256,
    BACKLOG = 16,
    BLOCK = 64 * 1024,
};

static char block[BLOCK];

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

static nghttp2_nv field(const char *name, const char *value)
{
    union {
        const char *as_given;
        uint8_t *as_taken;
    } n = { name }, v = { value };
    return (nghttp2_nv){ n.as_taken, v.as_taken, strlen(name), strlen(value),
                         NGHTTP2_NV_FLAG_NONE };
}

h2_peer_stream *h2_peer_find(const h2_peer *peer, int32_t id)
{
    size_t at = (size_t)(id - 1) / 2;
    return id > 0 && at < H2_PEER_STREAMS_MAX ? peer->streams[at] : NULL;
}

static ssize_t read_reply(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                          uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    h2_peer *peer = arg;
    h2_peer_stream *stream = source->ptr;
    size_t left = stream->big_left ? stream->big_left : stream->out.len - stream->out_at;
    size_t len = left < length ? left : length;
    if (stream->big_left) {
        memset(buf, 'b', len);
        stream->big_left -= len;
    } else if (len > 0) {
        memcpy(buf, stream->out.data + stream->out_at, len);
        stream->out_at += len;
    }
    peer->sent += len;
    if (len == left && stream->is_out_ended) {
        const nghttp2_nv trailer = field("grpc-status", "0");
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        must(nghttp2_submit_trailer(session, id, &trailer, 1) == 0);
    } else if (len == 0) {
        stream->is_waiting = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)len;
}

void h2_peer_reply(h2_peer *peer, int32_t id)
{
    const nghttp2_nv head[] = { field(":status", "200"),
                                field("content-type", "application/grpc") };
    const nghttp2_data_provider provider = { { .ptr = h2_peer_find(peer, id) }, read_reply };
    must(nghttp2_submit_response(peer->session, id, head, 2, &provider) == 0);
}

static void go_on(h2_peer *peer, h2_peer_stream *stream)
{
    if (stream->is_waiting)
        (void)nghttp2_session_resume_data(peer->session, stream->id);
    stream->is_waiting = false;
}

void h2_peer_write(h2_peer *peer, int32_t id, lw_str bytes)
{
    h2_peer_stream *stream = h2_peer_find(peer, id);
    lw_buf_append_str(&stream->out, bytes);
    go_on(peer, stream);
}

void h2_peer_end(h2_peer *peer, int32_t id)
{
    h2_peer_stream *stream = h2_peer_find(peer, id);
    stream->is_out_ended = true;
    go_on(peer, stream);
}

void h2_peer_reset(h2_peer *peer, int32_t id, uint32_t code)
{
    must(nghttp2_submit_rst_stream(peer->session, NGHTTP2_FLAG_NONE, id, code) == 0);
}

void h2_peer_goaway(h2_peer *peer, int32_t last_id, uint32_t code)
{
    must(nghttp2_submit_goaway(peer->session, NGHTTP2_FLAG_NONE, last_id, code,
                               (const uint8_t *)"bye", 3) == 0);
}

static void reply_fields(h2_peer *peer, int32_t id)
{
    nghttp2_nv fields[1024] = { field(":status", "200") };
    size_t count = peer->field_count < 1023 ? peer->field_count : 1023;
    for (size_t i = 0; i < count; i++)
        fields[1 + i] = field("x-field", "a value that is not so short, to fill up the block soon");
    must(nghttp2_submit_response(peer->session, id, fields, 1 + count, NULL) == 0);
}

static bool is_path(const h2_peer_stream *stream, const char *path)
{
    return lw_str_equal(lw_buf_view(&stream->path), lw_str_of(path));
}

static void head_is_in(h2_peer *peer, h2_peer_stream *stream)
{
    const nghttp2_nv unimplemented[] = { field(":status", "200"), field("grpc-status", "12") };
    peer->requests++;
    if (is_path(stream, "/stream")) {
        h2_peer_reply(peer, stream->id);
    } else if (is_path(stream, "/early")) {
        lw_buf_append_text(&stream->out, "early");
        stream->is_out_ended = true;
        h2_peer_reply(peer, stream->id);
    } else if (is_path(stream, "/big")) {
        stream->big_left = peer->big_len;
        stream->is_out_ended = true;
        h2_peer_reply(peer, stream->id);
    } else if (is_path(stream, "/head")) {
        must(nghttp2_submit_response(peer->session, stream->id, unimplemented, 2, NULL) == 0);
    } else if (is_path(stream, "/reset")) {
        h2_peer_reset(peer, stream->id, NGHTTP2_INTERNAL_ERROR);
    } else if (is_path(stream, "/refuse")) {
        h2_peer_reset(peer, stream->id, NGHTTP2_REFUSED_STREAM);
    } else if (is_path(stream, "/fields")) {
        reply_fields(peer, stream->id);
    }
}

static void request_is_in(h2_peer *peer, h2_peer_stream *stream)
{
    stream->is_ended = true;
    if (is_path(stream, "/echo")) {
        lw_buf_append_str(&stream->out, lw_buf_view(&stream->body));
        stream->is_out_ended = true;
        h2_peer_reply(peer, stream->id);
    } else if (is_path(stream, "/stream")) {
        h2_peer_end(peer, stream->id);
    }
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    (void)session, (void)flags;
    h2_peer *peer = arg;
    size_t at = (size_t)(frame->hd.stream_id - 1) / 2;
    must(at < H2_PEER_STREAMS_MAX);
    if (!peer->streams[at]) {
        h2_peer_stream *stream = calloc(1, sizeof(*stream));
        must(stream != NULL);
        stream->id = frame->hd.stream_id;
        stream->reset = -1;
        lw_buf_init(&stream->path, PATH_MAX_BYTES);
        lw_buf_init(&stream->body, H2_PEER_BODY_MAX);
        lw_buf_init(&stream->out, H2_PEER_BODY_MAX);
        peer->streams[at] = stream;
    }
    if (lw_str_equal(lw_str_make((const char *)name, name_len), LW_STR(":path")))
        lw_buf_append(&peer->streams[at]->path, value, value_len);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    (void)session, (void)flags;
    h2_peer *peer = arg;
    h2_peer_stream *stream = h2_peer_find(peer, id);
    peer->received += len;
    lw_buf_append(&stream->body, data, len);
    if (is_path(stream, "/stream"))
        h2_peer_write(peer, id, lw_str_make((const char *)data, len));
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    h2_peer *peer = arg;
    h2_peer_stream *stream = h2_peer_find(peer, frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_PING && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
        peer->pings++;
    if (!stream)
        return 0;
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        stream->reset = frame->rst_stream.error_code;
    if (frame->hd.type == NGHTTP2_HEADERS)
        head_is_in(peer, stream);
    if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        request_is_in(peer, stream);
    return 0;
}

static nghttp2_session *session_new(h2_peer *peer)
{
    nghttp2_session *session = NULL;
    nghttp2_session_callbacks *callbacks = NULL;
    const nghttp2_settings_entry settings[] = { { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                                  peer->streams_max } };
    must(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    must(nghttp2_session_server_new(&session, callbacks, peer) == 0);
    nghttp2_session_callbacks_del(callbacks);
    must(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, peer->streams_max ? 1 : 0) ==
         0);
    return session;
}

void h2_peer_hang_up(h2_peer *peer)
{
    if (peer->io.fd < 0)
        return;
    lw_loop_remove(peer->loop, &peer->io);
    lw_tls_stream_free(peer->stream);
    peer->stream = NULL;
    close(peer->io.fd);
    peer->io.fd = -1;
    nghttp2_session_del(peer->session);
    peer->session = NULL;
    lw_conn_queue_done(&peer->queue);
    lw_conn_queue_init(&peer->queue);
    for (size_t i = 0; i < H2_PEER_STREAMS_MAX; i++) {
        if (!peer->streams[i])
            continue;
        lw_buf_done(&peer->streams[i]->path);
        lw_buf_done(&peer->streams[i]->body);
        lw_buf_done(&peer->streams[i]->out);
        free(peer->streams[i]);
        peer->streams[i] = NULL;
    }
}

static void want(h2_peer *peer, bool is_blocked)
{
    lw_loop_change(peer->loop, &peer->io,
                   (peer->is_deaf ? 0 : LW_IO_READ) | (is_blocked ? LW_IO_WRITE : 0));
}

void h2_peer_flush(h2_peer *peer)
{
    static char gather[BLOCK];
    while (peer->io.fd >= 0 && !peer->is_handshaking && !peer->is_deaf) {
        const uint8_t *bytes = NULL;
        size_t sent = 0;
        ssize_t len = 0;
        if (peer->session && peer->queue.pending < BLOCK)
            len = nghttp2_session_mem_send(peer->session, &bytes);
        must(len >= 0);
        must(lw_conn_queue_push_copy(&peer->queue, bytes, (size_t)len) == LW_OK);
        if (peer->queue.pending == 0) {
            want(peer, false);
            return;
        }
        lw_tls_result result =
            lw_wire_write(peer->io.fd, peer->stream, &peer->queue, gather, sizeof(gather), &sent);
        if (result == LW_TLS_OK) {
            lw_conn_queue_take(&peer->queue, sent);
            continue;
        }
        if (result == LW_TLS_WANTS_WRITE)
            want(peer, true);
        else
            h2_peer_hang_up(peer);
        return;
    }
}

void h2_peer_set_deaf(h2_peer *peer, bool is_deaf)
{
    peer->is_deaf = is_deaf;
    if (peer->io.fd >= 0)
        want(peer, false);
}

static bool handshake(h2_peer *peer)
{
    lw_tls_result result = lw_tls_stream_handshake(peer->stream);
    if (result == LW_TLS_WANTS_READ || result == LW_TLS_WANTS_WRITE)
        return false;
    peer->is_handshaking = false;
    if (result == LW_TLS_OK)
        return true;
    h2_peer_hang_up(peer);
    return false;
}

static void io_ready(lw_io *io, unsigned events)
{
    (void)events;
    h2_peer *peer = LW_CONTAINER_OF(io, h2_peer, io);
    if (peer->is_handshaking && !handshake(peer))
        return;
    for (size_t got = 0; !peer->is_deaf; got = 0) {
        lw_tls_result result = lw_wire_read(peer->io.fd, peer->stream, block, sizeof(block), &got);
        if (result == LW_TLS_WANTS_READ)
            break;
        if (result != LW_TLS_OK ||
            (peer->session &&
             nghttp2_session_mem_recv(peer->session, (const uint8_t *)block, got) < 0)) {
            h2_peer_hang_up(peer);
            return;
        }
    }
    h2_peer_flush(peer);
}

static void accept_ready(lw_io *io, unsigned events)
{
    (void)events;
    h2_peer *peer = LW_CONTAINER_OF(io, h2_peer, listening);
    int fd = accept4(io->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    h2_peer_hang_up(peer);
    peer->accepted++;
    peer->io = (lw_io){ .fd = fd, .wanted = peer->is_mute ? 0 : LW_IO_READ, .ready = io_ready };
    must(lw_loop_add(peer->loop, &peer->io, NULL) == LW_OK);
    if (peer->is_mute)
        return;
    if (peer->tls) {
        must(lw_tls_stream_new(&peer->stream, peer->tls, fd) == LW_OK);
        peer->is_handshaking = true;
    }
    if (peer->raw.len > 0)
        must(lw_conn_queue_push_copy(&peer->queue, peer->raw.ptr, peer->raw.len) == LW_OK);
    else
        peer->session = session_new(peer);
    h2_peer_flush(peer);
}

void h2_peer_send_raw(h2_peer *peer, const void *bytes, size_t len)
{
    h2_peer_flush(peer);
    must(lw_conn_queue_push_copy(&peer->queue, bytes, len) == LW_OK);
    h2_peer_flush(peer);
}

bool h2_peer_open(h2_peer *peer, lw_loop *loop, const char *address)
{
    lw_address at;
    lw_address got = { .len = sizeof(got.storage) };
    memset(peer, 0, sizeof(*peer));
    peer->loop = loop;
    peer->io.fd = -1;
    lw_conn_queue_init(&peer->queue);
    must(lw_address_parse(&at, lw_str_of(address), NULL) == LW_OK);
    int fd = socket(at.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    peer->listening = (lw_io){ .fd = fd, .wanted = LW_IO_READ, .ready = accept_ready };
    if (fd < 0)
        return false;
    if (bind(fd, (const struct sockaddr *)&at.storage, at.len) < 0 || listen(fd, BACKLOG) < 0 ||
        getsockname(fd, (struct sockaddr *)&got.storage, &got.len) < 0 ||
        lw_loop_add(loop, &peer->listening, NULL) < 0) {
        close(fd);
        return false;
    }
    peer->port = lw_address_port(&got);
    return true;
}

void h2_peer_stop_listening(h2_peer *peer)
{
    if (peer->listening.fd < 0)
        return;
    lw_loop_remove(peer->loop, &peer->listening);
    close(peer->listening.fd);
    peer->listening.fd = -1;
}

void h2_peer_close(h2_peer *peer)
{
    h2_peer_stop_listening(peer);
    h2_peer_hang_up(peer);
    lw_conn_queue_done(&peer->queue);
}
