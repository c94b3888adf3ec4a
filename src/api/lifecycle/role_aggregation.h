/* SPDX-License-Identifier: Apache-2.0 */
/* role_aggregation.h -- ClusterRoles with an aggregationRule: their rules are those of all
 * ClusterRoles whose labels match.
 *
 * When a ClusterRole changes, the rules of every aggregated one are gathered again, and written if
 * they are different.  Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_ROLE_AGGREGATION_H
#define LW_API_LIFECYCLE_ROLE_AGGREGATION_H

#include "api/context/port.h"

typedef struct lw_role_aggregation lw_role_aggregation;

lw_status lw_role_aggregation_new(lw_role_aggregation **out, lw_api_port *port);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_role_aggregation_observe(lw_role_aggregation *aggregation, const lw_kind *kind,
                                      const lw_cache_event *event);

/* Starts what is due. */
void lw_role_aggregation_pump(lw_role_aggregation *aggregation);

/* Changes were missed: forgets all roles. */
void lw_role_aggregation_forget(lw_role_aggregation *aggregation);

/* Starts nothing from now on.  NULL does nothing. */
void lw_role_aggregation_stop(lw_role_aggregation *aggregation);

/* After its writes are over.  NULL does nothing. */
void lw_role_aggregation_free(lw_role_aggregation *aggregation);

#endif
