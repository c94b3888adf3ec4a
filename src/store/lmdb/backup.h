/* SPDX-License-Identifier: Apache-2.0 */
/* backup.h -- the format of a backup: one stream with all records as of one revision.
 *
 *     head     "listwatch backup", version (4 bytes), state (format.h)
 *     record   size (4, > 0), revision (8), record with its checksum (format.h)     any number
 *     end      0 (4), number of records (8), CRC-32C of everything before (4)
 *
 * Numbers are big-endian.  A backup contains the history as well, so that watches resume after a
 * restore.  A stream that was cut has no end and is refused. */
#ifndef LW_STORE_LMDB_BACKUP_H
#define LW_STORE_LMDB_BACKUP_H

#include <sys/types.h>

#include "store/lmdb/env.h"
#include "store/lmdb/records.h"

#define LW_BACKUP_MAGIC "listwatch backup"

enum {
    LW_LMDB_BACKUP_VERSION = 1,
    LW_BACKUP_MAGIC_SIZE = sizeof(LW_BACKUP_MAGIC) - 1,
    LW_BACKUP_HEAD_SIZE = LW_BACKUP_MAGIC_SIZE + 4 + LW_LMDB_STATE_SIZE,
};

/* What was written or read. */
typedef struct lw_lmdb_backup_facts {
    lw_store_marks marks; /* ->keys: as counted when it was written; 0: unknown */
    uint64_t records;
    uint64_t bytes; /* of the stream */
} lw_lmdb_backup_facts;

/* Called from time to time with the number of records so far; false cancels (LW_ERR_STOPPED). */
typedef struct lw_lmdb_progress {
    bool (*fn)(uint64_t records, void *arg); /* NULL: none */
    void *arg;
} lw_lmdb_progress;

/* Writes the store in the file |path|, as LMDB's transaction |txn_id| left it (0: see records.h),
 * to |fd|.  LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_STOPPED. */
lw_status lw_lmdb_backup_write(const char *path, uint64_t txn_id, int fd, lw_lmdb_progress progress,
                               lw_lmdb_backup_facts *facts, lw_error *err);

/* Writes the store that this process has open.  Any thread.  Until it has finished, the map of the
 * file cannot grow. */
lw_status lw_lmdb_backup_env(lw_lmdb_env *env, int fd, lw_lmdb_progress progress,
                             lw_lmdb_backup_facts *facts, lw_error *err);

/* Writes the store in |folder|, which another process may be using. */
lw_status lw_lmdb_backup_folder(const char *folder, int fd, lw_lmdb_progress progress,
                                lw_lmdb_backup_facts *facts, lw_error *err);

/* Where a backup is read from.  |read| returns the number of bytes, less than |len| at the end, or
 * -1 with errno. */
typedef struct lw_lmdb_backup_source {
    ssize_t (*read)(void *arg, void *out, size_t len);
    void *arg;
} lw_lmdb_backup_source;

/* Reads a backup and passes it to |reader|, whose records the caller must not publish before this
 * has returned LW_OK.  LW_ERR_INVALID: it is not a backup, or incomplete or damaged; LW_ERR_IO,
 * LW_ERR_NOMEM, or what a callback returned. */
lw_status lw_lmdb_backup_read(const lw_lmdb_backup_source *source, const lw_lmdb_reader *reader,
                              lw_lmdb_backup_facts *facts, lw_error *err);

#endif
