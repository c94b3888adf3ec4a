/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c -- one descriptor for the provider and for wake-ups: an epoll of two descriptors, so
 * that an event loop of the program waits for one descriptor. */
#include "informer/factory/driver.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

static int watch_fd(lw_driver *driver, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };
    return fd < 0 ? 0 : epoll_ctl(driver->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

lw_status lw_driver_init(lw_driver *driver, int fd, lw_error *err)
{
    atomic_init(&driver->is_woken, false);
    driver->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    driver->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (driver->epoll_fd >= 0 && driver->wake_fd >= 0 && watch_fd(driver, driver->wake_fd) == 0 &&
        watch_fd(driver, fd) == 0)
        return LW_OK;
    lw_status st =
        lw_error_set(err, LW_ERR_IO, "cannot create the file descriptors of a factory: %s",
                     strerror(errno));
    lw_driver_done(driver);
    return st;
}

void lw_driver_done(lw_driver *driver)
{
    if (driver->epoll_fd >= 0)
        close(driver->epoll_fd);
    if (driver->wake_fd >= 0)
        close(driver->wake_fd);
    driver->epoll_fd = -1;
    driver->wake_fd = -1;
}

void lw_driver_wake(lw_driver *driver)
{
    uint64_t one = 1;
    ssize_t got;
    if (atomic_exchange(&driver->is_woken, true))
        return;
    do
        got = write(driver->wake_fd, &one, sizeof(one));
    while (got < 0 && errno == EINTR);
}

/* Most turns are caused by the network: then there is nothing to read, and no system call is
 * needed.  The eventfd is read before the flag is reset: a thread that wakes in between need not
 * write, because its work is looked at after this; a thread that wakes later writes again.  If the
 * flag is set and the write has not happened yet, the flag stays set; otherwise nobody would read
 * the eventfd. */
void lw_driver_clear(lw_driver *driver)
{
    uint64_t count;
    ssize_t got;
    if (!atomic_load(&driver->is_woken))
        return;
    do
        got = read(driver->wake_fd, &count, sizeof(count));
    while (got < 0 && errno == EINTR);
    if (got > 0)
        (void)atomic_exchange(&driver->is_woken, false);
}

void lw_driver_wait(const lw_driver *driver, int timeout_ms)
{
    struct pollfd wanted = { .fd = driver->epoll_fd, .events = POLLIN };
    /* The result does not matter: a turn follows in any case. */
    (void)poll(&wanted, 1, timeout_ms);
}

void lw_driver_pause(const lw_driver *driver, int timeout_ms)
{
    struct pollfd wanted = { .fd = driver->wake_fd, .events = POLLIN };
    (void)poll(&wanted, 1, timeout_ms);
}
