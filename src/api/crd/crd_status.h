/* SPDX-License-Identifier: Apache-2.0 */
/* crd_status.h -- what the server says about a definition in its status. */
#ifndef LW_API_CRD_CRD_STATUS_H
#define LW_API_CRD_CRD_STATUS_H

#include "api/context/port.h"
#include "api/crd/crd_names.h"

/* Writes the conditions NamesAccepted and Established and the accepted names, unless they are there
 * already.  While the store is not available, the write is retried with increasing delays.  Without
 * memory it is left to the next sync. */
void lw_crd_status_write(lw_api_port *port, lw_definition *definition, lw_crd_conflict conflict);

#endif
