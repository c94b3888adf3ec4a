/* SPDX-License-Identifier: Apache-2.0 */
/* seed_service.h -- the Service default/kubernetes, by which pods reach this server. */
#ifndef LW_API_SEED_SERVICE_H
#define LW_API_SEED_SERVICE_H

#include "api/context/seed_batch.h"

/* Adds to |batch| what is missing: the ServiceCIDR, the Service with the first address of the range
 * and its IPAddress, and the Endpoints and the EndpointSlice with the advertised address.  A port
 * or address that has changed since the last start is updated.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_seed_service(lw_seed_batch *batch);

#endif
