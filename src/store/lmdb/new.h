/* SPDX-License-Identifier: Apache-2.0 */
/* new.h -- creates the file of a new store, completely or not at all. */
#ifndef LW_STORE_LMDB_NEW_H
#define LW_STORE_LMDB_NEW_H

#include "store/lmdb/env.h"

/* Creates env->file, which must not exist, as an empty store.  The directory is locked by this
 * process.  LW_ERR_IO, LW_ERR_NOMEM; after an error there is no file. */
lw_status lw_lmdb_new(const lw_lmdb_env *env, lw_error *err);

#endif
