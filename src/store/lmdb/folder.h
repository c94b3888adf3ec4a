/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h -- creates and locks the directory of a durable store. */
#ifndef LW_STORE_LMDB_FOLDER_H
#define LW_STORE_LMDB_FOLDER_H

#include <listwatch/error.h>

/* Creates |folder| and its missing parent directories, accessible by the owner only.  LW_ERR_IO. */
lw_status lw_lmdb_folder_make(const char *folder, lw_error *err);

/* Locks the store in |folder| for this process until |*out| is closed.  LW_ERR_IO, also if another
 * process has locked it. */
lw_status lw_lmdb_folder_own(const char *folder, int *out, lw_error *err);

#endif
