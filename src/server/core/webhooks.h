/* SPDX-License-Identifier: Apache-2.0 */
/* webhooks.h -- the webhooks of a server: those of authorization, with the file of
 * --authorization-config and its reloads, and that of token authentication.
 *
 * The file is checked for changes once per second.  A new one that is not valid is logged and left
 * out: the previous one stays in force. */
#ifndef LW_SERVER_CORE_WEBHOOKS_H
#define LW_SERVER_CORE_WEBHOOKS_H

#include <listwatch/server.h>

#include "api/api.h"
#include "api/authz/authz.h"
#include "server/authn/authn.h"
#include "server/core/authz_mode.h"
#include "server/webhook/token_webhook.h"
#include "server/webhook/upstreams.h"
#include "server/webhook/webhook_metrics.h"

typedef struct lw_webhooks lw_webhooks;

/* Returns true if |options| name a webhook or a configuration that may. */
bool lw_webhooks_are_wanted(const lw_server_options *options, const lw_server_modes *modes);

/* LW_ERR_INVALID: options contradict each other; LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_webhooks_open(lw_webhooks **out, const lw_server_options *options,
                                         const lw_server_modes *modes, const lw_clock *clock,
                                         lw_error *err);

/* The webhooks are APIs of an upstream that has several addresses; takes a reference.  Before the
 * others. */
void lw_webhooks_use_upstreams(lw_webhooks *webhooks, lw_upstreams *upstreams);

/* Creates the chain of authorizers: that of the file, or of |modes|.  The errors name the file. */
LW_MUST_CHECK lw_status lw_webhooks_make_authz(lw_webhooks *webhooks, const lw_server_modes *modes,
                                               lw_authz **out, lw_error *err);

/* Creates the token webhook; |*out| stays NULL if there is none. */
LW_MUST_CHECK lw_status lw_webhooks_make_token_webhook(lw_webhooks *webhooks, lw_authn *auth,
                                                       const lw_audiences *audiences,
                                                       lw_token_webhook **out, lw_error *err);

/* Starts the thread that calls webhooks and reloads the file. */
LW_MUST_CHECK lw_status lw_webhooks_start(lw_webhooks *webhooks, lw_error *err);

/* From now on the watches of |api| are checked again when the file was reloaded; NULL: of none.
 * When it returns, the previous one is not in use.  |webhooks| may be NULL. */
void lw_webhooks_recheck(lw_webhooks *webhooks, lw_api *api);

/* Ends the thread and all calls.  NULL does nothing. */
void lw_webhooks_stop(lw_webhooks *webhooks);

/* Frees it; the authorizers and the token webhook have been freed.  NULL does nothing. */
void lw_webhooks_free(lw_webhooks *webhooks);

/* Appends the metrics; NULL: none. */
void lw_webhooks_write_metrics(lw_webhooks *webhooks, lw_buf *out);

#endif
