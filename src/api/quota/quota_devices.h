/* SPDX-License-Identifier: Apache-2.0 */
/* quota_devices.h -- the devices that a ResourceClaim uses of a quota, by their class.
 *
 * Pure functions. */
#ifndef LW_API_QUOTA_QUOTA_DEVICES_H
#define LW_API_QUOTA_QUOTA_DEVICES_H

#include "api/pending/resource_amounts.h"

/* Returns true for "CLASS.deviceclass.resource.k8s.io/devices". */
bool lw_quota_is_devices(lw_str resource);

/* Adds the devices that |claim| (resource.k8s.io/v1) asks for; used->st: LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
void lw_quota_add_devices(lw_amounts *used, const lw_node *claim);

#endif
