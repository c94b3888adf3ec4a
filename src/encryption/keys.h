/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h -- encrypts and decrypts the stored values of a resource with an ordered list of keys.
 *
 * The first key encrypts; every key decrypts what has its prefix.  A value that the first key did
 * not write is stale: it is to be written again when its object is.  The stored form is that of
 * kube-apiserver, so that both can share an etcd:
 *
 *     k8s:enc:aescbc:v1:NAME:     IV (16 bytes), AES-CBC of the value with PKCS #7 padding
 *     k8s:enc:aesgcm:v1:NAME:     nonce (12), AES-GCM of the value, tag; the store's key is
 *                                 authenticated too, so a value cannot be moved to another key
 *     k8s:enc:secretbox:v1:NAME:  nonce (24), tag, XSalsa20 of the value
 *     anything else               identity: the value itself
 *
 * Threads: any; nothing changes after the keys were made. */
#ifndef LW_ENCRYPTION_KEYS_H
#define LW_ENCRYPTION_KEYS_H

#include <stdbool.h>

#include "base/buf.h"

enum {
    LW_ENCRYPTION_SECRET_MAX = 32,  /* bytes */
    LW_ENCRYPTION_PREFIX_MAX = 300, /* bytes */
    /* The most bytes that encryption adds to a value, besides the prefix. */
    LW_ENCRYPTION_OVERHEAD = 48,
};

typedef enum lw_encryption_provider {
    LW_ENCRYPTION_AESCBC,
    LW_ENCRYPTION_AESGCM,
    LW_ENCRYPTION_SECRETBOX,
    LW_ENCRYPTION_IDENTITY,
} lw_encryption_provider;

typedef struct lw_encryption_key {
    lw_encryption_provider provider;
    lw_str prefix; /* "k8s:enc:aescbc:v1:key1:"; empty for identity.  Owned by the configuration */
    unsigned char secret[LW_ENCRYPTION_SECRET_MAX];
    size_t secret_len;
} lw_encryption_key;

/* In the order of the configuration. */
typedef struct lw_encryption_keys {
    lw_encryption_key *at;
    size_t count; /* 0: as identity alone */
} lw_encryption_keys;

/* True if |stored| has the prefix that all encrypted values begin with. */
bool lw_encryption_is_encrypted(lw_str stored);

/* Appends |value| of |store_key| as it is to be stored.  Not for identity: see
 * lw_encryption_writes.  LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_IO: no random bytes. */
lw_status lw_encryption_seal(const lw_encryption_keys *keys, lw_str store_key, lw_str value,
                             lw_buf *out);

/* True if values are encrypted when they are written. */
bool lw_encryption_writes(const lw_encryption_keys *keys);

/* Sets |*value| to the value that |stored| of |store_key| has: |stored| itself, or what was
 * appended to |scratch|; |*is_stale| if the first key did not write it.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT; LW_ERR_INVALID: there is no key for it, or the key does not fit; |err| names the
 * store's key and the prefix. */
lw_status lw_encryption_open(const lw_encryption_keys *keys, lw_str store_key, lw_str stored,
                             lw_buf *scratch, lw_str *value, bool *is_stale, lw_error *err);

#endif
