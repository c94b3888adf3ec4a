/* SPDX-License-Identifier: Apache-2.0 */
/* service_addresses.h -- an IPAddress object for each cluster IP, as in kube-apiserver: it names
 * the Service that has the address.  It is made when the Service is, and goes with it.
 *
 * An address that somebody else has reserved with an IPAddress is not given to a Service
 * (api/allocation/cluster_ip.h).  Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_SERVICE_ADDRESSES_H
#define LW_API_LIFECYCLE_SERVICE_ADDRESSES_H

#include "api/context/port.h"

typedef struct lw_service_addresses lw_service_addresses;

/* LW_ERR_NOMEM. */
lw_status lw_service_addresses_new(lw_service_addresses **out, lw_api_port *port);

/* In all functions below, NULL does nothing. */

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_service_addresses_observe(lw_service_addresses *addresses, const lw_kind *kind,
                                       const lw_cache_event *event);

/* Starts what is due. */
void lw_service_addresses_pump(lw_service_addresses *addresses);

/* Changes were missed: forgets all services and addresses. */
void lw_service_addresses_forget(lw_service_addresses *addresses);

/* Starts nothing from now on. */
void lw_service_addresses_stop(lw_service_addresses *addresses);

/* After its writes are over. */
void lw_service_addresses_free(lw_service_addresses *addresses);

#endif
