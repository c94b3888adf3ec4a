/* SPDX-License-Identifier: Apache-2.0 */
/* account_claims.h -- the claims of service account tokens as JSON, as kube-apiserver writes them.
 *
 *     bound tokens          iss sub aud exp iat nbf jti kubernetes.io{namespace serviceaccount ...}
 *     tokens of Secrets     iss sub kubernetes.io/serviceaccount/{namespace,secret.name,...} */
#ifndef LW_SERVER_AUTHN_ACCOUNT_CLAIMS_H
#define LW_SERVER_AUTHN_ACCOUNT_CLAIMS_H

#include "api/context/account_token.h"
#include "server/authn/jwt.h"

/* The issuer of tokens in Secrets. */
#define LW_LEGACY_ISSUER "kubernetes/serviceaccount"

/* Append the claims as JSON; failures are kept in |json|. */
void lw_account_claims_write(const lw_account_claims *claims, lw_str issuer, lw_buf *json);
void lw_account_claims_write_legacy(const lw_account_claims *claims, lw_buf *json);

/* Read the claims of |jwt|, which must outlive |claims|.  LW_ERR_INVALID: the message says what is
 * missing or malformed.  The subject must be the account that the other claims name. */
LW_MUST_CHECK lw_status lw_account_claims_read(lw_account_claims *claims, const lw_jwt *jwt,
                                               lw_error *err);
LW_MUST_CHECK lw_status lw_account_claims_read_legacy(lw_account_claims *claims, const lw_jwt *jwt,
                                                      lw_error *err);

#endif
