/* SPDX-License-Identifier: Apache-2.0 */
/* token_secrets.h -- Secrets of the type kubernetes.io/service-account-token: they get a token that
 * does not expire, the CA of the server and their namespace as data, and are deleted with their
 * service account.
 *
 * The token is issued once; who removes it from the data gets a new one, and the old one becomes
 * invalid.  Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_TOKEN_SECRETS_H
#define LW_API_LIFECYCLE_TOKEN_SECRETS_H

#include "api/context/port.h"

typedef struct lw_token_secrets lw_token_secrets;

lw_status lw_token_secrets_new(lw_token_secrets **out, lw_api_port *port);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_token_secrets_observe(lw_token_secrets *secrets, const lw_kind *kind,
                                   const lw_cache_event *event);

/* Starts what is due. */
void lw_token_secrets_pump(lw_token_secrets *secrets);

/* Changes were missed: forgets all Secrets. */
void lw_token_secrets_forget(lw_token_secrets *secrets);

/* Starts nothing from now on.  NULL does nothing. */
void lw_token_secrets_stop(lw_token_secrets *secrets);

/* After its writes are over.  NULL does nothing. */
void lw_token_secrets_free(lw_token_secrets *secrets);

#endif
