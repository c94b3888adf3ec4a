/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_workload.h -- what workloads cannot say in the fields around their template. */
#ifndef LW_API_STRATEGY_STRATEGY_WORKLOAD_H
#define LW_API_STRATEGY_STRATEGY_WORKLOAD_H

#include "api/pending/pending_object.h"

/* A selector must be there, select something, and be made of operators that are. */
void lw_workload_selector_check(const lw_kind *kind, const lw_node *selector,
                                lw_api_status *errors);

/* What is said of a selector that cannot be read; NULL: nothing beyond its operators. */
const char *lw_workload_bad_selector(const lw_kind *kind);

/* Limits, policies and strategies in the |spec| of |kind|. */
void lw_workload_values_check(const lw_kind *kind, const lw_node *spec, lw_api_status *errors);

/* How many templates a daemon set has had: what is sent of it stands for the defaults; a new one
 * has had one; each other template counts. */
void lw_daemon_set_note_default(lw_pending_object *pending);
void lw_daemon_set_note_create(lw_pending_object *pending);
void lw_daemon_set_note_update(lw_pending_object *pending);

#endif
