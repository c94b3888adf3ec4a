/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes.h -- counts the bytes of replies that were made for one request and that its client
 * has not taken yet, and limits them: for each user, and for all users together.
 *
 * Bytes that replies share with the watch cache, or with each other, do not count.  Nothing that is
 * already made is refused; a producer asks for room before it makes more.  Any thread. */
#ifndef LW_API_CONTEXT_HELD_BYTES_H
#define LW_API_CONTEXT_HELD_BYTES_H

#include "base/buf.h"
#include "base/dlist.h"
#include "net/loop.h"

typedef struct lw_held_bytes lw_held_bytes;

enum {
    LW_HELD_BYTES_MAX = 128 * 1024 * 1024,     /* default for all users together */
    LW_HELD_USER_BYTES_MAX = 32 * 1024 * 1024, /* default for one user */
};

/* LW_ERR_NOMEM. */
lw_status lw_held_bytes_new(lw_held_bytes **out, size_t max, size_t user_max);
void lw_held_bytes_unref(lw_held_bytes *held); /* NULL does nothing */

/* Counts |bytes| for |user| until they are released, if only this reply has them.  Returns the
 * bytes to send.  Without memory to count them, they do not count. */
lw_bytes lw_held_bytes_charge(lw_held_bytes *held, lw_str user, lw_bytes bytes);

/* As lw_held_bytes_charge for bytes that only this reply has, whoever releases them. */
lw_bytes lw_held_bytes_charge_own(lw_held_bytes *held, lw_str user, lw_bytes bytes);

/* Returns true if |user| may have large replies made. */
bool lw_held_bytes_has_room(lw_held_bytes *held, lw_str user);

/* Returns true if |user| may not even have small replies made: twice as much is held.  So the
 * streamed lists of one client, which wait at the first limit, do not block the small requests of
 * another one. */
bool lw_held_bytes_is_exhausted(lw_held_bytes *held, lw_str user);

/* A producer that waits for room; zeroed. */
typedef struct lw_held_waiter {
    lw_dlist_node link;
    lw_str user;
    lw_loop *loop;
    lw_task *task;
} lw_held_waiter;

/* Posts |task| to |loop| when |user| has room.  False: there is room now, and nothing is posted.
 * |user| must live until then. */
bool lw_held_bytes_wait(lw_held_bytes *held, lw_held_waiter *waiter, lw_str user, lw_loop *loop,
                        lw_task *task);

/* Ends the wait.  False: the task is already posted. */
bool lw_held_bytes_cancel(lw_held_bytes *held, lw_held_waiter *waiter);

typedef struct lw_held_stats {
    size_t bytes, max;
    size_t users, waiting; /* users with held bytes; producers that wait */
} lw_held_stats;

void lw_held_bytes_read(lw_held_bytes *held, lw_held_stats *stats);

#endif
