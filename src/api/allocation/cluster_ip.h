/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_ip.h -- cluster IPs: a unique address for each service, from the range of the server.
 *
 * An address is free if no service in the cache has it and there is no IPAddress of it.  There is
 * no allocation table, so two services created at the same moment on two loops can get the same
 * address.  As in Kubernetes the low end of the range is for services that request a specific
 * address: it is used when the rest is full. */
#ifndef LW_API_ALLOCATION_CLUSTER_IP_H
#define LW_API_ALLOCATION_CLUSTER_IP_H

#include "api/context/port.h"

enum {
    LW_CLUSTER_IP_SIZE = 16, /* "10.96.255.254" and its NUL */
};

/* Allocates a random free address.  LW_ERR_LIMIT: none is left; LW_ERR_NOMEM. */
lw_status lw_cluster_ip_allocate(const lw_api *api, const lw_kind *services,
                                 char ip[LW_CLUSTER_IP_SIZE]);

/* Sets |*is_used| to whether a service has |ip| or an IPAddress reserves it.  LW_ERR_NOMEM,
 * LW_ERR_UNAVAILABLE. */
lw_status lw_cluster_ip_is_used(const lw_api *api, const lw_kind *services, lw_str ip,
                                bool *is_used);

/* Sets |ip| to the first address of the range, which is that of the Service default/kubernetes. */
void lw_cluster_ip_first(const lw_api *api, char ip[LW_CLUSTER_IP_SIZE]);

/* Returns true if |ip|, an address, is in the range for services. */
bool lw_cluster_ip_is_in_range(const lw_api *api, lw_str ip);

/* Returns true if |ip| is an IPv4 address in decimal notation. */
bool lw_cluster_ip_is_address(lw_str ip);

#endif
