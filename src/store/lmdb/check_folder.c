/* SPDX-License-Identifier: Apache-2.0 */
/* check_folder.c -- checks the store in a folder. */
#include "store/lmdb/check_folder.h"

#include <lmdb.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "store/lmdb/env.h"
#include "store/lmdb/folder.h"

enum {
    TRIES = 1000, /* a try fails if two commits come between two system calls */
};

static lw_status check_in_use(const char *folder, lw_lmdb_findings *findings, lw_error *err)
{
    lw_lmdb_env env;
    lw_status st = lw_lmdb_env_open_reader(&env, folder, err);
    if (st < 0)
        return st;
    st = LW_ERR_UNAVAILABLE;
    for (int i = 0; i < TRIES && st == LW_ERR_UNAVAILABLE; i++) {
        MDB_txn *txn = NULL;
        int rc = mdb_txn_begin(env.env, NULL, MDB_RDONLY, &txn);
        if (rc != 0) {
            st = lw_lmdb_explain(&env, rc, "read", err);
            break;
        }
        st = lw_lmdb_verify(env.file, mdb_txn_id(txn), findings, err);
        mdb_txn_abort(txn);
    }
    lw_lmdb_env_close(&env);
    return st;
}

lw_status lw_lmdb_check_folder(const char *folder, lw_lmdb_findings *findings, lw_error *err)
{
    lw_lmdb_owner owner = LW_LMDB_OWNER_INIT;
    char *file = lw_file_path(folder, "data.mdb");
    if (!file)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    if (lw_lmdb_folder_own(folder, &owner, NULL) == LW_OK) {
        st = lw_lmdb_verify(file, 0, findings, err);
        lw_lmdb_folder_release(&owner);
    } else {
        st = check_in_use(folder, findings, err);
    }
    lw_free(file);
    return st;
}
