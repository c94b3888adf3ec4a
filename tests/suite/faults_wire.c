/* SPDX-License-Identifier: Apache-2.0 */
/* faults_wire.c -- sockets on loopback, and the breaks of their bytes. */
#include "suite/faults_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sync.h"
#include "suite/faults_trace.h"
#include "unit/test.h"

/* A socket on |port| (0: any), which others of this program may have as well. */
static int bound_socket(unsigned port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    const int yes = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void listen_now(faults_wire *wire)
{
    wire->listen_fd = bound_socket(wire->port);
    assert_int_equal(listen(wire->listen_fd, FAULTS_LINES), 0);
}

void faults_wire_open(faults_wire *wire)
{
    struct sockaddr_in at;
    socklen_t len = sizeof(at);
    wire->port_fd = bound_socket(0);
    assert_int_equal(getsockname(wire->port_fd, (struct sockaddr *)&at, &len), 0);
    wire->port = ntohs(at.sin_port);
    wire->refused_until_ns = 0;
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        wire->lines[i].fd = -1;
        lw_buf_init(&wire->lines[i].out, FAULTS_REPLY_MAX);
    }
    listen_now(wire);
}

void faults_wire_close(faults_wire *wire)
{
    faults_wire_cut_all(wire, false);
    for (size_t i = 0; i < FAULTS_LINES; i++)
        lw_buf_done(&wire->lines[i].out);
    if (wire->listen_fd >= 0)
        close(wire->listen_fd);
    close(wire->port_fd);
}

bool faults_line_is_idle(const faults_line *line)
{
    return line->out_at == line->out.len;
}

void faults_wire_cut(faults_wire *wire, faults_line *line, bool is_reset)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    if (line->fd < 0)
        return;
    faults_trace("line %zu: %s after %llu bytes", (size_t)(line - wire->lines),
                 is_reset ? "reset" : "closed", (unsigned long long)line->reply_sent);
    if (is_reset)
        (void)setsockopt(line->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(line->fd);
    line->fd = -1;
    wire->on_closed(line, wire->arg);
}

void faults_wire_cut_all(faults_wire *wire, bool is_reset)
{
    for (size_t i = 0; i < FAULTS_LINES; i++)
        faults_wire_cut(wire, &wire->lines[i], is_reset);
}

void faults_wire_refuse(faults_wire *wire, int64_t until_ns)
{
    if (wire->listen_fd >= 0)
        close(wire->listen_fd);
    wire->listen_fd = -1;
    wire->refused_until_ns = until_ns;
}

void faults_wire_heal(faults_wire *wire)
{
    wire->refused_until_ns = 0;
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        wire->lines[i].breaks = FAULTS_WHOLE;
        if (wire->lines[i].stalled_until_ns != LW_NEVER_NS)
            wire->lines[i].stalled_until_ns = 0;
        wire->lines[i].slow_bytes = 0;
    }
}

int64_t faults_wire_deadline_ns(const faults_wire *wire)
{
    int64_t deadline = wire->listen_fd < 0 ? wire->refused_until_ns : LW_NEVER_NS;
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        const faults_line *line = &wire->lines[i];
        if (line->fd >= 0 && line->stalled_until_ns > 0 && line->stalled_until_ns < deadline)
            deadline = line->stalled_until_ns;
    }
    return deadline;
}

/* Reading. */

static bool accept_one(faults_wire *wire)
{
    const int yes = 1;
    size_t i = 0;
    if (wire->listen_fd < 0 && lw_clock_now(wire->clock) >= wire->refused_until_ns)
        listen_now(wire);
    while (i < FAULTS_LINES && wire->lines[i].fd >= 0)
        i++;
    if (wire->listen_fd < 0 || i == FAULTS_LINES)
        return false;
    int fd = accept4(wire->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return false;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    faults_line *line = &wire->lines[i];
    lw_buf out = line->out;
    *line = (faults_line){ .fd = fd, .out = out };
    lw_buf_reset(&line->out);
    faults_trace("line %zu: connected", i);
    return true;
}

static void take_request(faults_wire *wire, faults_line *line)
{
    line->in[line->in_len] = '\0';
    char *end = strstr(line->in, "\r\n\r\n");
    if (!end || !faults_line_is_idle(line))
        return;
    *end = '\0';
    lw_buf_reset(&line->out);
    line->out_at = 0;
    line->reply_sent = 0;
    line->breaks = FAULTS_WHOLE;
    line->slow_bytes = 0;
    wire->on_request(line, line->in, wire->arg);
    size_t used = (size_t)(end + 4 - line->in);
    line->in_len -= used;
    memmove(line->in, line->in + used, line->in_len);
}

/* False: there was nothing to read. */
static bool read_line(faults_wire *wire, faults_line *line)
{
    size_t room = sizeof(line->in) - 1 - line->in_len;
    assert_true(room > 0);
    ssize_t got = recv(line->fd, line->in + line->in_len, room, 0);
    if (got < 0 && errno == EAGAIN)
        return false;
    if (got <= 0) {
        faults_wire_cut(wire, line, false);
        return true;
    }
    line->in_len += (size_t)got;
    return true;
}

/* Sending. */

/* Executes the break at this byte; true: the line is closed or stalled. */
static bool do_break(faults_wire *wire, faults_line *line)
{
    faults_break what = line->breaks;
    line->breaks = FAULTS_WHOLE;
    switch (what) {
    case FAULTS_FIN:
    case FAULTS_RESET: faults_wire_cut(wire, line, what == FAULTS_RESET); return true;
    case FAULTS_STALL:
        faults_trace("stalls after %llu bytes", (unsigned long long)line->reply_sent);
        line->stalled_until_ns = line->stall_ns == LW_NEVER_NS
                                     ? LW_NEVER_NS
                                     : lw_clock_now(wire->clock) + line->stall_ns;
        return true;
    default: return false;
    }
}

static size_t sendable(const faults_line *line)
{
    size_t len = line->out.len - line->out_at;
    if (line->breaks != FAULTS_WHOLE && line->reply_sent + len > line->break_at)
        len = (size_t)(line->break_at - line->reply_sent);
    bool is_slow = line->breaks == FAULTS_WHOLE && line->slow_bytes > 0;
    return is_slow && len > 1 ? 1 : len;
}

/* False: nothing could be sent. */
static bool send_line(faults_wire *wire, faults_line *line)
{
    if (line->stalled_until_ns > lw_clock_now(wire->clock))
        return false;
    line->stalled_until_ns = 0;
    if (line->breaks != FAULTS_WHOLE && line->reply_sent >= line->break_at && do_break(wire, line))
        return true;
    if (faults_line_is_idle(line)) {
        if (!line->ends_with_reply)
            return false;
        faults_wire_cut(wire, line, false);
        return true;
    }
    ssize_t sent = send(line->fd, line->out.data + line->out_at, sendable(line), MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno == EAGAIN)
            return false;
        faults_wire_cut(wire, line, false);
        return true;
    }
    line->out_at += (size_t)sent;
    line->reply_sent += (uint64_t)sent;
    if (line->breaks == FAULTS_WHOLE && line->slow_bytes > 0)
        line->slow_bytes--;
    return true;
}

bool faults_wire_turn(faults_wire *wire)
{
    bool has_moved = false;
    while (accept_one(wire))
        has_moved = true;
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        faults_line *line = &wire->lines[i];
        if (line->fd >= 0 && read_line(wire, line))
            has_moved = true;
        if (line->fd >= 0 && line->in_len > 0)
            take_request(wire, line);
        if (line->fd >= 0 && send_line(wire, line))
            has_moved = true;
    }
    return has_moved;
}
