/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.h -- the list of controllers, each defined in its own directory. */
#ifndef LW_CONTROL_CONTROLLERS_H
#define LW_CONTROL_CONTROLLERS_H

#include "runtime/controller.h"

/* All controllers; ends with NULL. */
extern const lw_controller_type *const lw_controller_types[];

extern const lw_controller_type lw_deployment_controller;
extern const lw_controller_type lw_replicaset_controller;
extern const lw_controller_type lw_replication_controller;
extern const lw_controller_type lw_job_controller;
extern const lw_controller_type lw_cronjob_controller;
extern const lw_controller_type lw_scheduler;
extern const lw_controller_type lw_hollow_nodes;
extern const lw_controller_type lw_node_lifecycle_controller;
extern const lw_controller_type lw_endpoints_controller;
extern const lw_controller_type lw_endpointslice_controller;
extern const lw_controller_type lw_service_accounts_controller;
extern const lw_controller_type lw_root_ca_controller;

#endif
