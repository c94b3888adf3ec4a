/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h -- one descriptor for a provider and for wake-ups from other threads. */
#ifndef LW_INFORMER_DRIVER_H
#define LW_INFORMER_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <listwatch/error.h>

typedef struct lw_driver {
    int epoll_fd;
    int wake_fd;
    atomic_bool is_woken; /* the eventfd is written, or about to be, and not emptied since */
} lw_driver;

/* |fd|: the provider's; -1: it has none.  LW_ERR_IO. */
lw_status lw_driver_init(lw_driver *driver, int fd, lw_error *err);
void lw_driver_done(lw_driver *driver);

/* Readable when the provider's descriptor is, or after a wake. */
static inline int lw_driver_fd(const lw_driver *driver)
{
    return driver->epoll_fd;
}

/* Any thread; a handler, a signal handler even. */
void lw_driver_wake(lw_driver *driver);

/* Forgets wake-ups so far; before what they were about is looked at. */
void lw_driver_clear(lw_driver *driver);

/* Waits until the descriptor is readable or |timeout_ms| (-1: no limit) are over. */
void lw_driver_wait(const lw_driver *driver, int timeout_ms);

#endif
