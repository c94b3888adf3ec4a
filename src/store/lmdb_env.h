/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_env.h -- the folder of a durable store and the open file in it.
 *
 *     <folder>/owner.lock   locked while a process has the store open; its pid
 *     <folder>/data.mdb     everything; while a new store is made, data.mdb.new
 *     <folder>/lock.mdb     LMDB's table of readers; made anew at each start
 *
 * Threads: whoever reads holds |lock| for reading.  The writer's thread uses the file without it,
 * and takes it for writing when the file is mapped or opened anew. */
#ifndef LW_STORE_LMDB_ENV_H
#define LW_STORE_LMDB_ENV_H

#include "base/sync.h"
#include "store/engine.h"
#include "store/lmdb_resident.h"

enum {
    LW_LMDB_READERS_MAX = 1024, /* at the same moment */
    LW_LMDB_PATH_MAX = 4096,
    LW_LMDB_DATABASES = 3,
};

/* What is in the file. */
#define LW_LMDB_META       "meta"
#define LW_LMDB_LOG        "log"
#define LW_LMDB_KEYS       "keys"
#define LW_LMDB_FORMAT_KEY "format" /* in meta */
#define LW_LMDB_STATE_KEY  "state"

/* Address space, not memory: the file is as large as what is in it.  Where the system refuses, less
 * is asked for, down to the minimum; when it is full, it is doubled. */
#define LW_LMDB_MAP_BYTES ((size_t)64 << 30)
#define LW_LMDB_MAP_MIN   ((size_t)1 << 20)

struct MDB_env;
struct MDB_txn;

typedef struct lw_lmdb_env {
    char *folder;
    char *file; /* data.mdb, with the folder */
    int owner;  /* of owner.lock; -1: not open */
    size_t map_bytes;
    lw_lmdb_resident resident; /* any thread */

    lw_rwlock lock;      /* guards what follows */
    struct MDB_env *env; /* NULL: could not be opened again; the writer tries on */
    unsigned int log;    /* handles of the databases */
    unsigned int keys;
    unsigned int meta;
} lw_lmdb_env;

/* Makes the folder, locks it and opens the file; makes it if there is none, but refuses one of 0
 * bytes or one that was cut short (LW_ERR_INVALID).  |map_bytes| 0: LW_LMDB_MAP_BYTES.
 * LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM; there is nothing to close then. */
lw_status lw_lmdb_env_open(lw_lmdb_env *env, const char *folder, size_t map_bytes, lw_error *err);
void lw_lmdb_env_close(lw_lmdb_env *env);

/* Opens the file anew, when it cannot be used any more; a file that has vanished is not made again.
 * The writer's thread, without a transaction. */
lw_status lw_lmdb_env_reopen(lw_lmdb_env *env, lw_error *err);

/* Doubles the map.  The writer's thread, without a transaction. */
lw_status lw_lmdb_env_grow(lw_lmdb_env *env, lw_error *err);

/* Reads the state in |txn|. */
lw_status lw_lmdb_env_state(const lw_lmdb_env *env, struct MDB_txn *txn, lw_store_marks *marks,
                            lw_error *err);

/* What the answer |rc| of LMDB to |doing| ("read") means.  LW_ERR_LIMIT: the map is full. */
lw_status lw_lmdb_explain(const lw_lmdb_env *env, int rc, const char *doing, lw_error *err);

/* LW_ERR_INVALID: what the file says of |what| cannot be. */
lw_status lw_lmdb_damaged(const lw_lmdb_env *env, const char *what, lw_error *err);

#endif
