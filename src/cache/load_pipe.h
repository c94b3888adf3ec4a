/* SPDX-License-Identifier: Apache-2.0 */
/* load_pipe.h -- two threads load the objects of a resource: the caller reads and parses them, the
 * other one packs them and puts them into the resource, in the same order.
 *
 * It takes two batches, one that is filled and one that is emptied.  A resource that fits into one
 * batch is loaded by the caller alone, as is one whose thread cannot be started.  Threads: the
 * functions belong to the caller. */
#ifndef LW_CACHE_LOAD_PIPE_H
#define LW_CACHE_LOAD_PIPE_H

#include "base/buf.h"
#include "base/sync.h"
#include "cache/cache.h"

enum {
    LW_LOAD_BATCH = 256,                   /* objects */
    LW_LOAD_BATCH_BYTES = 4 * 1024 * 1024, /* of their text: a batch that has more is full */
};

/* Objects on their way; each with a reference. */
typedef struct lw_load_batch {
    lw_buf keys; /* one after the other */
    size_t count, bytes;
    struct {
        lw_object *object;
        uint64_t revision;
        size_t key_len;
    } entries[LW_LOAD_BATCH];
} lw_load_batch;

typedef struct lw_load_pipe {
    lw_cache_resource *resource;
    lw_load_batch *filling;
    lw_mutex mu;
    lw_cond is_changed;
    lw_load_batch *emptying; /* mu: the other thread's; NULL: it has none */
    lw_load_batch *spare;    /* mu: NULL: there is none */
    lw_error failure;        /* mu: of the first object that could not be put; code LW_OK: none */
    bool is_ending;          /* mu */
    bool has_thread;
    lw_thread thread;
} lw_load_pipe;

/* Prepares to load |resource|.  LW_ERR_NOMEM. */
lw_status lw_load_pipe_init(lw_load_pipe *pipe, lw_cache_resource *resource, lw_error *err);

/* Takes |obj|, which has |revision|, to be put under |key| (see lw_resource_put); waits while both
 * batches are full.  LW_ERR_NOMEM, and any error of an object that came before. */
lw_status lw_load_pipe_take(lw_load_pipe *pipe, lw_str key, lw_object *obj, uint64_t revision,
                            lw_error *err);

/* Waits until all objects are in the resource.  The errors of lw_load_pipe_take. */
lw_status lw_load_pipe_finish(lw_load_pipe *pipe, lw_error *err);

/* Ends the thread and releases what was not put.  Accepts a zeroed pipe. */
void lw_load_pipe_done(lw_load_pipe *pipe);

#endif
