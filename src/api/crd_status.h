/* SPDX-License-Identifier: Apache-2.0 */
/* crd_status.h -- what the server says about a definition in its status. */
#ifndef LW_API_CRD_STATUS_H
#define LW_API_CRD_STATUS_H

#include "api/call.h"
#include "api/crd_names.h"
#include "api/draft.h"

/* The finalizer that holds a definition until its objects are gone. */
#define LW_CRD_FINALIZER "customresourcecleanup.apiextensions.k8s.io"

/* Writes the conditions NamesAccepted and Established and the accepted names, unless they are there
 * already.  Without memory it is left to the next sync. */
void lw_crd_status_write(lw_api_port *port, lw_definition *definition, lw_crd_conflict conflict);

/* One of status.conditions. */
typedef struct lw_crd_condition {
    const char *type, *status, *reason;
    lw_str message;
} lw_crd_condition;

/* Sets the condition in the definition |draft| is of; the time of its last transition is |wall_ns|
 * when its status changes. */
void lw_crd_set_condition(lw_draft *draft, const lw_crd_condition *condition, int64_t wall_ns);

#endif
