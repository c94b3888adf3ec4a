/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c -- reads and writes, plain or with TLS. */
#include "net/wire.h"

#include <errno.h>
#include <sys/socket.h>

lw_tls_result lw_wire_read(int fd, lw_tls_stream *tls, char *out, size_t cap, size_t *got)
{
    ssize_t result;
    if (tls)
        return lw_tls_stream_read(tls, out, cap, got);
    do
        result = recv(fd, out, cap, 0);
    while (result < 0 && errno == EINTR);
    if (result > 0) {
        *got = (size_t)result;
        return LW_TLS_OK;
    }
    if (result == 0)
        return LW_TLS_CLOSED;
    return errno == EAGAIN || errno == EWOULDBLOCK ? LW_TLS_WANTS_READ : LW_TLS_FAILED;
}

static lw_tls_result write_plain(int fd, const lw_conn_queue *queue, size_t *sent)
{
    struct iovec iov[LW_CONN_QUEUE_BATCH];
    struct msghdr message = { .msg_iov = iov };
    message.msg_iovlen = (size_t)lw_conn_queue_peek(queue, iov);
    ssize_t result;
    do
        result = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    if (result >= 0) {
        *sent = (size_t)result;
        return LW_TLS_OK;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? LW_TLS_WANTS_WRITE : LW_TLS_FAILED;
}

lw_tls_result lw_wire_write(int fd, lw_tls_stream *tls, const lw_conn_queue *queue, char *gather,
                            size_t cap, size_t *sent)
{
    if (!tls)
        return write_plain(fd, queue, sent);
    if (lw_tls_stream_takes_pieces(tls)) {
        struct iovec iov[LW_CONN_QUEUE_BATCH];
        size_t count = (size_t)lw_conn_queue_peek(queue, iov);
        return lw_tls_stream_write_pieces(tls, iov, count, sent);
    }
    size_t len = lw_conn_queue_gather(queue, gather, cap);
    return lw_tls_stream_write(tls, gather, len, sent);
}
