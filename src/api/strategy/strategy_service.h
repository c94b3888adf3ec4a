/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_service.h -- the ports of nodes that a service is reached at (node_port.h). */
#ifndef LW_API_STRATEGY_STRATEGY_SERVICE_H
#define LW_API_STRATEGY_STRATEGY_SERVICE_H

#include "api/pending/pending_object.h"

/* Whether the service of |spec| is of |type|. */
bool lw_service_is(const lw_node *spec, const char *type);

/* Gives the new service of |pending| what it asks for, or draws it; a fault when it cannot be had.
 */
void lw_service_ports_create(lw_pending_object *pending, lw_api_status *errors);

/* The same of a changed service, which keeps what it has as long as it needs it. */
void lw_service_ports_update(lw_pending_object *pending, lw_api_status *errors);

/* Adds what is wrong about them. */
void lw_service_ports_validate(const lw_node *spec, lw_api_status *errors);

/* The port of health checks: only of a load balancer with local traffic, and for good. */
void lw_service_health_port_validate(const lw_node *spec, const lw_node *old,
                                     lw_api_status *errors);

#endif
