/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_service.h -- the node ports of a service (node_port.h). */
#ifndef LW_API_STRATEGY_STRATEGY_SERVICE_H
#define LW_API_STRATEGY_STRATEGY_SERVICE_H

#include "api/pending/pending_object.h"

/* Returns true if the service of |spec| has |type|. */
bool lw_service_is(const lw_node *spec, const char *type);

/* Allocates the node ports of a new service, requested or random; adds an error if one is not
 * available. */
void lw_service_ports_create(lw_pending_object *pending, lw_api_status *errors);

/* Allocates the node ports of a changed service, which keeps those that it still needs. */
void lw_service_ports_update(lw_pending_object *pending, lw_api_status *errors);

/* Adds the errors of the node ports to |errors|. */
void lw_service_ports_validate(const lw_node *spec, lw_api_status *errors);

/* Validates healthCheckNodePort: only for a load balancer with local traffic, and immutable. */
void lw_service_health_port_validate(const lw_node *spec, const lw_node *old,
                                     lw_api_status *errors);

#endif
