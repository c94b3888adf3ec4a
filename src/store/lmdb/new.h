/* SPDX-License-Identifier: Apache-2.0 */
/* new.h -- creates the file of a new store, and rewrites a file of the old format. */
#ifndef LW_STORE_LMDB_NEW_H
#define LW_STORE_LMDB_NEW_H

#include <listwatch/error.h>

/* Creates data.mdb, which must not exist, as an empty store.  The folder is locked by this process.
 * LW_ERR_IO, LW_ERR_NOMEM; after an error there is no file. */
lw_status lw_lmdb_new(const char *folder, lw_error *err);

/* Rewrites data.mdb, of any known format, in the current format and without free pages.  The folder
 * is locked by this process; after an error or a crash the old file is as it was.
 * LW_ERR_INVALID: it is damaged.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_lmdb_rewrite(const char *folder, lw_error *err);

#endif
