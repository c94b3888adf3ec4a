/* SPDX-License-Identifier: Apache-2.0 */
/* env.h -- the directory of a durable store and the open file in it.
 *
 *     <folder>              locked (flock) while a process has the store open for writing
 *     <folder>/owner.lock   contains the PID of that process
 *     <folder>/data.mdb     all data; data.mdb.new while a new store is created
 *     <folder>/lock.mdb     LMDB's table of readers; recreated at each start
 *
 * Threads: readers hold |lock| for reading.  The writer's thread uses the file without it, and
 * takes it for writing when the file is remapped or reopened. */
#ifndef LW_STORE_LMDB_ENV_H
#define LW_STORE_LMDB_ENV_H

#include <stdatomic.h>

#include <listwatch/log.h>

#include "base/sync.h"
#include "store/engine.h"
#include "store/lmdb/folder.h"
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
#define LW_LMDB_MAP_SLACK ((size_t)16 << 20) /* besides the limit */

struct MDB_env;
struct MDB_txn;

typedef struct lw_lmdb_env {
    char *folder;
    char *file; /* path of data.mdb */
    lw_lmdb_owner owner;
    size_t map_bytes;
    uint64_t device, inode;    /* of the file */
    uint64_t limit_bytes;      /* of the data; 0: none */
    atomic_bool is_damaged;    /* damaged data was read; any thread */
    lw_lmdb_resident resident; /* any thread */

    lw_rwlock lock;      /* guards the members below */
    struct MDB_env *env; /* NULL: could not be reopened; the writer tries again */
    unsigned int log;    /* handles of the databases */
    unsigned int keys;
    unsigned int meta;
} lw_lmdb_env;

typedef struct lw_lmdb_env_options {
    const char *folder;
    size_t map_bytes;        /* 0: LW_LMDB_MAP_BYTES */
    uint64_t limit_bytes;    /* 0: none */
    const lw_logger *logger; /* gets one line for each damage; may be NULL */
} lw_lmdb_env_options;

/* Creates and locks the directory and opens the file.  Creates a file that does not exist.  An
 * existing file is read completely first: a damaged, empty or truncated one is refused
 * (LW_ERR_INVALID), one of the old format is rewritten.  LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM;
 * after an error there is nothing to close. */
lw_status lw_lmdb_env_open(lw_lmdb_env *env, const lw_lmdb_env_options *options, lw_error *err);

/* Opens the file for reading only, also while another process writes it.  The folder is not locked,
 * nothing is created, and only the length of the file is checked. */
lw_status lw_lmdb_env_open_reader(lw_lmdb_env *env, const char *folder, lw_error *err);
void lw_lmdb_env_close(lw_lmdb_env *env);

/* Checks that the file is still where it was opened, so that no change is written to a file that
 * nobody will find again.  LW_ERR_IO: it was removed or replaced.  Any thread. */
lw_status lw_lmdb_env_check_place(const lw_lmdb_env *env, lw_error *err);

/* Reopens the file after an error; a file that no longer exists is not created again.  Writer's
 * thread, outside a transaction. */
lw_status lw_lmdb_env_reopen(lw_lmdb_env *env, lw_error *err);

/* Doubles the map.  Writer's thread, outside a transaction. */
lw_status lw_lmdb_env_grow(lw_lmdb_env *env, lw_error *err);

/* Reads the state in |txn|. */
lw_status lw_lmdb_env_state(lw_lmdb_env *env, struct MDB_txn *txn, lw_store_marks *marks,
                            lw_error *err);

/* Returns the error for LMDB's result |rc| of |doing| (e.g. "read").  LW_ERR_LIMIT: the map is
 * full. */
lw_status lw_lmdb_explain(lw_lmdb_env *env, int rc, const char *doing, lw_error *err);

/* Return LW_ERR_INVALID: the file is damaged at |key| (empty: unknown) or at the change |revision|;
 * |what| says how.  The environment remembers it. */
lw_status lw_lmdb_damaged(lw_lmdb_env *env, lw_str key, const char *what, lw_error *err);
lw_status lw_lmdb_damaged_change(lw_lmdb_env *env, uint64_t revision, const char *what,
                                 lw_error *err);

#endif
