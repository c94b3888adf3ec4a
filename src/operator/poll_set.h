/* SPDX-License-Identifier: Apache-2.0 */
/* poll_set.h -- one descriptor that is readable if one of several is, and that any thread can make
 * readable. */
#ifndef LW_OPERATOR_POLL_SET_H
#define LW_OPERATOR_POLL_SET_H

#include <stdbool.h>

#include <listwatch/error.h>

typedef struct lw_poll_set {
    int fd;      /* to poll; -1: not initialised */
    int wake_fd; /* an eventfd in it */
} lw_poll_set;

/* The value that lw_poll_set_done accepts before lw_poll_set_init. */
#define LW_POLL_SET_NONE                                                                           \
    {                                                                                              \
        -1, -1                                                                                     \
    }

/* LW_ERR_IO: cannot create a descriptor. */
LW_MUST_CHECK lw_status lw_poll_set_init(lw_poll_set *set, lw_error *err);
void lw_poll_set_done(lw_poll_set *set);

/* Adds |fd|, which stays open until it is removed or the set is done.  LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_poll_set_add(lw_poll_set *set, int fd, lw_error *err);
void lw_poll_set_remove(lw_poll_set *set, int fd);

/* From now on, |fd| makes the set readable when it is writable.  Returns false on failure. */
bool lw_poll_set_for_writing(lw_poll_set *set, int fd);

/* Makes the set readable until lw_poll_set_clear.  Any thread; safe in a signal handler. */
void lw_poll_set_wake(const lw_poll_set *set);
void lw_poll_set_clear(const lw_poll_set *set);

/* Returns the shorter of two timeouts, of which -1 is none. */
int lw_timeout_min(int a_ms, int b_ms);

/* Returns the time from |now_ns| to |due_ns| in milliseconds, rounded up; -1 for INT64_MAX. */
int lw_timeout_until(int64_t due_ns, int64_t now_ns);

#endif
