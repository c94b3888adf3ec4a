/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h -- one thread that waits for many things: descriptors, timers, tasks from other threads.
 *
 * A loop belongs to the thread that runs it; only lw_loop_post and lw_loop_stop may be called from
 * elsewhere.  Callbacks run one after the other.  What a callback wants freed may still have an
 * event waiting in the batch at hand: free it through lw_loop_defer. */
#ifndef LW_NET_LOOP_H
#define LW_NET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/sys/clock.h>

#include "base/dlist.h"
#include "base/heap.h"

typedef struct lw_loop lw_loop;

enum {
    LW_IO_READ = 1 << 0,
    LW_IO_WRITE = 1 << 1,
    LW_IO_GONE = 1 << 2, /* told, never asked for: error or hang-up */
};

/* A descriptor somebody waits on; lives in its owner's memory. */
typedef struct lw_io {
    int fd;
    unsigned wanted; /* LW_IO_READ, LW_IO_WRITE; level-triggered */
    void (*ready)(struct lw_io *io, unsigned events);
} lw_io;

/* A moment somebody waits for; starts zeroed. */
typedef struct lw_timer {
    lw_heap_node node;
    int64_t deadline_ns; /* of the loop's clock */
    void (*fire)(struct lw_timer *timer);
} lw_timer;

/* Work for the loop, given by any thread or put off by itself; starts zeroed.  It is in one queue
 * at most and may free itself when it runs. */
typedef struct lw_task {
    lw_dlist_node link;
    void (*run)(struct lw_task *task);
} lw_task;

/* NULL |clock|: the system's.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_loop_new(lw_loop **out, const lw_clock *clock, lw_error *err);

/* Not while it runs.  Tasks still posted are run; everything else must be gone.  NULL does
 * nothing. */
void lw_loop_free(lw_loop *loop);

/* Runs until lw_loop_stop.  LW_OK, or LW_ERR_IO when the system fails it. */
lw_status lw_loop_run(lw_loop *loop, lw_error *err);

/* Waits at most |timeout_ms| (-1: for ever) and handles one batch; for tests and own loops. */
lw_status lw_loop_turn(lw_loop *loop, int timeout_ms, lw_error *err);

/* For a loop inside of another: readable when a turn has something to do, and how long it may be
 * left alone (ms; -1: for ever). */
int lw_loop_fd(const lw_loop *loop);
int lw_loop_timeout_ms(const lw_loop *loop);

/* Makes lw_loop_run return after the batch at hand.  Any thread. */
void lw_loop_stop(lw_loop *loop);

/* Runs |task| on the loop's thread, after what was posted before.  Any thread; never fails. */
void lw_loop_post(lw_loop *loop, lw_task *task);

/* Runs |task| at the end of the batch at hand, when no event of it can name what it frees; what is
 * deferred there runs in the same end.  The loop's thread. */
void lw_loop_defer(lw_loop *loop, lw_task *task);

/* Starts, changes (io->wanted) and ends the wait on io->fd.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_loop_add(lw_loop *loop, lw_io *io, lw_error *err);
void lw_loop_change(lw_loop *loop, lw_io *io, unsigned wanted);
void lw_loop_remove(lw_loop *loop, lw_io *io);

/* Sets |timer| to fire at |deadline_ns|, anew if it is set.  LW_ERR_NOMEM. */
lw_status lw_timer_set(lw_loop *loop, lw_timer *timer, int64_t deadline_ns);
void lw_timer_cancel(lw_loop *loop, lw_timer *timer); /* does nothing when it is not set */

/* The time as of the batch at hand. */
int64_t lw_loop_now(const lw_loop *loop);

const lw_clock *lw_loop_clock(const lw_loop *loop);

/* A pointer for whoever set the loop up. */
void lw_loop_set_data(lw_loop *loop, void *data);
void *lw_loop_data(const lw_loop *loop);

#endif
