/* SPDX-License-Identifier: Apache-2.0 */
/* check_folder.h -- checks the store in a folder, whether or not a process uses it. */
#ifndef LW_STORE_LMDB_CHECK_FOLDER_H
#define LW_STORE_LMDB_CHECK_FOLDER_H

#include "store/lmdb/verify.h"

/* As lw_lmdb_verify of the file in |folder|.  If another process uses the store, its last commit is
 * kept from being overwritten while it is read. */
lw_status lw_lmdb_check_folder(const char *folder, lw_lmdb_findings *findings, lw_error *err);

#endif
