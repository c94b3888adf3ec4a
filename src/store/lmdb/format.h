/* SPDX-License-Identifier: Apache-2.0 */
/* format.h -- the format of the file: records of the log, entries of the keys, the state.
 *
 *  log    revision                -> record  { flags, key length, create revision, previous
 *                                              revision of the key, weight so far; key; value }
 *  keys   key                     -> entry   { latest revision, create revision (0: deleted),
 *                                              bytes of key and value }
 *  meta   "format", "state"       -> LW_LMDB_FORMAT; the marks of the engine
 *
 * Numbers are big-endian, so that revisions sort, and need no alignment.  Decoding validates
 * everything: for a damaged file it returns false. */
#ifndef LW_STORE_LMDB_FORMAT_H
#define LW_STORE_LMDB_FORMAT_H

#include "store/engine.h"

enum {
    LW_LMDB_FORMAT = 1, /* version of this format */
    LW_LMDB_REVISION_SIZE = 8,
    LW_LMDB_HEAD_SIZE = 28, /* size of a record without key and value */
    LW_LMDB_ENTRY_SIZE = 20,
    LW_LMDB_STATE_SIZE = 40,
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

void lw_lmdb_put_number(unsigned char *out, uint64_t number, size_t size);
uint64_t lw_lmdb_get_number(const unsigned char *bytes, size_t size);

/* Returns the size of the stored record in bytes. */
size_t lw_lmdb_record_size(const lw_lmdb_record *record);
void lw_lmdb_record_encode(const lw_lmdb_record *record, unsigned char *out);
/* The views point into |bytes|. */
bool lw_lmdb_record_decode(lw_lmdb_record *record, lw_str bytes);

void lw_lmdb_entry_encode(const lw_lmdb_entry *entry, unsigned char *out);
bool lw_lmdb_entry_decode(lw_lmdb_entry *entry, lw_str bytes);

void lw_lmdb_state_encode(const lw_store_marks *marks, unsigned char *out);
bool lw_lmdb_state_decode(lw_store_marks *marks, lw_str bytes);

#endif
