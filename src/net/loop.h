/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h -- an event loop: one thread waits for descriptors, timers and tasks from other threads.
 *
 * A loop belongs to the thread that runs it; only lw_loop_post and lw_loop_stop may be called from
 * other threads.  Callbacks run one after the other.  Memory that a callback wants to free may
 * still have an event in the current batch: free it with lw_loop_defer. */
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
    LW_IO_GONE = 1 << 2, /* reported, never requested: error or hang-up */
};

/* A descriptor to wait on; embedded in its owner. */
typedef struct lw_io {
    int fd;
    unsigned wanted; /* LW_IO_READ, LW_IO_WRITE; level-triggered */
    void (*ready)(struct lw_io *io, unsigned events);
} lw_io;

/* A timer; must be zeroed. */
typedef struct lw_timer {
    lw_heap_node node;
    int64_t deadline_ns; /* by the loop's clock */
    void (*fire)(struct lw_timer *timer);
} lw_timer;

/* A task for the loop, posted by any thread or deferred by the loop; must be zeroed.  It is in at
 * most one queue and may free itself when it runs. */
typedef struct lw_task {
    lw_dlist_node link;
    void (*run)(struct lw_task *task);
} lw_task;

/* Creates a loop.  NULL |clock|: the system's.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_loop_new(lw_loop **out, const lw_clock *clock, lw_error *err);

/* Frees the loop, which must not run.  Posted tasks are run; everything else must have been
 * removed.  NULL does nothing. */
void lw_loop_free(lw_loop *loop);

/* Runs until lw_loop_stop.  LW_OK, or LW_ERR_IO if epoll fails. */
lw_status lw_loop_run(lw_loop *loop, lw_error *err);

/* Waits at most |timeout_ms| (-1: forever) and handles one batch; for tests and other loops.  Not
 * inside a batch. */
lw_status lw_loop_turn(lw_loop *loop, int timeout_ms, lw_error *err);

/* For a loop inside another one: a descriptor that is readable when there is work, and how long the
 * loop may wait (ms; -1: forever). */
int lw_loop_fd(const lw_loop *loop);
int lw_loop_timeout_ms(const lw_loop *loop);

/* Makes lw_loop_run return after the current batch.  Any thread. */
void lw_loop_stop(lw_loop *loop);

/* Runs |task| on the loop's thread, after previously posted tasks.  Any thread; never fails. */
void lw_loop_post(lw_loop *loop, lw_task *task);

/* Runs |task| at the end of the current batch, when no event refers to what it frees; tasks
 * deferred there run in the same batch.  The loop's thread. */
void lw_loop_defer(lw_loop *loop, lw_task *task);

/* Runs |task| in the next batch, which begins without waiting.  To cancel it, remove its link from
 * the list it is in.  The loop's thread. */
void lw_loop_later(lw_loop *loop, lw_task *task);

/* Returns the number of the current batch. */
uint64_t lw_loop_batch(const lw_loop *loop);

/* Start, change (io->wanted) and end the wait on io->fd.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_loop_add(lw_loop *loop, lw_io *io, lw_error *err);
void lw_loop_change(lw_loop *loop, lw_io *io, unsigned wanted);
void lw_loop_remove(lw_loop *loop, lw_io *io);

/* Sets |timer| to fire at |deadline_ns|; replaces an earlier deadline.  LW_ERR_NOMEM. */
lw_status lw_timer_set(lw_loop *loop, lw_timer *timer, int64_t deadline_ns);
void lw_timer_cancel(lw_loop *loop, lw_timer *timer); /* does nothing if it is not set */

/* Returns the time at which the current batch began. */
int64_t lw_loop_now(const lw_loop *loop);

const lw_clock *lw_loop_clock(const lw_loop *loop);

/* A pointer for the creator of the loop. */
void lw_loop_set_data(lw_loop *loop, void *data);
void *lw_loop_data(const lw_loop *loop);

#endif
