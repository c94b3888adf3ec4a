/* SPDX-License-Identifier: Apache-2.0 */
/* crd_status.h -- writes the status of a definition. */
#ifndef LW_API_CRD_CRD_STATUS_H
#define LW_API_CRD_CRD_STATUS_H

#include "api/context/port.h"
#include "api/crd/crd_names.h"

/* Writes the conditions NamesAccepted and Established and the accepted names, unless they are up to
 * date.  While the store is not available, the write is retried with increasing delays.  If memory
 * runs out, the next sync writes it. */
void lw_crd_status_write(lw_api_port *port, lw_definition *definition, lw_crd_conflict conflict);

#endif
