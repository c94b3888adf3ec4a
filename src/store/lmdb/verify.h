/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h -- reads a whole file and finds all damage: pages, checksums, order, counts, links.
 *
 * Uses plain reads only, so that no damage can crash it (pages.h).  Damage in unused parts of the
 * file is not found, because nothing depends on them. */
#ifndef LW_STORE_LMDB_VERIFY_H
#define LW_STORE_LMDB_VERIFY_H

#include "store/lmdb/check.h"
#include "store/lmdb/format.h"

/* One damage.  The views are valid until the callback returns. */
typedef struct lw_lmdb_damage {
    lw_str key;        /* of the store; empty: unknown */
    uint64_t revision; /* of the change; 0: unknown */
    uint64_t page;     /* number of the page; 0: unknown */
    const char *what;
} lw_lmdb_damage;

typedef struct lw_lmdb_findings {
    /* Called for each damage; may be NULL. */
    void (*on_damage)(const lw_lmdb_damage *damage, void *arg);
    void *arg;

    /* Set by lw_lmdb_verify, also after an error, as far as it is known. */
    unsigned format;
    lw_lmdb_state state;
    uint64_t pages, records, keys; /* what was read; keys that exist */
    uint64_t damages;
} lw_lmdb_findings;

/* Reads |path|.  |txn_id| is the LMDB transaction to read, which the caller has kept from being
 * overwritten; 0: the last one of a file that nobody writes.  LW_ERR_INVALID: it is damaged or not
 * a store; |err| describes the first damage.  LW_ERR_IO, LW_ERR_NOMEM.
 * LW_ERR_UNAVAILABLE: later commits have overwritten the meta page: begin another transaction. */
lw_status lw_lmdb_verify(const char *path, uint64_t txn_id, lw_lmdb_findings *findings,
                         lw_error *err);

/* Appends for example "key /registry/pods/default/a at revision 7 (page 12): ...".  Bytes of the
 * key that are not printable ASCII are written as \x and two digits. */
void lw_lmdb_damage_print(const lw_lmdb_damage *damage, lw_buf *out);

#endif
