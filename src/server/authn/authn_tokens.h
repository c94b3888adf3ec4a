/* SPDX-License-Identifier: Apache-2.0 */
/* authn_tokens.h -- the token file as it is now: read again when it has changed, looked at once a
 * second at most.  A change that cannot be read leaves what was read before in force, and says so
 * in the log.  Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_TOKENS_H
#define LW_SERVER_AUTHN_AUTHN_TOKENS_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "server/authn/authn_users.h"
#include "server/authn/token_table.h"

typedef struct lw_authn_tokens lw_authn_tokens;

/* Reads |path| (copied).  LW_ERR_INVALID names file and line; LW_ERR_NOT_FOUND, LW_ERR_IO,
 * LW_ERR_LIMIT, LW_ERR_NOMEM.  |logger| may be NULL. */
lw_status lw_authn_tokens_open(lw_authn_tokens **out, const char *path, const lw_clock *clock,
                               const lw_logger *logger, lw_error *err);
void lw_authn_tokens_close(lw_authn_tokens *tokens);

/* Whose |token| is; the user is kept in |users|.  LW_ERR_UNAUTHORIZED: nobody's; LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_authn_tokens_find(lw_authn_tokens *tokens, lw_str token, lw_authn_users *users,
                               const lw_user **user);

/* True when the file has a token of the user |name|. */
bool lw_authn_tokens_has_user(lw_authn_tokens *tokens, lw_str name);

#endif
