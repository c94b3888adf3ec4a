/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_ip.h -- addresses of services: one each, from 10.96.0.0/16.
 *
 * Free is what no service in the cache has; services made at the very same moment by two loops can
 * draw the same address of 65,000, as long as nobody keeps a register of them. */
#ifndef LW_API_STRATEGY_CLUSTER_IP_H
#define LW_API_STRATEGY_CLUSTER_IP_H

#include "api/context/port.h"

#define LW_CLUSTER_IP_RANGE "10.96.0.0/16"

enum {
    LW_CLUSTER_IP_SIZE = 16, /* "10.96.255.254" and its NUL */
};

/* Draws a free address.  LW_ERR_LIMIT: none is left; LW_ERR_NOMEM. */
lw_status lw_cluster_ip_draw(const lw_api *api, const lw_kind *services,
                             char ip[LW_CLUSTER_IP_SIZE]);

/* Whether some service has |ip|. */
lw_status lw_cluster_ip_is_used(const lw_api *api, const lw_kind *services, lw_str ip,
                                bool *is_used);

/* True when |ip|, an address, is one that services may have. */
bool lw_cluster_ip_is_in_range(lw_str ip);

/* True when |ip| is an IPv4 address in decimal. */
bool lw_cluster_ip_is_address(lw_str ip);

#endif
