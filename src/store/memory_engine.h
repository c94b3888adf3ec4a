/* SPDX-License-Identifier: Apache-2.0 */
/* memory_engine.h -- the in-memory engine: versions of keys. */
#ifndef LW_STORE_MEMORY_ENGINE_H
#define LW_STORE_MEMORY_ENGINE_H

#include "base/ring.h"
#include "base/sync.h"
#include "store/engine.h"

/* Maximum number of changes in the log; history is compacted long before. */
#define LW_MEMORY_LOG_MAX ((size_t)1 << 28)

typedef struct lw_memory_key lw_memory_key;

/* Modified by the writer's thread under the lock; read by any thread under the lock. */
typedef struct lw_memory_engine {
    lw_store_engine engine; /* ->marks: read by any thread under the lock */
    lw_ring log;            /* of versions; a sequence number is a revision; writer's thread */
    lw_store_marks batch;   /* marks including the batch; writer's thread */

    lw_rwlock lock;
    lw_memory_key **keys; /* sorted by bytes; guarded by lock, like everything they point to */
    size_t count;
    size_t slots;
    size_t bytes; /* size of keys and versions */
} lw_memory_engine;

/* Allocates nothing. */
void lw_memory_engine_init(lw_memory_engine *engine);
void lw_memory_engine_done(lw_memory_engine *engine);

/* Implements lw_store_read; any thread. */
lw_status lw_memory_engine_range(lw_memory_engine *engine, const lw_store_range *range,
                                 lw_store_record_fn fn, void *arg, lw_store_range_result *result,
                                 lw_error *err);

/* Returns the size in bytes.  Any thread. */
size_t lw_memory_engine_bytes(lw_memory_engine *engine);

#endif
