/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h -- one descriptor for the provider and for wake-ups from other threads. */
#ifndef LW_INFORMER_FACTORY_DRIVER_H
#define LW_INFORMER_FACTORY_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <listwatch/error.h>

typedef struct lw_driver {
    int epoll_fd;
    int wake_fd;
    atomic_bool is_woken; /* the eventfd was written, or will be, and has not been read since */
} lw_driver;

/* |fd| is the descriptor of the provider; -1: it has none.  LW_ERR_IO. */
lw_status lw_driver_init(lw_driver *driver, int fd, lw_error *err);
void lw_driver_done(lw_driver *driver);

/* Returns a descriptor that is readable if the one of the provider is, or after a wake-up. */
static inline int lw_driver_fd(const lw_driver *driver)
{
    return driver->epoll_fd;
}

/* Wakes the thread that dispatches.  Any thread, also from a handler or a signal handler. */
void lw_driver_wake(lw_driver *driver);

/* Resets wake-ups; called before the work they announce is done. */
void lw_driver_clear(lw_driver *driver);

/* Waits until the descriptor is readable, or for |timeout_ms| (-1: no limit). */
void lw_driver_wait(const lw_driver *driver, int timeout_ms);

/* Waits for |timeout_ms|, or until a wake-up; not for the descriptor of the provider. */
void lw_driver_pause(const lw_driver *driver, int timeout_ms);

#endif
