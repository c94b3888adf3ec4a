/* SPDX-License-Identifier: Apache-2.0 */
/* tls_record.h -- encrypts and decrypts records of TLS 1.3 (RFC 8446, 5), one direction of a
 * connection each.
 *
 * A record is a head of five bytes and a body: the data, their type and perhaps zeros, encrypted,
 * and a tag.  The nonce of each is its number, so the record that a receiver decrypts is the next
 * one or none. */
#ifndef LW_NET_TLS_TLS_RECORD_H
#define LW_NET_TLS_TLS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
    LW_TLS_RECORD_HEAD = 5,
    LW_TLS_RECORD_TAG = 16,
    LW_TLS_RECORD_DATA_MAX = 1 << 14,         /* bytes of data */
    LW_TLS_RECORD_BODY_MAX = (1 << 14) + 256, /* ... and of a body */
    LW_TLS_RECORD_MAX = LW_TLS_RECORD_HEAD + LW_TLS_RECORD_BODY_MAX,
    LW_TLS_RECORD_COST = LW_TLS_RECORD_HEAD + 1 + LW_TLS_RECORD_TAG, /* bytes besides the data */
    LW_TLS_SECRET_MAX = 48,
    LW_TLS_KEY_MAX = 32,
    LW_TLS_NONCE = 12,
    LW_TLS_BATCH = 4, /* records that are sent together */
};

/* Records under one key; of AES-GCM, 2^24.5 of full length are safe (RFC 8446, 5.5). */
#define LW_TLS_KEY_RECORDS (UINT64_C(1) << 24)

/* What is in a record. */
typedef enum lw_tls_content {
    LW_TLS_ALERT = 21,
    LW_TLS_HANDSHAKE = 22,
    LW_TLS_DATA = 23,
} lw_tls_content;

/* Why a record is refused: the alert that says so (RFC 8446, 6). */
typedef enum lw_tls_alert {
    LW_TLS_CLOSE_NOTIFY = 0,
    LW_TLS_UNEXPECTED_MESSAGE = 10,
    LW_TLS_BAD_RECORD_MAC = 20,
    LW_TLS_RECORD_OVERFLOW = 22,
    LW_TLS_ILLEGAL_PARAMETER = 47,
    LW_TLS_DECODE_ERROR = 50,
    LW_TLS_INTERNAL_ERROR = 80,
    LW_TLS_USER_CANCELED = 90,
} lw_tls_alert;

typedef struct lw_tls_suite lw_tls_suite;

/* Returns the cipher suite with this number; NULL: it is not known. */
const lw_tls_suite *lw_tls_suite_find(unsigned number);

/* The length of its secrets. */
size_t lw_tls_suite_secret_len(const lw_tls_suite *suite);

/* The state of the ciphers, and room for records: shared by the connections of a loop. */
typedef struct lw_tls_engine lw_tls_engine;

/* Returns NULL if out of memory. */
lw_tls_engine *lw_tls_engine_new(void);
void lw_tls_engine_free(lw_tls_engine *engine);

/* Returns room for LW_TLS_BATCH full records, until the next call; NULL: out of memory. */
char *lw_tls_engine_buffer(lw_tls_engine *engine);

/* One direction of a connection. */
typedef struct lw_tls_keys {
    const lw_tls_suite *suite;
    uint64_t id;       /* no other keys of the engine have it */
    uint64_t sequence; /* of the next record */
    unsigned char secret[LW_TLS_SECRET_MAX];
    unsigned char key[LW_TLS_KEY_MAX];
    unsigned char nonce[LW_TLS_NONCE]; /* of record 0 */
} lw_tls_keys;

/* Derives the keys from the application traffic |secret|, or, for an update, from the secret
 * before.  False: out of memory. */
bool lw_tls_keys_init(lw_tls_keys *keys, lw_tls_engine *engine, const lw_tls_suite *suite,
                      const unsigned char *secret);
bool lw_tls_keys_update(lw_tls_keys *keys, lw_tls_engine *engine);

/* Overwrites them. */
void lw_tls_keys_done(lw_tls_keys *keys);

/* A record that is being written. */
typedef struct lw_tls_sealing {
    lw_tls_keys *keys;
    char *at; /* where its next bytes go */
    bool is_failed;
} lw_tls_sealing;

/* Writes a record with |len| bytes of data (at most LW_TLS_RECORD_DATA_MAX) to |out|, which has
 * room for |len| + LW_TLS_RECORD_COST bytes: the data are added in pieces, |len| in total.
 * lw_tls_seal_end returns the end of the record; NULL: it failed (out of memory). */
void lw_tls_seal_begin(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_tls_keys *keys, char *out,
                       size_t len);
void lw_tls_seal_add(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_str data);
char *lw_tls_seal_end(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_tls_content content);

/* Returns the size of the record that |head| begins; 0 and |*alert|: it cannot be one of TLS 1.3
 * after the handshake. */
size_t lw_tls_record_size(const char head[LW_TLS_RECORD_HEAD], lw_tls_alert *alert);

/* Decrypts the complete |record| in place.  |*data| points into it.  False, with |*alert|: it is
 * none of the peer's. */
bool lw_tls_open(lw_tls_engine *engine, lw_tls_keys *keys, char *record, size_t size, lw_str *data,
                 lw_tls_content *content, lw_tls_alert *alert);

#endif
