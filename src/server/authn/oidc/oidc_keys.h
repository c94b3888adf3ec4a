/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_keys.h -- the public keys of an issuer: a JSON Web Key Set (RFC 7517).  Immutable, shared by
 * references; any thread. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_KEYS_H
#define LW_SERVER_AUTHN_OIDC_OIDC_KEYS_H

#include "base/ref.h"
#include "server/authn/jwt.h"

typedef struct lw_oidc_key {
    char *id; /* "kid"; may be empty */
    lw_signing_key *key;
} lw_oidc_key;

typedef struct lw_oidc_keys {
    lw_ref refs;
    size_t count;
    lw_oidc_key keys[LW_SIGNING_KEYS_MAX];
} lw_oidc_keys;

/* Reads a key set.  Keys that cannot verify tokens here (of another type, too short, for
 * encryption) are left out.  LW_ERR_INVALID: it is not a key set, or no key is left; LW_ERR_SYNTAX,
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_keys_read(lw_oidc_keys **out, lw_str json, lw_error *err);
lw_oidc_keys *lw_oidc_keys_ref(lw_oidc_keys *keys);
void lw_oidc_keys_unref(lw_oidc_keys *keys); /* NULL does nothing */

/* Returns true if one of the keys signed |jwt|: that with the identifier that the token names, or
 * any if it names none. */
bool lw_oidc_keys_verify(const lw_oidc_keys *keys, const lw_jwt *jwt);

/* Returns true if both sets have the same keys in the same order. */
bool lw_oidc_keys_equal(const lw_oidc_keys *a, const lw_oidc_keys *b);

#endif
