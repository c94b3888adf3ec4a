/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h -- creates and locks the directory of a durable store. */
#ifndef LW_STORE_LMDB_FOLDER_H
#define LW_STORE_LMDB_FOLDER_H

#include <listwatch/error.h>

/* What keeps other processes out; both -1: nothing is locked. */
typedef struct lw_lmdb_owner {
    int folder;   /* the locked directory */
    int pid_file; /* owner.lock, which is locked too: versions before format 2 lock only that */
} lw_lmdb_owner;

#define LW_LMDB_OWNER_INIT                                                                         \
    {                                                                                              \
        -1, -1                                                                                     \
    }

/* Creates |folder| and its missing parent directories, accessible by the owner only.  LW_ERR_IO. */
lw_status lw_lmdb_folder_make(const char *folder, lw_error *err);

/* Locks the store in |folder| for this process until it is released.  The directory itself is
 * locked, so that removing files does not let another process in.  LW_ERR_IO, also if another
 * process has locked it. */
lw_status lw_lmdb_folder_own(const char *folder, lw_lmdb_owner *out, lw_error *err);
void lw_lmdb_folder_release(lw_lmdb_owner *owner);

#endif
