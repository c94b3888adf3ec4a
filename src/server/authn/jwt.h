/* SPDX-License-Identifier: Apache-2.0 */
/* jwt.h -- JSON Web Tokens in compact form (RFC 7519, 7515): header.claims.signature.
 *
 * Reading a token proves nothing: its claims may be used only to find the key, and after
 * lw_jwt_is_signed_by has returned true. */
#ifndef LW_SERVER_AUTHN_JWT_H
#define LW_SERVER_AUTHN_JWT_H

#include "base/buf.h"
#include "crypto/signing_key.h"
#include "json/tree.h"

enum {
    LW_JWT_MAX = 32 * 1024, /* maximum length of a token in bytes */
};

typedef struct lw_jwt {
    lw_tree *header;    /* an object */
    lw_tree *claims;    /* an object */
    lw_str signed_text; /* a view of the token: "header.claims" */
    lw_buf signature;   /* decoded */
} lw_jwt;

/* Returns true if |token| looks like a JWT: three parts, separated by dots. */
bool lw_jwt_looks_like(lw_str token);

/* Reads |token|, which must outlive |jwt|.  LW_ERR_INVALID: it is malformed, has no algorithm, or
 * has a critical header (RFC 7515, 4.1.11), because none is known here; the message says which.
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_jwt_read(lw_jwt *jwt, lw_str token, lw_error *err);
void lw_jwt_done(lw_jwt *jwt); /* also after a failure */

/* The members "alg" and "kid" of the header; empty: there is none. */
lw_str lw_jwt_algorithm(const lw_jwt *jwt);
lw_str lw_jwt_key_id(const lw_jwt *jwt);

bool lw_jwt_is_signed_by(const lw_jwt *jwt, const lw_signing_key *key);

/* Appends the token with |claims|, an object as JSON, signed by |key|.  LW_ERR_INVALID: the key is
 * public; LW_ERR_NOMEM, LW_ERR_INTERNAL. */
LW_MUST_CHECK lw_status lw_jwt_write(lw_buf *token, lw_str claims, const lw_signing_key *key);

/* A time claim ("exp", "nbf", "iat") in seconds.  LW_ERR_NOT_FOUND: there is none.  LW_ERR_INVALID:
 * it is not a number, or out of range.  Fractions are cut off. */
LW_MUST_CHECK lw_status lw_jwt_time(const lw_jwt *jwt, const char *claim, int64_t *out);

/* Returns true if "aud", a string or a list of strings, contains |audience|. */
bool lw_jwt_has_audience(const lw_jwt *jwt, lw_str audience);

#endif
