/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.h -- cancels what threads wait for: a flag with a descriptor to poll,
 * and scopes that determine the affected threads.
 *
 * Code that runs foreign code in a thread (a worker, a handler) enters a scope around it.  Blocking
 * functions also poll the descriptors of the scopes of their thread.  So the foreign code need not
 * pass anything along. */
#ifndef LW_BASE_THREAD_CANCEL_H
#define LW_BASE_THREAD_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>

typedef struct lw_cancel {
    atomic_bool is_fired;
    int fd; /* readable after the flag is set; -1: not initialised */
} lw_cancel;

enum {
    LW_CANCEL_SCOPES_MAX = 8, /* nested scopes of one thread that are polled */
};

/* The value that lw_cancel_done accepts before lw_cancel_init. */
#define LW_CANCEL_NONE                                                                             \
    {                                                                                              \
        false, -1                                                                                  \
    }

/* Initialises the flag.  LW_ERR_IO: cannot create a descriptor. */
LW_MUST_CHECK lw_status lw_cancel_init(lw_cancel *cancel, lw_error *err);
void lw_cancel_done(lw_cancel *cancel);

/* Sets the flag; does not wait.  Any thread. */
void lw_cancel_fire(lw_cancel *cancel);
bool lw_cancel_is_fired(const lw_cancel *cancel);

/* Clears the flag; no other thread may set it at the same time. */
void lw_cancel_reset(lw_cancel *cancel);

/* A scope of the calling thread; it is on the stack between enter and leave. */
typedef struct lw_cancel_scope {
    const lw_cancel *cancel;
    const struct lw_cancel_scope *outer;
} lw_cancel_scope;

void lw_cancel_enter(lw_cancel_scope *scope, const lw_cancel *cancel);
void lw_cancel_leave(const lw_cancel_scope *scope);

/* Returns true if a scope of the calling thread is cancelled. */
bool lw_cancel_is_due(void);

/* Gets the descriptors to poll for that; returns their number. */
size_t lw_cancel_fds(int fds[LW_CANCEL_SCOPES_MAX]);

#endif
