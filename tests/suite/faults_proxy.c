/* SPDX-License-Identifier: Apache-2.0 */
/* faults_proxy.c -- forwards bytes between two sockets until a fault occurs. */
#include "suite/faults_proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/test.h"

static struct sockaddr_in loopback(unsigned port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

static int new_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    return fd;
}

void faults_proxy_open(faults_proxy *proxy, unsigned to_port, uint64_t seed)
{
    struct sockaddr_in at = loopback(0);
    socklen_t len = sizeof(at);
    *proxy = (faults_proxy){ .to_port = to_port, .is_faulty = true };
    lw_random_init(&proxy->random, seed);
    for (size_t i = 0; i < FAULTS_PIPES; i++)
        proxy->pipes[i].fds[0] = proxy->pipes[i].fds[1] = -1;
    proxy->listen_fd = new_socket();
    assert_int_equal(bind(proxy->listen_fd, (const struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(proxy->listen_fd, FAULTS_PIPES), 0);
    assert_int_equal(getsockname(proxy->listen_fd, (struct sockaddr *)&at, &len), 0);
    proxy->port = ntohs(at.sin_port);
}

static void drop(faults_pipe *pipe, bool is_reset)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    for (int i = 0; i < 2; i++) {
        if (pipe->fds[i] >= 0 && is_reset)
            (void)setsockopt(pipe->fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        if (pipe->fds[i] >= 0)
            close(pipe->fds[i]);
        pipe->fds[i] = -1;
    }
}

void faults_proxy_close(faults_proxy *proxy)
{
    for (size_t i = 0; i < FAULTS_PIPES; i++)
        drop(&proxy->pipes[i], false);
    close(proxy->listen_fd);
}

/* Draws how far a connection gets: into the handshake, the first request, or further. */
static uint64_t draw_distance(faults_proxy *proxy)
{
    static const uint64_t bounds[] = { 600, 4000, 8000, 20000 };
    return lw_random_below(&proxy->random, bounds[lw_random_below(&proxy->random, 4)]);
}

static faults_pipe *free_pipe(faults_proxy *proxy)
{
    for (size_t i = 0; i < FAULTS_PIPES; i++)
        if (proxy->pipes[i].fds[0] < 0)
            return &proxy->pipes[i];
    return NULL;
}

static bool accept_one(faults_proxy *proxy)
{
    const struct sockaddr_in to = loopback(proxy->to_port);
    struct pollfd at = { .fd = proxy->listen_fd, .events = POLLIN };
    faults_pipe *pipe = free_pipe(proxy);
    if (!pipe || poll(&at, 1, 0) <= 0)
        return false;
    pipe->fds[0] = accept4(proxy->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    assert_true(pipe->fds[0] >= 0);
    pipe->fds[1] = new_socket();
    assert_int_equal(connect(pipe->fds[1], (const struct sockaddr *)&to, sizeof(to)), 0);
    pipe->ways[0].at = pipe->ways[0].len = pipe->ways[1].at = pipe->ways[1].len = 0;
    pipe->is_hanging = false;
    bool is_bad = proxy->is_faulty && lw_random_below(&proxy->random, 4) != 0;
    pipe->end = FAULTS_PIPE_GOOD;
    if (is_bad)
        pipe->end = (faults_pipe_end)(1 + lw_random_below(&proxy->random, FAULTS_PIPE_ENDS - 1));
    pipe->left = is_bad ? draw_distance(proxy) : UINT64_MAX;
    return true;
}

static void do_end(faults_proxy *proxy, faults_pipe *pipe)
{
    proxy->ends[pipe->end]++;
    if (pipe->end == FAULTS_PIPE_HANGS)
        pipe->is_hanging = true;
    else
        drop(pipe, pipe->end == FAULTS_PIPE_RESETS);
}

/* Forwards the available bytes in one direction; false: there are none. */
static bool pass(faults_pipe *pipe, int from)
{
    char *bytes = pipe->ways[from].bytes;
    size_t room = FAULTS_PASSED < pipe->left ? FAULTS_PASSED : (size_t)pipe->left;
    bool has_moved = false;
    if (pipe->ways[from].at == pipe->ways[from].len && room > 0) {
        ssize_t got = recv(pipe->fds[from], bytes, room, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN)
            return false;
        if (got <= 0) {
            drop(pipe, got < 0);
            return true;
        }
        pipe->ways[from].at = 0;
        pipe->ways[from].len = (size_t)got;
        pipe->left -= pipe->left == UINT64_MAX ? 0 : (uint64_t)got;
        has_moved = true;
    }
    size_t waiting = pipe->ways[from].len - pipe->ways[from].at;
    if (waiting == 0)
        return has_moved;
    ssize_t sent = send(pipe->fds[1 - from], bytes + pipe->ways[from].at, waiting,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN)
        drop(pipe, false);
    if (sent > 0)
        pipe->ways[from].at += (size_t)sent;
    return has_moved || sent > 0;
}

/* Closes a hanging pipe when its client has gone. */
static bool look_after_hanging(faults_pipe *pipe)
{
    char byte;
    ssize_t got;
    do {
        got = recv(pipe->fds[0], &byte, 1, MSG_DONTWAIT);
    } while (got > 0);
    if (got < 0 && errno == EAGAIN)
        return false;
    drop(pipe, false);
    return true;
}

bool faults_proxy_turn(faults_proxy *proxy)
{
    bool has_moved = accept_one(proxy);
    for (size_t i = 0; i < FAULTS_PIPES; i++) {
        faults_pipe *pipe = &proxy->pipes[i];
        if (pipe->fds[0] >= 0 && pipe->is_hanging) {
            has_moved = look_after_hanging(pipe) || has_moved;
            continue;
        }
        for (int from = 0; from < 2; from++)
            if (pipe->fds[0] >= 0)
                has_moved = pass(pipe, from) || has_moved;
        bool is_passed =
            pipe->ways[0].at == pipe->ways[0].len && pipe->ways[1].at == pipe->ways[1].len;
        if (pipe->fds[0] >= 0 && pipe->left == 0 && is_passed)
            do_end(proxy, pipe);
    }
    return has_moved;
}

void faults_proxy_heal(faults_proxy *proxy)
{
    proxy->is_faulty = false;
    for (size_t i = 0; i < FAULTS_PIPES; i++)
        proxy->pipes[i].left = UINT64_MAX;
}

bool faults_proxy_is_dead(const faults_proxy *proxy)
{
    for (size_t i = 0; i < FAULTS_PIPES; i++)
        if (proxy->pipes[i].fds[0] >= 0 && !proxy->pipes[i].is_hanging)
            return false;
    return true;
}

size_t faults_proxy_poll_set(const faults_proxy *proxy, struct pollfd *set)
{
    size_t count = 0;
    set[count++] = (struct pollfd){ .fd = proxy->listen_fd, .events = POLLIN };
    for (size_t i = 0; i < FAULTS_PIPES; i++) {
        const faults_pipe *pipe = &proxy->pipes[i];
        for (int end = 0; end < 2; end++)
            if (pipe->fds[end] >= 0 && !pipe->is_hanging)
                set[count++] = (struct pollfd){ .fd = pipe->fds[end], .events = POLLIN };
    }
    return count;
}
