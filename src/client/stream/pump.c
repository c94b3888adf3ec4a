/* SPDX-License-Identifier: Apache-2.0 */
/* pump.c -- copies between a socket of this machine and a forwarded port.
 *
 * Nothing is held but what one side has not taken yet: bytes of one message for the socket, during
 * which the stream is paused, and the queue of the stream for the pod, during which the socket is
 * not read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/stream/stream_internal.h"

enum {
    LINGER_S = 10, /* that the pod may be silent after the end of the socket */
    READS_MAX = 8, /* of one turn */
};

struct lw_stream_pump {
    lw_stream *stream;
    lw_transport_watch watch;
    bool owns_fd;
    bool has_ended; /* the socket: nothing more comes from it */
    lw_buf late;    /* bytes that the socket has not taken yet, from late_at on */
    size_t late_at;
    char bytes[LW_STREAM_READ_SIZE]; /* from the socket, from at to len */
    size_t at, len;
};

static size_t late_len(const lw_stream_pump *pump)
{
    return pump->late.len - pump->late_at;
}

static void poll_socket(lw_stream_pump *pump)
{
    lw_transport_watch_want(&pump->watch,
                            pump->stream->is_open && !pump->has_ended && pump->at == pump->len,
                            late_len(pump) > 0);
}

static lw_status socket_failed(const lw_stream_pump *pump, lw_error *err)
{
    return lw_stream__fail(pump->stream, err, LW_ERR_IO, "the local connection: %s",
                           strerror(errno));
}

/* To the socket. */

static lw_status send_bytes(lw_stream_pump *pump, const char *bytes, size_t len, size_t *sent,
                            lw_error *err)
{
    *sent = 0;
    while (*sent < len) {
        ssize_t here = send(pump->watch.fd, bytes + *sent, len - *sent, MSG_NOSIGNAL);
        if (here < 0 && errno == EINTR)
            continue;
        if (here < 0)
            return errno == EAGAIN ? LW_OK : socket_failed(pump, err);
        *sent += (size_t)here;
    }
    return LW_OK;
}

lw_status lw_stream_pump_take(lw_stream_pump *pump, lw_str bytes, lw_error *err)
{
    size_t sent = 0;
    lw_status st = send_bytes(pump, bytes.ptr, bytes.len, &sent, err);
    if (st < 0 || sent == bytes.len)
        return st;
    lw_buf_append_str(&pump->late, lw_str_skip(bytes, sent));
    if (pump->late.st < 0)
        return lw_error_nomem(err);
    lw_stream_set_paused(pump->stream, true);
    poll_socket(pump);
    return LW_OK;
}

static lw_status send_late(lw_stream_pump *pump, lw_error *err)
{
    size_t sent = 0;
    if (late_len(pump) == 0)
        return LW_OK;
    lw_status st = send_bytes(pump, pump->late.data + pump->late_at, late_len(pump), &sent, err);
    pump->late_at += sent;
    if (st < 0 || late_len(pump) > 0)
        return st;
    lw_buf_reset(&pump->late);
    pump->late_at = 0;
    lw_stream_set_paused(pump->stream, false);
    return LW_OK;
}

/* From the socket. */

/* Passes on what was read; what the stream has no room for is passed on when it has. */
static void pass_on(lw_stream_pump *pump)
{
    pump->at += lw_stream_write(pump->stream, pump->bytes + pump->at, pump->len - pump->at);
}

/* The end cannot be passed on; see stream.h. */
static lw_status end_socket(lw_stream_pump *pump, lw_error *err)
{
    lw_stream *stream = pump->stream;
    pump->has_ended = true;
    if (lw_transfer_set_timeouts(stream->tunnel, stream->options.timeout_ms, LINGER_S) < 0)
        return lw_error_nomem(err);
    return LW_OK;
}

static lw_status receive(lw_stream_pump *pump, lw_error *err)
{
    for (int reads = 0; reads < READS_MAX && !pump->has_ended && pump->at == pump->len; reads++) {
        ssize_t got = recv(pump->watch.fd, pump->bytes, sizeof(pump->bytes), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return LW_OK;
        if (got < 0)
            return socket_failed(pump, err);
        if (got == 0)
            return end_socket(pump, err);
        pump->at = 0;
        pump->len = (size_t)got;
        pass_on(pump);
    }
    return LW_OK;
}

static void on_event(void *arg)
{
    lw_stream_pump *pump = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = send_late(pump, &err);
    if (st == LW_OK && pump->stream->is_open)
        st = receive(pump, &err);
    if (st < 0)
        lw_stream__end(pump->stream, &err, 0);
    else
        poll_socket(pump);
}

void lw_stream_pump_on_room(lw_stream_pump *pump)
{
    pass_on(pump);
    poll_socket(pump);
}

bool lw_stream_pump_is_over(const lw_stream_pump *pump)
{
    return pump->has_ended;
}

/* Life cycle. */

lw_status lw_stream_pump_new(lw_stream_pump **out, lw_stream *stream, int fd, bool owns_fd,
                             lw_error *err)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return lw_error_set(err, LW_ERR_IO, "descriptor %d: %s", fd, strerror(errno));
    lw_stream_pump *pump = lw_alloc_zero(1, sizeof(*pump));
    if (!pump)
        return lw_error_nomem(err);
    pump->stream = stream;
    pump->watch = (lw_transport_watch){ .fd = fd, .on_event = on_event, .arg = pump };
    lw_buf_init(&pump->late, LW_STREAM_READ_SIZE);
    lw_status st = lw_transport_watch_add(stream->session->transport, &pump->watch, err);
    if (st < 0) {
        lw_stream_pump_free(pump);
        return st;
    }
    pump->owns_fd = owns_fd;
    *out = pump;
    return LW_OK;
}

void lw_stream_pump_disown(lw_stream_pump *pump)
{
    pump->owns_fd = false;
}

void lw_stream_pump_free(lw_stream_pump *pump)
{
    if (!pump)
        return;
    lw_transport_watch_remove(&pump->watch);
    if (pump->owns_fd)
        (void)close(pump->watch.fd);
    lw_buf_done(&pump->late);
    lw_free(pump);
}
