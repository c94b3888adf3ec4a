/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h -- the LMDB engine of the durable store. */
#ifndef LW_STORE_LMDB_ENGINE_H
#define LW_STORE_LMDB_ENGINE_H

#include "store/history.h"
#include "store/lmdb/env.h"
#include "store/lmdb/space.h"

typedef struct lw_lmdb_engine {
    lw_store_engine engine;
    lw_lmdb_env *env;
    struct MDB_txn *txn;    /* the batch; NULL: none */
    lw_store_marks batch;   /* marks including the batch */
    struct MDB_txn *replay; /* transaction of the current replay; NULL: none */
    size_t replayed;        /* bytes returned by it */
    lw_lmdb_space space;
} lw_lmdb_engine;

/* Initializes the engine on an open |env|, which must outlive it.  LW_ERR_INVALID, LW_ERR_IO,
 * LW_ERR_NOMEM. */
lw_status lw_lmdb_engine_init(lw_lmdb_engine *engine, lw_lmdb_env *env, lw_error *err);

/* Passes the existing history to |history|: its size in steps, with the current time as its age. */
lw_status lw_lmdb_engine_recall(lw_lmdb_engine *engine, lw_history *history, int64_t now_ns,
                                lw_error *err);

/* Implements lw_store_read; any thread. */
lw_status lw_lmdb_range(lw_lmdb_env *env, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err);

#endif
