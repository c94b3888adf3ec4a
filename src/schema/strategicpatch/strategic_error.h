/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_error.h -- the errors of a strategic merge patch, in the words of Kubernetes.  Each
 * function writes the reason to run->why and returns the status, or LW_ERR_NOMEM. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ERROR_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_ERROR_H

#include "schema/strategicpatch/go_value.h"
#include "schema/strategicpatch/strategic_run.h"

/* Returns |st| with |text| as the reason. */
lw_status lw_strategic__refuse(lw_strategic_run *run, lw_status st, const char *text);

/* map: map[image:a] does not contain declared merge key: name */
lw_status lw_strategic__no_key(lw_strategic_run *run, const lw_node *map, lw_str key);

/* expected a map[string]interface {}, but received a string */
lw_status lw_strategic__bad_type(lw_strategic_run *run, lw_go_form wanted, const lw_node *node);

/* unknown patch type: merge in map: map[$patch:merge] */
lw_status lw_strategic__bad_directive(lw_strategic_run *run, const lw_node *directive,
                                      const lw_node *map);

/* list element types are not identical: [[a] [1]] */
lw_status lw_strategic__mixed(lw_strategic_run *run, const lw_node *original, const lw_node *patch);

/* cannot merge lists without merge key for struct */
lw_status lw_strategic__keyless(lw_strategic_run *run, const lw_type *element);

/* The order in patch list: ... doesn't match $setElementOrder list: ... */
lw_status lw_strategic__other_order(lw_strategic_run *run, const lw_node *patch,
                                    const lw_node *order);

/* unable to find api field in struct PodSpec for the json field "a" */
lw_status lw_strategic__no_field(lw_strategic_run *run, const lw_type *type, lw_str name);

/* value for key 1 is not a map */
lw_status lw_strategic__no_map(lw_strategic_run *run, size_t position);

#endif
