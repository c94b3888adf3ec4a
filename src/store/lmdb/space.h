/* SPDX-License-Identifier: Apache-2.0 */
/* space.h -- how much space the data needs, and a reserve on the disk.
 *
 * Pages in use are all pages of the file except those in LMDB's list of free pages.  The list is
 * read from time to time, and after each commit when space is short.
 *
 * A delete also writes pages, before it frees others.  So that deletes work on a full disk, disk
 * blocks after the end of the file are allocated in advance (fallocate).  If that fails because the
 * disk is full, changes that grow are refused, and the blocks are left to deletes. */
#ifndef LW_STORE_LMDB_SPACE_H
#define LW_STORE_LMDB_SPACE_H

#include "store/lmdb/env.h"

enum {
    LW_LMDB_RESERVE_BYTES = 4 << 20, /* disk blocks allocated in advance */
    LW_LMDB_MEASURE_EVERY = 64,      /* commits between two looks at the list of free pages */
};

typedef struct lw_lmdb_space {
    unsigned commits;        /* since the last look */
    uint64_t free_bytes;     /* at the last look */
    uint64_t reserved_until; /* blocks are allocated up to this offset */
    bool is_without_reserve; /* the file system does not support it */
} lw_lmdb_space;

/* Estimates the bytes of pages that |txn| needs. */
size_t lw_lmdb_space_cost(const lw_store_txn *txn, bool is_new_key);

/* Updates |space| after a commit or an abort, and renews the reserve.  |is_exact|: reads the list
 * of free pages in any case.  Writer's thread, outside a transaction. */
void lw_lmdb_space_update(lw_lmdb_space *measure, lw_lmdb_env *env, lw_store_space *space,
                          bool is_exact);

#endif
