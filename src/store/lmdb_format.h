/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_format.h -- what stands in the file: records of the log, entries of the keys, the state.
 *
 * log    revision                -> record  { flags, length of the key, create revision, previous
 *                                             revision of the key, weight so far; key; value }
 * keys   key                     -> entry   { newest revision, create revision (0: it is deleted),
 *                                             bytes of key and value }
 * meta   "format", "state"       -> LW_LMDB_FORMAT; the marks of the engine
 *
 * Numbers are big-endian: so revisions sort, and nothing needs to be aligned.  Decoding believes
 * nothing: a damaged file gives false, not a crash. */
#ifndef LW_STORE_LMDB_FORMAT_H
#define LW_STORE_LMDB_FORMAT_H

#include "store/engine.h"

enum {
    LW_LMDB_FORMAT = 1, /* the version of all this */
    LW_LMDB_REVISION_SIZE = 8,
    LW_LMDB_HEAD_SIZE = 28, /* of a record, before key and value */
    LW_LMDB_ENTRY_SIZE = 20,
    LW_LMDB_STATE_SIZE = 40,
};

typedef struct lw_lmdb_record {
    bool is_delete;
    uint64_t create_revision;
    uint64_t previous; /* revision of the record before, of the same key; 0: there was none */
    uint64_t weight;
    lw_str key;
    lw_str value;
} lw_lmdb_record;

typedef struct lw_lmdb_entry {
    uint64_t revision;
    uint64_t create_revision; /* 0: it is deleted */
    uint32_t bytes;
} lw_lmdb_entry;

void lw_lmdb_put_number(unsigned char *out, uint64_t number, size_t size);
uint64_t lw_lmdb_get_number(const unsigned char *bytes, size_t size);

/* Bytes of the record as it is stored. */
size_t lw_lmdb_record_size(const lw_lmdb_record *record);
void lw_lmdb_record_encode(const lw_lmdb_record *record, unsigned char *out);
/* The views are of |bytes|. */
bool lw_lmdb_record_decode(lw_lmdb_record *record, lw_str bytes);

void lw_lmdb_entry_encode(const lw_lmdb_entry *entry, unsigned char *out);
bool lw_lmdb_entry_decode(lw_lmdb_entry *entry, lw_str bytes);

void lw_lmdb_state_encode(const lw_store_marks *marks, unsigned char *out);
bool lw_lmdb_state_decode(lw_store_marks *marks, lw_str bytes);

#endif
