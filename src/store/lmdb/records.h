/* SPDX-License-Identifier: Apache-2.0 */
/* records.h -- reads all records of a file in the order of their revisions, with plain reads. */
#ifndef LW_STORE_LMDB_RECORDS_H
#define LW_STORE_LMDB_RECORDS_H

#include "store/lmdb/trees.h"

/* Receives one record; a negative status ends the read and is returned. */
typedef lw_status (*lw_lmdb_record_fn)(uint64_t revision, const lw_lmdb_record *record, void *arg,
                                       lw_error *err);

typedef struct lw_lmdb_reader {
    /* Called once, before the first record; may be NULL. */
    lw_status (*on_state)(const lw_lmdb_state *state, unsigned format, void *arg, lw_error *err);
    lw_lmdb_record_fn on_record;
    void *arg;
    /* Skip what is damaged instead of failing; for repairs. */
    bool skips_damage;
} lw_lmdb_reader;

/* Reads |path|; |txn_id| as for lw_lmdb_verify.  LW_ERR_INVALID: damaged, the message names the
 * record; LW_ERR_UNAVAILABLE: later commits have overwritten the meta page, nothing was reported:
 * begin another transaction; LW_ERR_IO, LW_ERR_NOMEM, or what a callback returned. */
lw_status lw_lmdb_records_read(const char *path, uint64_t txn_id, const lw_lmdb_reader *reader,
                               lw_error *err);

#endif
