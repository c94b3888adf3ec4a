/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_workload.h -- validates the fields of workloads outside of their templates. */
#ifndef LW_API_STRATEGY_STRATEGY_WORKLOAD_H
#define LW_API_STRATEGY_STRATEGY_WORKLOAD_H

#include "api/pending/pending_object.h"

/* Checks a selector: it is required, must not be empty, and has valid operators. */
void lw_workload_selector_check(const lw_kind *kind, const lw_node *selector,
                                lw_api_status *errors);

/* Returns the error detail for an invalid selector; NULL: only its operators are reported. */
const char *lw_workload_bad_selector(const lw_kind *kind);

/* Validates numbers, policies and strategies in the |spec| of |kind|. */
void lw_workload_values_check(const lw_kind *kind, const lw_node *spec, lw_api_status *errors);

/* Set the annotation with the template generation of a daemon set: its default, 1 for a new one,
 * and incremented when the template changes. */
void lw_daemon_set_note_default(lw_pending_object *pending);
void lw_daemon_set_note_create(lw_pending_object *pending);
void lw_daemon_set_note_update(lw_pending_object *pending);

#endif
