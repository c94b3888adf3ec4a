/* SPDX-License-Identifier: Apache-2.0 */
/* env.h -- the directory of a durable store and the open file in it.
 *
 *     <folder>/owner.lock   locked while a process has the store open; contains its PID
 *     <folder>/data.mdb     all data; data.mdb.new while a new store is created
 *     <folder>/lock.mdb     LMDB's table of readers; recreated at each start
 *
 * Threads: readers hold |lock| for reading.  The writer's thread uses the file without it, and
 * takes it for writing when the file is remapped or reopened. */
#ifndef LW_STORE_LMDB_ENV_H
#define LW_STORE_LMDB_ENV_H

#include "base/sync.h"
#include "store/engine.h"
#include "store/lmdb/resident.h"

enum {
    LW_LMDB_READERS_MAX = 1024, /* maximum number of concurrent readers */
    LW_LMDB_PATH_MAX = 4096,
    LW_LMDB_DATABASES = 3,
};

/* The databases in the file. */
#define LW_LMDB_META       "meta"
#define LW_LMDB_LOG        "log"
#define LW_LMDB_KEYS       "keys"
#define LW_LMDB_FORMAT_KEY "format" /* in meta */
#define LW_LMDB_STATE_KEY  "state"

/* Address space, not memory: the file is only as large as its content.  If the system refuses, less
 * is requested, down to the minimum; when the map is full, it is doubled. */
#define LW_LMDB_MAP_BYTES ((size_t)64 << 30)
#define LW_LMDB_MAP_MIN   ((size_t)1 << 20)

struct MDB_env;
struct MDB_txn;

typedef struct lw_lmdb_env {
    char *folder;
    char *file; /* path of data.mdb */
    int owner;  /* descriptor of owner.lock; -1: not open */
    size_t map_bytes;
    lw_lmdb_resident resident; /* any thread */

    lw_rwlock lock;      /* guards the members below */
    struct MDB_env *env; /* NULL: could not be reopened; the writer tries again */
    unsigned int log;    /* handles of the databases */
    unsigned int keys;
    unsigned int meta;
} lw_lmdb_env;

/* Creates and locks the directory and opens the file.  Creates a file that does not exist, but
 * refuses an empty or truncated one (LW_ERR_INVALID).  |map_bytes| 0: LW_LMDB_MAP_BYTES. LW_ERR_IO,
 * LW_ERR_INVALID, LW_ERR_NOMEM; after an error there is nothing to close. */
lw_status lw_lmdb_env_open(lw_lmdb_env *env, const char *folder, size_t map_bytes, lw_error *err);
void lw_lmdb_env_close(lw_lmdb_env *env);

/* Reopens the file after an error; a file that no longer exists is not created again.  Writer's
 * thread, outside a transaction. */
lw_status lw_lmdb_env_reopen(lw_lmdb_env *env, lw_error *err);

/* Doubles the map.  Writer's thread, outside a transaction. */
lw_status lw_lmdb_env_grow(lw_lmdb_env *env, lw_error *err);

/* Reads the state in |txn|. */
lw_status lw_lmdb_env_state(const lw_lmdb_env *env, struct MDB_txn *txn, lw_store_marks *marks,
                            lw_error *err);

/* Returns the error for LMDB's result |rc| of |doing| (e.g. "read").  LW_ERR_LIMIT: the map is
 * full. */
lw_status lw_lmdb_explain(const lw_lmdb_env *env, int rc, const char *doing, lw_error *err);

/* Returns LW_ERR_INVALID: the file is damaged, |what| says where. */
lw_status lw_lmdb_damaged(const lw_lmdb_env *env, const char *what, lw_error *err);

#endif
