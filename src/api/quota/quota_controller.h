/* SPDX-License-Identifier: Apache-2.0 */
/* quota_controller.h -- recounts the usage of a namespace into the status of its quotas: when a
 * quota is new or its limits change, when objects are deleted or complete, when a charge was not
 * used, and every five minutes.
 *
 * It stores only the names of the namespaces that have quotas.  Part of the lifecycle
 * (lifecycle.h), on its loop. */
#ifndef LW_API_QUOTA_QUOTA_CONTROLLER_H
#define LW_API_QUOTA_QUOTA_CONTROLLER_H

#include "api/context/port.h"

typedef struct lw_quota_controller lw_quota_controller;

/* Creates the controller.  LW_ERR_NOMEM. */
lw_status lw_quota_controller_new(lw_quota_controller **out, lw_api_port *port);

/* Handles a change.  LW_ERR_NOMEM: call lw_quota_controller_forget and pass all objects again. */
lw_status lw_quota_controller_observe(lw_quota_controller *controller, const lw_kind *kind,
                                      const lw_cache_event *event);

/* Makes all quotas due, because the served kinds have changed. */
void lw_quota_controller_recount_all(lw_quota_controller *controller);

/* Starts the recounts that are due. */
void lw_quota_controller_pump(lw_quota_controller *controller);

/* Forgets all namespaces. */
void lw_quota_controller_forget(lw_quota_controller *controller);

/* Start nothing new; and free the controller, after the port's writes have ended.  NULL does
 * nothing. */
void lw_quota_controller_stop(lw_quota_controller *controller);
void lw_quota_controller_free(lw_quota_controller *controller);

#endif
