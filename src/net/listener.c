/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c -- accepts connections in batches. */
#include "net/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/error.h"

enum {
    BACKLOG = 1024,
    ACCEPT_BATCH = 64,     /* connections accepted before other descriptors are served */
    KEEPALIVE_IDLE_S = 60, /* a client that has vanished is detected ... */
    KEEPALIVE_EVERY_S = 15,
    KEEPALIVE_TIMES = 4, /* ... after two minutes */
};

/* Accepts one connection.  False: there is none, or accepting failed. */
static bool accept_one(lw_listener *listener)
{
    lw_address peer = { .len = sizeof(peer.storage) };
    int fd = accept4(listener->io.fd, (struct sockaddr *)&peer.storage, &peer.len,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        listener->accepted(listener, fd, &peer);
        return true;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        /* The connection stays in the backlog, and epoll would report it again and again. */
        lw_listener_set_accepting(listener, false);
        listener->exhausted(listener);
        return false;
    }
    /* An error of one connection (accept(2)) does not concern the next one. */
    return errno != EAGAIN && errno != EWOULDBLOCK;
}

static void listener_ready(lw_io *io, unsigned events)
{
    (void)events;
    lw_listener *listener = LW_CONTAINER_OF(io, lw_listener, io);
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        if (!listener->has_room(listener)) {
            lw_listener_set_accepting(listener, false);
            return;
        }
        if (!accept_one(listener))
            return;
    }
}

static void set_option(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof(value));
}

/* Accepted sockets inherit these options. */
static void set_options(int fd, int family)
{
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_TIMES);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}

static lw_status open_socket(int fd, const lw_address *address, uint16_t *port, lw_error *err)
{
    char text[LW_ADDRESS_SIZE];
    lw_str name = lw_address_format(address, text);
    lw_address got = { .len = sizeof(got.storage) };
    set_options(fd, address->storage.ss_family);
    if (bind(fd, (const struct sockaddr *)&address->storage, address->len) < 0 ||
        listen(fd, BACKLOG) < 0 || getsockname(fd, (struct sockaddr *)&got.storage, &got.len) < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot listen on %.*s: %s", (int)name.len, name.ptr,
                            strerror(errno));
    *port = lw_address_port(&got);
    return LW_OK;
}

lw_status lw_listener_new(lw_listener **out, lw_loop *loop, const lw_address *address,
                          lw_error *err)
{
    lw_listener *listener = lw_alloc_zero(1, sizeof(*listener));
    if (!listener)
        return lw_error_nomem(err);
    listener->loop = loop;
    listener->io.wanted = LW_IO_READ;
    listener->io.ready = listener_ready;
    listener->io.fd =
        socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    lw_status st = LW_OK;
    if (listener->io.fd < 0)
        st = lw_error_set(err, LW_ERR_IO, "cannot create a socket to listen on: %s",
                          strerror(errno));
    if (st == LW_OK)
        st = open_socket(listener->io.fd, address, &listener->port, err);
    if (st == LW_OK)
        st = lw_loop_add(loop, &listener->io, err);
    if (st < 0) {
        if (listener->io.fd >= 0)
            close(listener->io.fd);
        lw_free(listener);
        return st;
    }
    *out = listener;
    return LW_OK;
}

void lw_listener_free(lw_listener *listener)
{
    if (!listener)
        return;
    lw_loop_remove(listener->loop, &listener->io);
    close(listener->io.fd);
    lw_free(listener);
}

void lw_listener_set_accepting(lw_listener *listener, bool is_accepting)
{
    lw_loop_change(listener->loop, &listener->io, is_accepting ? LW_IO_READ : 0);
}
