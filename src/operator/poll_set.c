/* SPDX-License-Identifier: Apache-2.0 */
/* poll_set.c -- an epoll with an eventfd in it. */
#include "operator/poll_set.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <listwatch/time.h>

lw_status lw_poll_set_init(lw_poll_set *set, lw_error *err)
{
    *set = (lw_poll_set){ epoll_create1(EPOLL_CLOEXEC), -1 };
    if (set->fd < 0)
        return lw_error_set(err, LW_ERR_IO, "epoll_create1: %s", strerror(errno));
    set->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    lw_status st = set->wake_fd < 0 ? lw_error_set(err, LW_ERR_IO, "eventfd: %s", strerror(errno))
                                    : lw_poll_set_add(set, set->wake_fd, err);
    if (st < 0)
        lw_poll_set_done(set);
    return st;
}

void lw_poll_set_done(lw_poll_set *set)
{
    if (set->wake_fd >= 0)
        (void)close(set->wake_fd);
    if (set->fd >= 0)
        (void)close(set->fd);
    *set = (lw_poll_set)LW_POLL_SET_NONE;
}

lw_status lw_poll_set_add(lw_poll_set *set, int fd, lw_error *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };
    if (epoll_ctl(set->fd, EPOLL_CTL_ADD, fd, &event) == 0)
        return LW_OK;
    return lw_error_set(err, LW_ERR_IO, "epoll_ctl: %s", strerror(errno));
}

void lw_poll_set_remove(lw_poll_set *set, int fd)
{
    (void)epoll_ctl(set->fd, EPOLL_CTL_DEL, fd, NULL);
}

bool lw_poll_set_for_writing(lw_poll_set *set, int fd)
{
    struct epoll_event event = { .events = EPOLLOUT, .data = { .fd = fd } };
    return epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &event) == 0;
}

void lw_poll_set_wake(const lw_poll_set *set)
{
    const uint64_t one = 1;
    int saved = errno;
    /* It fails only if it is readable already. */
    if (write(set->wake_fd, &one, sizeof(one)) < 0)
        errno = saved;
}

void lw_poll_set_clear(const lw_poll_set *set)
{
    uint64_t count;
    /* It fails only if nobody has woken it. */
    if (read(set->wake_fd, &count, sizeof(count)) < 0)
        errno = 0;
}

int lw_timeout_min(int a_ms, int b_ms)
{
    if (a_ms < 0 || b_ms < 0)
        return a_ms < 0 ? b_ms : a_ms;
    return a_ms < b_ms ? a_ms : b_ms;
}

int lw_timeout_until(int64_t due_ns, int64_t now_ns)
{
    if (due_ns == INT64_MAX)
        return -1;
    if (due_ns <= now_ns)
        return 0;
    int64_t ms = (due_ns - now_ns + LW_NS_PER_MS - 1) / LW_NS_PER_MS;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}
