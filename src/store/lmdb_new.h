/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_new.h -- makes the file of a new store, complete or not at all. */
#ifndef LW_STORE_LMDB_NEW_H
#define LW_STORE_LMDB_NEW_H

#include "store/lmdb_env.h"

/* Makes env->file, which does not exist: an empty store.  The folder is owned by this process.
 * LW_ERR_IO, LW_ERR_NOMEM; there is no file then. */
lw_status lw_lmdb_new(const lw_lmdb_env *env, lw_error *err);

#endif
