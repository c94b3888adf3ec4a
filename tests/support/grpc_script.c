/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_script.c -- a gRPC server that sends scripted answers. */
#include "support/grpc_script.h"
#include "base/container_of.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void connection_close(grpc_script_connection *c)
{
    if (c->io.fd < 0)
        return;
    lw_loop_remove(c->script->loop, &c->io);
    close(c->io.fd);
    nghttp2_session_del(c->session);
    c->io.fd = -1;
    c->session = NULL;
    c->stream_count = 0;
    c->hangs_up = false;
}

/* Sends everything at once, so that what the client reads does not depend on scheduling. */
static void flush(grpc_script_connection *c)
{
    static uint8_t out[GRPC_SCRIPT_OUT_MAX];
    const uint8_t *bytes;
    size_t len = 0;
    ssize_t more;
    while ((more = nghttp2_session_mem_send(c->session, &bytes)) > 0) {
        if ((size_t)more > sizeof(out) - len) {
            c->hangs_up = true;
            return;
        }
        memcpy(out + len, bytes, (size_t)more);
        len += (size_t)more;
    }
    if (len > 0 && send(c->io.fd, out, len, MSG_NOSIGNAL) != (ssize_t)len)
        c->hangs_up = true;
}

static grpc_script_stream *find_stream(grpc_script_connection *c, int32_t id)
{
    for (size_t i = 0; i < c->stream_count; i++) {
        if (c->streams[i].id == id)
            return &c->streams[i];
    }
    return NULL;
}

static nghttp2_nv field(const char *name, const char *value)
{
    union {
        const char *given;
        uint8_t *taken;
    } n = { name }, v = { value };
    return (nghttp2_nv){ n.taken, v.taken, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE };
}

static size_t trailer_fields(const grpc_answer *answer, nghttp2_nv *fields, size_t count)
{
    if (answer->grpc_status)
        fields[count++] = field("grpc-status", answer->grpc_status);
    if (answer->grpc_message)
        fields[count++] = field("grpc-message", answer->grpc_message);
    return count;
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *out, size_t len,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    grpc_script_stream *stream = find_stream(arg, id);
    const grpc_answer *answer = stream->answer;
    nghttp2_nv fields[2];
    (void)source;
    size_t left = answer->body.len - stream->sent;
    if (len > left)
        len = left;
    if (len > 0)
        memcpy(out, answer->body.ptr + stream->sent, len);
    stream->sent += len;
    if (stream->sent < answer->body.len)
        return (ssize_t)len;
    if (answer->stays_open || answer->is_reset) {
        if (answer->is_reset)
            nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
        return len > 0 ? (ssize_t)len : NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    size_t count = trailer_fields(answer, fields, 0);
    if (count > 0) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, id, fields, count);
    }
    return (ssize_t)len;
}

static void answer_stream(grpc_script_connection *c, grpc_script_stream *stream)
{
    grpc_script *script = c->script;
    size_t index =
        script->requests < script->answer_count ? script->requests : script->answer_count - 1;
    const grpc_answer *answer = &script->answers[index];
    nghttp2_data_provider body = { .read_callback = read_body };
    nghttp2_nv fields[8];
    char status[16];
    size_t count = 0;
    script->requests++;
    stream->is_answered = true;
    stream->answer = answer;
    c->hangs_up = c->hangs_up || answer->hangs_up;
    if (answer->is_silent || answer->hangs_up)
        return;
    if (answer->is_refused) {
        nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, stream->id,
                                  NGHTTP2_REFUSED_STREAM);
        return;
    }
    (void)snprintf(status, sizeof(status), "%d", answer->status ? answer->status : 200);
    fields[count++] = field(":status", status);
    if (!answer->content_type || answer->content_type[0])
        fields[count++] =
            field("content-type", answer->content_type ? answer->content_type : "application/grpc");
    if (answer->is_trailers_only)
        count = trailer_fields(answer, fields, count);
    nghttp2_submit_response(c->session, stream->id, fields, count,
                            answer->is_trailers_only ? NULL : &body);
    if (answer->says_goodbye)
        nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR, NULL, 0);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    grpc_script_connection *c = arg;
    grpc_script *script = c->script;
    size_t len = strlen(script->headers);
    (void)session;
    (void)flags;
    (void)frame;
    if (name_len == 7 && memcmp(name, ":method", 7) == 0)
        script->headers[len = 0] = '\0';
    if (name_len == 5 && memcmp(name, ":path", 5) == 0)
        (void)snprintf(script->path, sizeof(script->path), "%.*s", (int)value_len,
                       (const char *)value);
    (void)snprintf(script->headers + len, sizeof(script->headers) - len, "%.*s: %.*s\n",
                   (int)name_len, (const char *)name, (int)value_len, (const char *)value);
    return 0;
}

