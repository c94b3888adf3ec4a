/* SPDX-License-Identifier: Apache-2.0 */
/* signing_key.h -- keys that sign and verify JSON Web Tokens (RFC 7515, 7518): RSA and ECDSA.
 *
 * A key has one family (RSA, or one elliptic curve) and accepts only the algorithms of its family,
 * so that a token cannot choose how it is verified.  Keys are immutable and shared by references.
 * Threads: any. */
#ifndef LW_CRYPTO_SIGNING_KEY_H
#define LW_CRYPTO_SIGNING_KEY_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_SIGNING_KEYS_MAX = 64,      /* keys in one file or key set */
    LW_SIGNING_KEY_RSA_MIN = 2048, /* bits; shorter keys are refused */
    LW_SIGNING_KEY_RSA_MAX = 8192, /* longer ones cost too much to verify */
};

typedef struct lw_signing_key lw_signing_key;

/* Makes a new private key: RSA with 2048 bits, or ECDSA on P-256.  LW_ERR_INTERNAL,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_signing_key_generate(lw_signing_key **out, bool is_rsa, lw_error *err);

/* Reads all keys of a PEM file: private keys, public keys, and the keys of certificates; at most
 * LW_SIGNING_KEYS_MAX.  LW_ERR_INVALID: there is none, or one that cannot be used; the message says
 * why.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_signing_keys_read(lw_str pem, lw_signing_key *keys[LW_SIGNING_KEYS_MAX],
                                             size_t *count, lw_error *err);

/* The public key of a JSON Web Key (RFC 7517); numbers are base64url.  LW_ERR_INVALID: not a key
 * that can be used; LW_ERR_NOMEM. */
typedef struct lw_jwk {
    lw_str type;            /* "RSA", "EC" */
    lw_str modulus, public; /* RSA: n, e */
    lw_str curve, x, y;     /* EC: crv, x, y */
} lw_jwk;
LW_MUST_CHECK lw_status lw_signing_key_of_jwk(lw_signing_key **out, const lw_jwk *jwk,
                                              lw_error *err);

lw_signing_key *lw_signing_key_ref(lw_signing_key *key);
void lw_signing_key_unref(lw_signing_key *key); /* NULL does nothing */

bool lw_signing_key_is_private(const lw_signing_key *key);

/* The algorithm it signs with: "RS256", "ES256", "ES384", "ES512". */
const char *lw_signing_key_algorithm(const lw_signing_key *key);

/* The identifier that kube-apiserver gives it: base64url of the SHA-256 of the public key. */
const char *lw_signing_key_id(const lw_signing_key *key);

/* Appends the private key as PEM (PKCS #8).  LW_ERR_INVALID: it is public; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_signing_key_write(const lw_signing_key *key, lw_buf *pem);

/* Appends the members of the public key as JSON, without braces:
 *     "use":"sig","kty":"EC","kid":"...","crv":"P-256","alg":"ES256","x":"...","y":"..."
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_signing_key_write_jwk(const lw_signing_key *key, lw_buf *json);

/* Appends the signature of |text| as JWTs have it (not yet base64url).  LW_ERR_INVALID: the key is
 * public; LW_ERR_INTERNAL, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_signing_key_sign(const lw_signing_key *key, lw_str text,
                                            lw_buf *signature);

/* Returns true if |signature| is the key's signature of |text| by |algorithm| ("RS256", "RS384",
 * "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"), and the algorithm is one of the
 * key's family. */
bool lw_signing_key_verify(const lw_signing_key *key, lw_str algorithm, lw_str text,
                           lw_str signature);

#endif
