/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_folder.h -- the folder of a durable store, and that one process at a time has it. */
#ifndef LW_STORE_LMDB_FOLDER_H
#define LW_STORE_LMDB_FOLDER_H

#include <listwatch/error.h>

/* Makes |folder| and what is missing of the way to it, for the owner's eyes only.  LW_ERR_IO. */
lw_status lw_lmdb_folder_make(const char *folder, lw_error *err);

/* Takes the store in |folder| for this process until |*out| is closed.  LW_ERR_IO, also when
 * another process has it. */
lw_status lw_lmdb_folder_own(const char *folder, int *out, lw_error *err);

#endif
