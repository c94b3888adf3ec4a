/* SPDX-License-Identifier: Apache-2.0 */
/* format.h -- the format of the file: records of the log, entries of the keys, the state.
 *
 *  log    revision                -> record  { flags, key length, create revision, previous
 *                                              revision of the key, weight so far; checksum; key;
 *                                              value }
 *  keys   key                     -> entry   { latest revision, create revision (0: deleted),
 *                                              bytes of key and value; checksum }
 *  meta   "format", "state"       -> LW_LMDB_FORMAT; the marks of the engine and the number of the
 *                                    LMDB transaction that wrote them; checksum
 *
 * Numbers are big-endian, so that revisions sort, and need no alignment.  A checksum (CRC-32C)
 * covers the key in the database and everything else in the value.  Decoding validates everything:
 * for damaged data it returns false.
 *
 * Format 1 had no checksums; a file in it is rewritten when it is opened (upgrade.h). */
#ifndef LW_STORE_LMDB_FORMAT_H
#define LW_STORE_LMDB_FORMAT_H

#include "store/engine.h"

enum {
    LW_LMDB_FORMAT = 2,     /* version of this format */
    LW_LMDB_FORMAT_OLD = 1, /* without checksums */
    LW_LMDB_REVISION_SIZE = 8,
    LW_LMDB_HEAD_SIZE = 32, /* size of a record without key and value */
    LW_LMDB_ENTRY_SIZE = 24,
    LW_LMDB_STATE_SIZE = 60,
    LW_LMDB_RECORD_MAX = LW_LMDB_HEAD_SIZE + LW_STORE_KEY_MAX + LW_STORE_VALUE_MAX,
};

typedef struct lw_lmdb_record {
    bool is_delete;
    uint64_t create_revision;
    uint64_t previous; /* previous revision of the same key; 0: none */
    uint64_t weight;
    lw_str key;
    lw_str value;
} lw_lmdb_record;

typedef struct lw_lmdb_entry {
    uint64_t revision;
    uint64_t create_revision; /* 0: deleted */
    uint32_t bytes;
} lw_lmdb_entry;

typedef struct lw_lmdb_state {
    lw_store_marks marks;
    /* Number of the LMDB transaction that wrote the state.  If the page that names the latest
     * transaction is damaged, LMDB would return to an older one; the number shows that. */
    uint64_t txn_id;
} lw_lmdb_state;

void lw_lmdb_put_number(unsigned char *out, uint64_t number, size_t size);
uint64_t lw_lmdb_get_number(const unsigned char *bytes, size_t size);

/* Returns the size of the stored record in bytes. */
size_t lw_lmdb_record_size(const lw_lmdb_record *record);
void lw_lmdb_record_encode(const lw_lmdb_record *record, uint64_t revision, unsigned char *out);
/* The views point into |bytes|.  If the record is damaged, |record->key| is what seems to be its
 * key, for messages, or empty.  |format| is LW_LMDB_FORMAT or LW_LMDB_FORMAT_OLD. */
bool lw_lmdb_record_decode(lw_lmdb_record *record, uint64_t revision, unsigned format,
                           lw_str bytes);

/* Gets key and checksum of a stored record in LW_LMDB_FORMAT, without a look at its value.  False:
 * it is damaged, which is only found out if its lengths are wrong. */
bool lw_lmdb_record_head(lw_str bytes, lw_str *key, uint32_t *checksum);

void lw_lmdb_entry_encode(const lw_lmdb_entry *entry, lw_str key, unsigned char *out);
bool lw_lmdb_entry_decode(lw_lmdb_entry *entry, lw_str key, unsigned format, lw_str bytes);

void lw_lmdb_state_encode(const lw_lmdb_state *state, unsigned char *out);
/* A state in the old format has no number of keys and no transaction: both are 0. */
bool lw_lmdb_state_decode(lw_lmdb_state *state, unsigned format, lw_str bytes);

#endif
