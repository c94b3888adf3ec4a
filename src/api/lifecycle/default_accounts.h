/* SPDX-License-Identifier: Apache-2.0 */
/* default_accounts.h -- the ServiceAccount "default", which exists in every active namespace: pods
 * use it unless they name another one.  It is created with the namespace, and again if somebody
 * deletes it.
 *
 * Only needed while the admission plugin ServiceAccount is enabled.  Threads: those of the port's
 * loop. */
#ifndef LW_API_LIFECYCLE_DEFAULT_ACCOUNTS_H
#define LW_API_LIFECYCLE_DEFAULT_ACCOUNTS_H

#include "api/context/port.h"

typedef struct lw_default_accounts lw_default_accounts;

lw_status lw_default_accounts_new(lw_default_accounts **out, lw_api_port *port);

/* In all functions below, NULL does nothing: accounts are not created. */

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_default_accounts_observe(lw_default_accounts *accounts, const lw_kind *kind,
                                      const lw_cache_event *event);

/* Starts what is due. */
void lw_default_accounts_pump(lw_default_accounts *accounts);

/* Changes were missed: forgets all namespaces. */
void lw_default_accounts_forget(lw_default_accounts *accounts);

/* Starts nothing from now on. */
void lw_default_accounts_stop(lw_default_accounts *accounts);

/* After its writes are over. */
void lw_default_accounts_free(lw_default_accounts *accounts);

#endif
