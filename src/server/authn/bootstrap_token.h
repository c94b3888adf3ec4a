/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_token.h -- bootstrap tokens, ID.SECRET: with one, a new node asks for its first
 * certificate.  The user is system:bootstrap:ID, in the group system:bootstrappers and those of the
 * token. */
#ifndef LW_SERVER_AUTHN_BOOTSTRAP_TOKEN_H
#define LW_SERVER_AUTHN_BOOTSTRAP_TOKEN_H

#include <stdint.h>

#include <listwatch/object.h>

#include "server/authn/authn_users.h"

enum {
    LW_BOOTSTRAP_ID_LEN = 6,
    LW_BOOTSTRAP_SECRET_LEN = 16,
};

/* Returns true if |token| has the form of a bootstrap token, "abcdef.0123456789abcdef"; |*id| and
 * |*secret| are its parts. */
bool lw_bootstrap_token_split(lw_str token, lw_str *id, lw_str *secret);

/* Authenticates by the Secret of the token with |id|.  The time it takes does not reveal how much
 * of a guessed |secret| is right.  LW_ERR_UNAUTHORIZED: the secret is wrong, or the token has
 * expired at |wall_ns|, is not for authentication, or is malformed.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_bootstrap_token_check(const lw_object *stored, lw_str id, lw_str secret,
                                                 int64_t wall_ns, lw_authn_users *users,
                                                 const lw_user **user);

#endif
