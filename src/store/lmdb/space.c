/* SPDX-License-Identifier: Apache-2.0 */
/* space.c -- measures the space in use, and keeps a reserve on the disk. */
#include "store/lmdb/space.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <string.h>
#include <sys/stat.h>

#include "store/lmdb/format.h"

enum {
    PAGE = 4096, /* for estimates */
    PAGE_HEAD = 16,
    NODE_MAX = 2038, /* larger nodes have pages of their own */
    NODE_COST = 10,  /* of a node besides key and value */
    FREE_TREE = 0,   /* LMDB's handle of the list of free pages */
};

size_t lw_lmdb_space_cost(const lw_store_txn *txn, bool is_new_key)
{
    size_t value = txn->op == LW_STORE_PUT ? txn->value.len : 0;
    size_t record = LW_LMDB_HEAD_SIZE + txn->key.len + value;
    size_t cost = LW_LMDB_REVISION_SIZE + NODE_COST + record;
    if (cost > NODE_MAX)
        cost = (PAGE_HEAD + record + PAGE - 1) / PAGE * PAGE;
    if (is_new_key)
        cost += txn->key.len + LW_LMDB_ENTRY_SIZE + NODE_COST;
    return cost;
}

/* Adds up the list of free pages.  0 if it cannot be read: then all pages count as used. */
static uint64_t count_free(MDB_env *lmdb)
{
    MDB_txn *txn = NULL;
    MDB_cursor *cursor = NULL;
    MDB_val key, list;
    uint64_t total = 0;
    if (mdb_txn_begin(lmdb, NULL, MDB_RDONLY, &txn) != 0)
        return 0;
    if (mdb_cursor_open(txn, FREE_TREE, &cursor) == 0) {
        for (int rc = mdb_cursor_get(cursor, &key, &list, MDB_FIRST); rc == 0;
             rc = mdb_cursor_get(cursor, &key, &list, MDB_NEXT)) {
            uint64_t count = 0;
            memcpy(&count, list.mv_data, sizeof(count));
            total += count;
        }
        mdb_cursor_close(cursor);
    }
    mdb_txn_abort(txn);
    return total;
}

/* Allocates disk blocks after |end|.  Where that is not possible, free pages in the file are a
 * reserve as well: |free_bytes|. */
static void renew_reserve(lw_lmdb_space *measure, MDB_env *lmdb, uint64_t end, uint64_t free_bytes,
                          lw_store_space *space)
{
    mdb_filehandle_t fd;
    if (measure->is_without_reserve || mdb_env_get_fd(lmdb, &fd) != 0 ||
        (measure->reserved_until >= end + LW_LMDB_RESERVE_BYTES / 2 && !space->is_disk_full))
        return;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)end, LW_LMDB_RESERVE_BYTES) == 0) {
        measure->reserved_until = end + LW_LMDB_RESERVE_BYTES;
        space->is_disk_full = false;
    } else if (errno == ENOSPC || errno == EDQUOT) {
        space->is_disk_full = free_bytes < LW_LMDB_RESERVE_BYTES;
        space->is_full = space->is_full || space->is_disk_full;
    } else {
        measure->is_without_reserve = true;
        space->is_disk_full = false;
    }
}

void lw_lmdb_space_update(lw_lmdb_space *measure, lw_lmdb_env *env, lw_store_space *space,
                          bool is_exact)
{
    MDB_envinfo info;
    MDB_stat stat;
    if (!env->env || mdb_env_info(env->env, &info) != 0 || mdb_env_stat(env->env, &stat) != 0)
        return;
    uint64_t bytes = (info.me_last_pgno + 1) * stat.ms_psize;
    if (is_exact || ++measure->commits >= LW_LMDB_MEASURE_EVERY || space->is_full ||
        lw_store_space_is_short(space)) {
        measure->commits = 0;
        measure->free_bytes = count_free(env->env) * stat.ms_psize;
        renew_reserve(measure, env->env, bytes, measure->free_bytes, space);
        lw_store_space_measured(space, bytes - measure->free_bytes);
    } else {
        renew_reserve(measure, env->env, bytes, measure->free_bytes, space);
    }
}
