/* SPDX-License-Identifier: Apache-2.0 */
/* address_status.h -- validates an IP address in a status. */
#ifndef LW_API_STRATEGY_STATUS_ADDRESS_STATUS_H
#define LW_API_STRATEGY_STATUS_ADDRESS_STATUS_H

#include "api/pending/pending_object.h"

/* Adds an error for |field| if |text| is not an IP address, or has a form that other programs could
 * take for another address.  Addresses that were in the list |old| before are accepted; its items
 * are objects with the member |ip|. */
void lw_status_validate_address(lw_api_status *errors, const char *field, lw_str text,
                                const lw_node *old);

#endif