/* The first message is answered even if more follow. */
static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    grpc_script_connection *c = arg;
    (void)session;
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        c->script->resets++;
    if (frame->hd.type == NGHTTP2_HEADERS && c->stream_count < GRPC_SCRIPT_STREAMS_MAX)
        c->streams[c->stream_count++] = (grpc_script_stream){ .id = frame->hd.stream_id };
    grpc_script_stream *stream = find_stream(c, frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_DATA && stream && !stream->is_answered)
        answer_stream(c, stream);
    return 0;
}

static void connection_ready(lw_io *io, unsigned events)
{
    grpc_script_connection *c = LW_CONTAINER_OF(io, grpc_script_connection, io);
    char bytes[16 * 1024];
    (void)events;
    ssize_t len = recv(io->fd, bytes, sizeof(bytes), 0);
    if (len < 0 && errno == EAGAIN)
        return;
    if (len <= 0 || nghttp2_session_mem_recv(c->session, (const uint8_t *)bytes, (size_t)len) < 0)
        c->hangs_up = true;
    else if (!c->hangs_up)
        flush(c);
    if (c->hangs_up)
        connection_close(c);
}

static bool session_open(grpc_script_connection *c)
{
    nghttp2_session_callbacks *callbacks = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return false;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    int result = nghttp2_session_server_new(&c->session, callbacks, c);
    nghttp2_session_callbacks_del(callbacks);
    return result == 0 && nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, NULL, 0) == 0;
}

static void listening_ready(lw_io *io, unsigned events)
{
    grpc_script *script = LW_CONTAINER_OF(io, grpc_script, listening);
    int fd = accept4(io->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    (void)events;
    if (fd < 0)
        return;
    const int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    script->accepted++;
    for (size_t i = 0; i < GRPC_SCRIPT_CONNECTIONS_MAX; i++) {
        grpc_script_connection *c = &script->connections[i];
        if (c->io.fd >= 0)
            continue;
        *c = (grpc_script_connection){ .script = script };
        c->io = (lw_io){ fd, LW_IO_READ, connection_ready };
        if (!session_open(c) || lw_loop_add(script->loop, &c->io, NULL) < 0) {
            c->io.fd = -1;
            break;
        }
        flush(c);
        return;
    }
    close(fd);
}

bool grpc_script_open(grpc_script *script, lw_loop *loop, const grpc_answer *answers, size_t count)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof(address);
    memset(script, 0, sizeof(*script));
    script->loop = loop;
    script->answers = answers;
    script->answer_count = count;
    for (size_t i = 0; i < GRPC_SCRIPT_CONNECTIONS_MAX; i++)
        script->connections[i].io.fd = -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    script->listening = (lw_io){ fd, LW_IO_READ, listening_ready };
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 16) < 0 || getsockname(fd, (struct sockaddr *)&address, &len) < 0 ||
        lw_loop_add(loop, &script->listening, NULL) < 0) {
        if (fd >= 0)
            close(fd);
        script->listening.fd = -1;
        return false;
    }
    script->port = ntohs(address.sin_port);
    (void)snprintf(script->endpoint, sizeof(script->endpoint), "http://127.0.0.1:%u", script->port);
    return true;
}

void grpc_script_close(grpc_script *script)
{
    for (size_t i = 0; i < GRPC_SCRIPT_CONNECTIONS_MAX; i++)
        connection_close(&script->connections[i]);
    if (script->listening.fd < 0)
        return;
    lw_loop_remove(script->loop, &script->listening);
    close(script->listening.fd);
    script->listening.fd = -1;
}
