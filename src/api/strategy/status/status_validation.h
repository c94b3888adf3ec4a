/* SPDX-License-Identifier: Apache-2.0 */
/* status_validation.h -- validates what controllers and kubelets write to the subresource status;
 * each function is the |status| of a strategy (strategy.h). */
#ifndef LW_API_STRATEGY_STATUS_STATUS_VALIDATION_H
#define LW_API_STRATEGY_STATUS_STATUS_VALIDATION_H

#include "api/pending/pending_object.h"

/* Counts that are not negative, not above the number of replicas, and do not go back. */
void lw_status_validate_counts(lw_pending_object *pending, lw_api_status *errors);

/* Conditions, times, counts and indexes of a Job: a job that is over stays so. */
void lw_status_validate_job(lw_pending_object *pending, lw_api_status *errors);

/* Conditions, addresses and containers of a Pod: a container that is not restarted stays
 * terminated. */
void lw_status_validate_pod(lw_pending_object *pending, lw_api_status *errors);

/* podIP and podIPs name the same address. */
void lw_status_default_pod(lw_pending_object *pending);

/* Addresses of the load balancer of a Service or an Ingress. */
void lw_status_validate_load_balancer(lw_pending_object *pending, lw_api_status *errors);

/* An address of a load balancer is a virtual IP unless it says otherwise. */
void lw_status_default_load_balancer(lw_pending_object *pending);

/* A Namespace is Terminating if it is being deleted, else Active. */
void lw_status_validate_namespace(lw_pending_object *pending, lw_api_status *errors);

#endif
