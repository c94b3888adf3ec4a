/* SPDX-License-Identifier: Apache-2.0 */
/* pem_key.h -- private keys as PEM (PKCS #8, RFC 5958).
 *
 * Keys on P-256, which is what listwatch generates, are encoded and decoded here: they all differ
 * in two numbers only, and OpenSSL 3.0 looks through all of its decoders for each key, which takes
 * twenty times as long.  Other keys are left to OpenSSL. */
#ifndef LW_CRYPTO_PEM_KEY_H
#define LW_CRYPTO_PEM_KEY_H

#include "base/buf.h"

struct evp_pkey_st; /* EVP_PKEY */

/* Returns the first private key in |pem|, to be freed with EVP_PKEY_free.  NULL: there is none, or
 * it is encrypted; OpenSSL's error queue says why. */
LW_MUST_CHECK struct evp_pkey_st *lw_pem_key_read(lw_str pem);

/* Returns the key of a block, which is DER; NULL as above. */
LW_MUST_CHECK struct evp_pkey_st *lw_pem_key_decode(lw_str der);

/* Appends |key|, which must be private.  LW_ERR_NOMEM, LW_ERR_LIMIT: the limit of |pem|. */
LW_MUST_CHECK lw_status lw_pem_key_write(const struct evp_pkey_st *key, lw_buf *pem);

/* The length of a point on P-256 that is not compressed (SEC 1, 2.3.3). */
enum {
    LW_P256_POINT_SIZE = 65
};

/* Appends the SubjectPublicKeyInfo (RFC 5280) of |key| as DER.  LW_ERR_NOMEM, LW_ERR_LIMIT: the
 * limit of |der|. */
LW_MUST_CHECK lw_status lw_public_key_write(const struct evp_pkey_st *key, lw_buf *der);

/* Gets the public point of |key|; false if it is not on P-256. */
bool lw_p256_point(const struct evp_pkey_st *key, unsigned char point[LW_P256_POINT_SIZE]);

#endif
