/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.h -- ends what threads wait for: a flag that never falls again, with a descriptor to poll,
 * and the scopes that say which threads it is for.
 *
 * Whoever runs foreign code on a thread (a worker, a handler) enters a scope around it; whatever
 * that code waits for polls the descriptors of the thread's scopes as well.  So the code need not
 * pass anything along. */
#ifndef LW_BASE_CANCEL_H
#define LW_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>

typedef struct lw_cancel {
    atomic_bool is_fired;
    int fd; /* readable once it is; -1: not initialized */
} lw_cancel;

enum {
    LW_CANCEL_SCOPES_MAX = 8, /* of one thread, one inside of the other, that are looked at */
};

/* What lw_cancel_done accepts before lw_cancel_init. */
#define LW_CANCEL_NONE                                                                             \
    {                                                                                              \
        false, -1                                                                                  \
    }

/* LW_ERR_IO: no descriptor. */
LW_MUST_CHECK lw_status lw_cancel_init(lw_cancel *cancel, lw_error *err);
void lw_cancel_done(lw_cancel *cancel);

/* For good; does not wait.  Any thread. */
void lw_cancel_fire(lw_cancel *cancel);
bool lw_cancel_is_fired(const lw_cancel *cancel);

/* A scope of the calling thread; lives on its stack between the two. */
typedef struct lw_cancel_scope {
    const lw_cancel *cancel;
    const struct lw_cancel_scope *outer;
} lw_cancel_scope;

void lw_cancel_enter(lw_cancel_scope *scope, const lw_cancel *cancel);
void lw_cancel_leave(const lw_cancel_scope *scope);

/* Whether one of the calling thread's scopes is cancelled. */
bool lw_cancel_is_due(void);

/* The descriptors to poll for that; returns how many. */
size_t lw_cancel_fds(int fds[LW_CANCEL_SCOPES_MAX]);

#endif
