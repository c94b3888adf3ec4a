/* SPDX-License-Identifier: Apache-2.0 */
/* build.h -- writes a new file from records, completely or not at all.
 *
 *     begin ── put ... put ── finish ── publish      the file has its name and is on disk
 *         └───────┴──────────────┴──── done          removes what was not published
 *
 * The file is written as "<file>.new" and renamed when it is complete and on disk: after a crash
 * there is the old file or the new one. */
#ifndef LW_STORE_LMDB_BUILD_H
#define LW_STORE_LMDB_BUILD_H

#include "store/lmdb/env.h"
#include "store/lmdb/format.h"

typedef struct lw_lmdb_build {
    lw_lmdb_env names;   /* only ->file, the temporary name, and ->folder are set */
    char *file;          /* the final name */
    struct MDB_env *env; /* NULL: not open */
    struct MDB_txn *txn; /* NULL: none */
    unsigned log, keys, meta;
    size_t pending; /* bytes in the transaction */
    uint64_t alive; /* keys that exist */
} lw_lmdb_build;

/* Starts a file that will be <folder>/data.mdb; the folder is locked by this process.  A temporary
 * file left by a process that was killed is removed.  LW_ERR_IO, LW_ERR_NOMEM; lw_lmdb_build_done
 * in all cases. */
lw_status lw_lmdb_build_begin(lw_lmdb_build *build, const char *folder, lw_error *err);

/* Adds a record; revisions ascend.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_lmdb_build_put(lw_lmdb_build *build, uint64_t revision, const lw_lmdb_record *record,
                            lw_error *err);

/* Writes the state, with the number of keys as they were counted, and flushes everything. */
lw_status lw_lmdb_build_finish(lw_lmdb_build *build, const lw_store_marks *marks, lw_error *err);

/* Renames the file and flushes the folder.  Replaces a file of the same name. */
lw_status lw_lmdb_build_publish(lw_lmdb_build *build, lw_error *err);
void lw_lmdb_build_done(lw_lmdb_build *build);

#endif
