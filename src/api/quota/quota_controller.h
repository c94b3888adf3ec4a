/* SPDX-License-Identifier: Apache-2.0 */
/* quota_controller.h -- counts what the objects of a namespace take, and says so in the status of its
 * quotas: when a quota is new or its limits change, when objects go or end, when a charge came to
 * nothing, and every five minutes.
 *
 * It holds the names of the namespaces that have quotas, and nothing else.  Part of the lifecycle
 * (lifecycle.h), on its loop. */
#ifndef LW_API_QUOTA_QUOTA_CONTROLLER_H
#define LW_API_QUOTA_QUOTA_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_quota_keeper lw_quota_keeper;

lw_status lw_quota_keeper_new(lw_quota_keeper **out, lw_api_port *port);

/* Takes note of a change.  LW_ERR_NOMEM: the keeper must forget, and be told from the start. */
lw_status lw_quota_keeper_observe(lw_quota_keeper *keeper, const lw_kind *kind,
                                  const lw_cache_event *event);

/* All quotas are due: kinds have come or gone. */
void lw_quota_keeper_recount_all(lw_quota_keeper *keeper);

/* Counts what is due now. */
void lw_quota_keeper_pump(lw_quota_keeper *keeper);

void lw_quota_keeper_forget(lw_quota_keeper *keeper);

/* Begins nothing new from now on; and gives everything back once the port's writes have settled.
 * NULL does nothing. */
void lw_quota_keeper_stop(lw_quota_keeper *keeper);
void lw_quota_keeper_free(lw_quota_keeper *keeper);

#endif
