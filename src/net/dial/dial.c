/* SPDX-License-Identifier: Apache-2.0 */
/* dial.c -- connects to one address after the other until one accepts.
 *
 *     start ──▶ [resolving] ──▶ trying the first ──refused or timed out──▶ trying the next
 *     trying ──connected──▶ done       the last has failed ──▶ done */
#include "net/dial/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/error.h"
#include "net/dial/resolve.h"

struct lw_dial {
    lw_loop *loop;
    lw_resolve *resolve; /* NULL: not resolving */
    lw_io io;            /* fd -1: not connecting */
    lw_timer timer;
    lw_task begin;
    lw_dial_fn done;
    void *arg;
    int64_t deadline_ns;
    lw_error err; /* error of the last address */
    size_t count, at;
    lw_address addresses[LW_RESOLVE_MAX];
};

static void try_next(lw_dial *dial);

/* Ends the current attempt; returns its socket. */
static int stop_trying(lw_dial *dial)
{
    int fd = dial->io.fd;
    lw_timer_cancel(dial->loop, &dial->timer);
    if (fd >= 0)
        lw_loop_remove(dial->loop, &dial->io); /* also removes its events from the current batch */
    dial->io.fd = -1;
    return fd;
}

static void dial_free(lw_dial *dial)
{
    if (dial->resolve)
        lw_resolve_cancel(dial->resolve);
    if (lw_dlist_node_is_linked(&dial->begin.link))
        lw_dlist_remove(&dial->begin.link);
    lw_free(dial);
}

static void tell(lw_dial *dial, int fd)
{
    lw_dial_fn done = dial->done;
    void *arg = dial->arg;
    lw_error err = dial->err;
    dial_free(dial);
    done(fd, fd < 0 ? &err : NULL, arg);
}

static void note_failure(lw_dial *dial, lw_status st, const char *why)
{
    char text[LW_ADDRESS_SIZE];
    lw_str name = lw_address_format(&dial->addresses[dial->at], text);
    (void)lw_error_set(&dial->err, st, "%.*s: %s", (int)name.len, name.ptr, why);
}

/* Maps errors of a socket: most mean that the server is unavailable. */
static lw_status status_of(int error)
{
    if (error == ETIMEDOUT)
        return LW_ERR_TIMEOUT;
    if (error == ENOMEM || error == ENOBUFS)
        return LW_ERR_NOMEM;
    return error == EMFILE || error == ENFILE ? LW_ERR_IO : LW_ERR_UNAVAILABLE;
}

static void io_ready(lw_io *io, unsigned events)
{
    (void)events;
    lw_dial *dial = LW_CONTAINER_OF(io, lw_dial, io);
    int error = 0;
    socklen_t len = sizeof(error);
    int fd = stop_trying(dial);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        error = errno;
    if (error == 0) {
        tell(dial, fd);
        return;
    }
    note_failure(dial, status_of(error), strerror(error));
    close(fd);
    dial->at++;
    try_next(dial);
}

static void timer_fired(lw_timer *timer)
{
    lw_dial *dial = LW_CONTAINER_OF(timer, lw_dial, timer);
    close(stop_trying(dial));
    note_failure(dial, LW_ERR_TIMEOUT, "connection timed out");
    dial->at++;
    try_next(dial);
}

/* Starts to connect to |address|; returns the socket, or -1 and errno. */
static int connect_to(const lw_address *address)
{
    int on = 1;
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, (const struct sockaddr *)&address->storage, address->len) == 0 ||
        errno == EINPROGRESS || errno == EINTR)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* True if an attempt for the current address has started. */
static bool try_one(lw_dial *dial)
{
    int64_t now = lw_loop_now(dial->loop);
    int64_t share = (dial->deadline_ns - now) / (int64_t)(dial->count - dial->at);
    int fd = connect_to(&dial->addresses[dial->at]);
    if (fd < 0) {
        note_failure(dial, status_of(errno), strerror(errno));
        return false;
    }
    dial->io.fd = fd;
    dial->io.wanted = LW_IO_WRITE;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_loop_add(dial->loop, &dial->io, &err);
    if (st < 0) {
        dial->io.fd = -1;
        close(fd);
    } else if (lw_timer_set(dial->loop, &dial->timer, now + share) < 0) {
        st = lw_error_nomem(&err);
        close(stop_trying(dial));
    }
    if (st < 0)
        note_failure(dial, st, err.message);
    return st == LW_OK;
}

static void try_next(lw_dial *dial)
{
    for (; dial->at < dial->count; dial->at++) {
        if (try_one(dial))
            return;
    }
    tell(dial, -1);
}

static void begin(lw_task *task)
{
    lw_dial *dial = LW_DLIST_ITEM(&task->link, lw_dial, begin.link);
    try_next(dial);
}

static void looked_up(const lw_address *addresses, size_t count, const lw_error *err, void *arg)
{
    lw_dial *dial = arg;
    dial->resolve = NULL;
    if (err)
        dial->err = *err;
    dial->count = count;
    memcpy(dial->addresses, addresses, count * sizeof(addresses[0]));
    try_next(dial);
}

static lw_dial *dial_new(lw_loop *loop, int64_t deadline_ns, lw_dial_fn done, void *arg)
{
    lw_dial *dial = lw_alloc_zero(1, sizeof(*dial));
    if (!dial)
        return NULL;
    dial->loop = loop;
    dial->io = (lw_io){ .fd = -1, .wanted = LW_IO_WRITE, .ready = io_ready };
    dial->timer.fire = timer_fired;
    dial->begin.run = begin;
    dial->done = done;
    dial->arg = arg;
    dial->deadline_ns = deadline_ns;
    return dial;
}

lw_status lw_dial_start_at(lw_dial **out, lw_loop *loop, const lw_address *addresses, size_t count,
                           int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err)
{
    if (count == 0 || count > LW_RESOLVE_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "%zu addresses given; 1 to %d are allowed", count,
                            LW_RESOLVE_MAX);
    lw_dial *dial = dial_new(loop, deadline_ns, done, arg);
    if (!dial)
        return lw_error_nomem(err);
    dial->count = count;
    memcpy(dial->addresses, addresses, count * sizeof(addresses[0]));
    lw_loop_defer(loop, &dial->begin);
    *out = dial;
    return LW_OK;
}

lw_status lw_dial_start(lw_dial **out, lw_loop *loop, const char *host, uint16_t port,
                        int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err)
{
    lw_address address;
    if (lw_resolve_numeric(&address, host, port))
        return lw_dial_start_at(out, loop, &address, 1, deadline_ns, done, arg, err);
    lw_dial *dial = dial_new(loop, deadline_ns, done, arg);
    if (!dial)
        return lw_error_nomem(err);
    lw_status st = lw_resolve_start(&dial->resolve, loop, host, port, looked_up, dial, err);
    if (st < 0) {
        lw_free(dial);
        return st;
    }
    *out = dial;
    return LW_OK;
}

void lw_dial_cancel(lw_dial *dial)
{
    if (!dial)
        return;
    int fd = stop_trying(dial);
    if (fd >= 0)
        close(fd);
    dial_free(dial);
}
