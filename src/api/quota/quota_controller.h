/* SPDX-License-Identifier: Apache-2.0 */
/* quota_controller.h -- counts what the objects of a namespace take, and says so in the status of
 * its quotas: when a quota is new or its limits change, when objects go or end, when a charge came
 * to nothing, and every five minutes.
 *
 * It holds the names of the namespaces that have quotas, and nothing else.  Part of the lifecycle
 * (lifecycle.h), on its loop. */
#ifndef LW_API_QUOTA_QUOTA_CONTROLLER_H
#define LW_API_QUOTA_QUOTA_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_quota_controller lw_quota_controller;

lw_status lw_quota_controller_new(lw_quota_controller **out, lw_api_port *port);

/* Takes note of a change.  LW_ERR_NOMEM: the controller must forget, and be told from the start. */
lw_status lw_quota_controller_observe(lw_quota_controller *controller, const lw_kind *kind,
                                      const lw_cache_event *event);

/* All quotas are due: kinds have come or gone. */
void lw_quota_controller_recount_all(lw_quota_controller *controller);

/* Counts what is due now. */
void lw_quota_controller_pump(lw_quota_controller *controller);

void lw_quota_controller_forget(lw_quota_controller *controller);

/* Begins nothing new from now on; and gives everything back once the port's writes have settled.
 * NULL does nothing. */
void lw_quota_controller_stop(lw_quota_controller *controller);
void lw_quota_controller_free(lw_quota_controller *controller);

#endif
