/* SPDX-License-Identifier: Apache-2.0 */
/* verify_log.h -- verifies the records of the log: nearly all bytes of a file. */
#ifndef LW_STORE_LMDB_VERIFY_LOG_H
#define LW_STORE_LMDB_VERIFY_LOG_H

#include "store/lmdb/trees.h"
#include "store/lmdb/verify.h"

enum {
    LW_LMDB_LOG_THREADS_MAX = 4, /* the caller included */
};

typedef struct lw_lmdb_log_check {
    const lw_lmdb_trees *trees;
    void (*report)(const lw_lmdb_damage *damage, void *arg); /* NULL: nobody is told */
    void *arg;

    /* Set by lw_lmdb_log_verify. */
    uint64_t records;
    uint64_t first, last; /* revisions of the first and the last record; 0: none */
    uint64_t latest;      /* sum of the hashes of the latest records of each key */
    bool is_part;         /* what is before |first| is not known */
    bool is_damaged;
} lw_lmdb_log_check;

/* The number of a (key, revision). */
uint64_t lw_lmdb_log_hash(lw_str key, uint64_t revision);

/* Reads all records. */
void lw_lmdb_log_verify(lw_lmdb_log_check *log, lw_lmdb_pages *pages);

/* Returns how many threads should read the log of a file that nobody else uses. */
size_t lw_lmdb_log_threads(const lw_lmdb_db *db);

/* As lw_lmdb_log_verify with |threads| threads, for a log whose root is not a leaf.  Meanwhile the
 * caller's thread calls |other|, which reads another tree from the pages that it gets; it returns
 * false if it finds damage.  |pages| records which pages are seen.
 * False: something is wrong somewhere; nothing was reported, and |log| and |pages| are as before.
 */
bool lw_lmdb_log_verify_with(lw_lmdb_log_check *log, lw_lmdb_pages *pages, size_t threads,
                             bool (*other)(lw_lmdb_pages *pages, void *arg), void *arg);

#endif
