/* SPDX-License-Identifier: Apache-2.0 */
/* policy_status.h -- the status of ValidatingAdmissionPolicies: each new generation is type-checked
 * (api/policies/policy_typecheck.h), and status.typeChecking and status.observedGeneration say what
 * was found.
 *
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_POLICY_STATUS_H
#define LW_API_LIFECYCLE_POLICY_STATUS_H

#include "api/context/port.h"

typedef struct lw_policy_status lw_policy_status;

lw_status lw_policy_status_new(lw_policy_status **out, lw_api_port *port);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_policy_status_observe(lw_policy_status *controller, const lw_kind *kind,
                                   const lw_cache_event *event);

/* Starts what is due. */
void lw_policy_status_pump(lw_policy_status *controller);

/* Changes were missed: forgets all policies. */
void lw_policy_status_forget(lw_policy_status *controller);

/* Starts nothing from now on.  NULL does nothing. */
void lw_policy_status_stop(lw_policy_status *controller);

/* After its writes are over.  NULL does nothing. */
void lw_policy_status_free(lw_policy_status *controller);

#endif
