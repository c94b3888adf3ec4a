/* SPDX-License-Identifier: Apache-2.0 */
/* restore.h -- creates a store from a backup, and repairs a damaged one. */
#ifndef LW_STORE_LMDB_RESTORE_H
#define LW_STORE_LMDB_RESTORE_H

#include "store/lmdb/backup.h"
#include "store/lmdb/verify.h"

/* Creates the store in |folder|, which must not contain one, from the backup in |fd|.  The new file
 * is checked before it gets its name: after an error or a crash there is no store.
 * LW_ERR_EXISTS: there is one.  LW_ERR_INVALID: the backup is damaged.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_lmdb_restore(const char *folder, int fd, lw_lmdb_backup_facts *facts, lw_error *err);

/* Reads the backup in |fd| and checks it, without writing anything.  Errors as above. */
lw_status lw_lmdb_backup_check(int fd, lw_lmdb_backup_facts *facts, lw_error *err);

/* Rewrites data.mdb in |folder|, which is locked by this process, with the objects that can be
 * read.  The history is dropped, and the revision is increased by one, so that clients list
 * everything again.  |on_lost| is called for each key that is lost or whose state is uncertain.
 * The damaged file is kept as data.mdb.damaged.
 * LW_ERR_INVALID: not even the state can be read: only a backup helps.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_lmdb_repair(const char *folder, void (*on_lost)(const lw_lmdb_damage *lost, void *arg),
                         void *arg, lw_store_marks *marks, lw_error *err);

#endif
