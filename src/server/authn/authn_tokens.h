/* SPDX-License-Identifier: Apache-2.0 */
/* authn_tokens.h -- the tokens of the token file.  The file is checked for changes at most once per
 * second and reloaded after a change.  If it cannot be read, the previous tokens stay valid and a
 * warning is logged.  Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_TOKENS_H
#define LW_SERVER_AUTHN_AUTHN_TOKENS_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "server/authn/authn_users.h"
#include "server/authn/token_table.h"

typedef struct lw_authn_tokens lw_authn_tokens;

/* Reads the file |path| (copied).  LW_ERR_INVALID: the message names the file and line;
 * LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_LIMIT, LW_ERR_NOMEM.  |logger| may be NULL. */
lw_status lw_authn_tokens_open(lw_authn_tokens **out, const char *path, const lw_clock *clock,
                               const lw_logger *logger, lw_error *err);
void lw_authn_tokens_close(lw_authn_tokens *tokens);

/* Finds the user of |token| and stores it in |users|.  LW_ERR_UNAUTHORIZED: unknown token;
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_tokens_find(lw_authn_tokens *tokens, lw_str token, lw_authn_users *users,
                               const lw_user **user);

/* True if the file has a token of the user |name|. */
bool lw_authn_tokens_has_user(lw_authn_tokens *tokens, lw_str name);

#endif
