/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.c -- the list of controllers. */
#include "controllers.h"

const lw_controller_type *const lw_controller_types[] = {
    &lw_deployment_controller,
    &lw_replicaset_controller,
    &lw_replication_controller,
    &lw_job_controller,
    &lw_cronjob_controller,
    &lw_scheduler,
    &lw_hollow_nodes,
    &lw_node_lifecycle_controller,
    &lw_endpoints_controller,
    &lw_endpointslice_controller,
    &lw_service_accounts_controller,
    &lw_root_ca_controller,
    NULL,
};
