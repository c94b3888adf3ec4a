/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_token.h -- verifies a token of another issuer: issuer, algorithm, signature, audience,
 * times, and the rules of the configuration.  Pure except for the clock that is passed; any thread.
 */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_TOKEN_H
#define LW_SERVER_AUTHN_OIDC_OIDC_TOKEN_H

#include "api/context/user.h"
#include "server/authn/jwt.h"
#include "server/authn/oidc/oidc_config.h"

enum {
    LW_OIDC_LEEWAY_S = 60, /* how far the clock of the issuer may be ahead, for "nbf" */
};

/* When a token is valid, Unix time. */
typedef struct lw_oidc_times {
    int64_t expires_s, not_before_s; /* not_before_s is 0 if there is none */
} lw_oidc_times;

/* LW_ERR_EXPIRED, LW_ERR_INVALID (not yet valid); the message says it. */
LW_MUST_CHECK lw_status lw_oidc_times_check(const lw_oidc_times *times, int64_t wall_ns,
                                            lw_error *err);

/* Verifies |token| and makes its user, which the caller unrefs.  LW_ERR_INVALID, LW_ERR_EXPIRED,
 * LW_ERR_LIMIT: it is refused, the message says why; LW_ERR_NOMEM.  If the signature does not match
 * a key of the issuer, its keys are fetched again. */
LW_MUST_CHECK lw_status lw_oidc_token_verify(const lw_oidc_config *config, lw_str token,
                                             int64_t wall_ns, lw_oidc_times *times,
                                             const lw_user **user, lw_error *err);

#endif
