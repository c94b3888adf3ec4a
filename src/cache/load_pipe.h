/* SPDX-License-Identifier: Apache-2.0 */
/* load_pipe.h -- several threads load the objects of a resource: the caller reads the records, the
 * others make objects of them, and the caller helps when they do not keep up.
 *
 *     caller ──▶ filling ──▶ ring of batches: │ being made │ being made │ waiting │
 *                    ▲                              │
 *                    └────────── free ◀── put, in the order of the records
 *
 * The second thread and those after it are started when all batches are full.  There are
 * LW_LOAD_SPARE batches more than threads, so what is on its way is bounded.  A thread
 * that has made a batch puts all that are next in the order.  A resource that fits into one batch
 * is loaded by the caller alone, as is one whose threads cannot be started.  Threads: the functions
 * belong to the caller. */
#ifndef LW_CACHE_LOAD_PIPE_H
#define LW_CACHE_LOAD_PIPE_H

#include "base/sync.h"
#include "cache/load_batch.h"

enum {
    LW_LOAD_THREADS_MAX = 3,
    LW_LOAD_SPARE = 3,
    LW_LOAD_BATCHES_MAX = LW_LOAD_THREADS_MAX + LW_LOAD_SPARE,
};

typedef struct lw_load_pipe lw_load_pipe;

typedef struct lw_load_thread {
    lw_load_pipe *pipe;
    lw_load_maker maker;
    lw_thread thread;
} lw_load_thread;

struct lw_load_pipe {
    lw_cache_resource *resource;
    lw_load_batch *filling; /* NULL: the pipe was not made */
    lw_load_maker maker;    /* the caller's */
    size_t bytes;           /* of the batches that were handed over */
    bool is_alone;          /* no thread could be started */
    size_t thread_count, wanted_threads;
    lw_load_thread threads[LW_LOAD_THREADS_MAX];

    lw_mutex mu; /* guards the following members */
    lw_cond is_changed;
    lw_load_batch *ring[LW_LOAD_BATCHES_MAX]; /* by number, modulo its size */
    uint64_t next_put;                        /* number of the batch that is put next ... */
    uint64_t next_make;                       /* ... that is made next ... */
    uint64_t next;                            /* ... and that is handed over next */
    bool is_putting;                          /* a thread puts batches */
    bool is_ending;
    lw_load_batch *free[LW_LOAD_BATCHES_MAX];
    size_t free_count;
    lw_error failure; /* of the first record that did not become an object; code LW_OK: none */
};

/* Prepares to load |resource|; the pipe must not move.  LW_ERR_NOMEM. */
lw_status lw_load_pipe_init(lw_load_pipe *pipe, lw_cache_resource *resource, lw_error *err);

/* Takes a copy of |record|; waits while all batches are full.  LW_ERR_NOMEM, and any error of a
 * record that came before (lw_load_batch_put). */
lw_status lw_load_pipe_take(lw_load_pipe *pipe, const lw_store_record *record, lw_error *err);

/* As lw_load_pipe_take for the record with |key|, which |obj| was made of; takes |obj|, also on
 * failure. */
lw_status lw_load_pipe_take_saved(lw_load_pipe *pipe, lw_str key, lw_object *obj, lw_error *err);

/* Waits until all objects are in the resource.  The errors of lw_load_pipe_take: that of the first
 * record that has one. */
lw_status lw_load_pipe_finish(lw_load_pipe *pipe, lw_error *err);

/* Ends the threads and releases what was not put.  Accepts a zeroed pipe. */
void lw_load_pipe_done(lw_load_pipe *pipe);

#endif
