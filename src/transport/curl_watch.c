/* SPDX-License-Identifier: Apache-2.0 */
/* curl_watch.c -- descriptors of others in the epoll set of a transport.  In the keys of events the
 * upper half is 0; pools have other numbers. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/error.h"
#include "transport/curl_internal.h"

bool curl_watch_poll(lw_transport *transport, int fd, uint64_t key, bool reads, bool writes)
{
    struct epoll_event event = {
        .events = (reads ? (uint32_t)EPOLLIN : 0) | (writes ? (uint32_t)EPOLLOUT : 0),
        .data = { .u64 = key },
    };
    if (!reads && !writes) {
        (void)epoll_ctl(transport->epoll_fd, EPOLL_CTL_DEL, fd, &event);
        return true;
    }
    if (epoll_ctl(transport->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
        return true;
    return errno == ENOENT && epoll_ctl(transport->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

lw_status lw_transport_watch_add(lw_transport *transport, lw_transport_watch *watch, lw_error *err)
{
    if (!curl_watch_poll(transport, watch->fd, (uint32_t)watch->fd, true, false))
        return lw_error_set(err, LW_ERR_IO, "epoll_ctl: %s", strerror(errno));
    (void)curl_watch_poll(transport, watch->fd, 0, false, false);
    watch->transport = transport;
    watch->next = transport->watches;
    transport->watches = watch;
    return LW_OK;
}

void lw_transport_watch_want(lw_transport_watch *watch, bool reads, bool writes)
{
    if (watch->transport)
        (void)curl_watch_poll(watch->transport, watch->fd, (uint32_t)watch->fd, reads, writes);
}

void lw_transport_watch_remove(lw_transport_watch *watch)
{
    if (!watch->transport)
        return;
    (void)curl_watch_poll(watch->transport, watch->fd, 0, false, false);
    lw_transport_watch **at = &watch->transport->watches;
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
    watch->transport = NULL;
}

void curl_watch_event(lw_transport *transport, int fd)
{
    for (lw_transport_watch *watch = transport->watches; watch; watch = watch->next) {
        if (watch->fd == fd) {
            watch->on_event(watch->arg);
            return;
        }
    }
}
