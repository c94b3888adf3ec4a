/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_engine.h -- revisions of keys in a file: what the durable store keeps. */
#ifndef LW_STORE_LMDB_ENGINE_H
#define LW_STORE_LMDB_ENGINE_H

#include "store/history.h"
#include "store/lmdb_env.h"

typedef struct lw_lmdb_engine {
    lw_store_engine engine;
    lw_lmdb_env *env;
    struct MDB_txn *txn;    /* the batch; NULL: there is none */
    lw_store_marks batch;   /* marks with the batch in */
    struct MDB_txn *replay; /* what is shown by replay; NULL: nothing */
    size_t replayed;        /* bytes of that */
} lw_lmdb_engine;

/* On an open |env|, which outlives it.  LW_ERR_INVALID, LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_lmdb_engine_init(lw_lmdb_engine *engine, lw_lmdb_env *env, lw_error *err);

/* Tells |history| of what the file has: its size step by step, all of it from now. */
lw_status lw_lmdb_engine_recall(lw_lmdb_engine *engine, lw_history *history, int64_t now_ns,
                                lw_error *err);

/* As lw_store_read; any thread. */
lw_status lw_lmdb_range(lw_lmdb_env *env, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err);

#endif
