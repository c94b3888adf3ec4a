/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_open.h -- from the options of a server to its trust in other issuers of tokens, and to its
 * rule for anonymous requests. */
#ifndef LW_SERVER_SETUP_OIDC_OPEN_H
#define LW_SERVER_SETUP_OIDC_OPEN_H

#include <listwatch/server.h>

#include "server/core/server_internal.h"

typedef struct lw_oidc_parts lw_oidc_parts;

/* Sets parts->oidc (NULL: nothing is configured) and parts->anonymous; keys are fetched on |loop|.
 * The accounts and the authenticator must be open.  LW_ERR_INVALID: options exclude each other, or
 * the configuration is invalid; LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_server_open_oidc(lw_server_parts *parts,
                                            const lw_server_options *options, lw_loop *loop,
                                            lw_error *err);

/* Begin to fetch keys, before the loop runs; end it, before the loop is freed.  NULL does
 * nothing. */
void lw_server_start_oidc(lw_oidc_parts *oidc);
void lw_server_stop_oidc(lw_oidc_parts *oidc);

void lw_server_free_oidc(lw_oidc_parts *oidc); /* NULL does nothing */

#endif
