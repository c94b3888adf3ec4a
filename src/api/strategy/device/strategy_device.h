/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_device.h -- the parts of dynamic resource allocation that several of its kinds have. */
#ifndef LW_API_STRATEGY_STRATEGY_DEVICE_H
#define LW_API_STRATEGY_STRATEGY_DEVICE_H

#include "api/pending/value_validation.h"

/* Sets timeAdded of |taint| to now if it is missing. */
void lw_device_taint_default(lw_pending_object *pending, lw_node *taint);

/* Validates the taint, the selectors or the name of a driver or pool at |at|. */
void lw_device_taint_validate(const lw_node *taint, const lw_field_path *at, lw_api_status *errors);
void lw_device_driver_validate(lw_str name, const lw_field_path *at, lw_api_status *errors);
void lw_device_pool_validate(lw_str name, const lw_field_path *at, lw_api_status *errors);

/* Adds "Duplicate value" for each item of |list| whose |key| an item before it has.  |shows_key|:
 * the error shows the key, not the item.  The list is at |at|; it must be short. */
void lw_device_unique_validate(const lw_node *list, const char *key, bool shows_key,
                               const lw_field_path *at, lw_api_status *errors);

#endif
