/* SPDX-License-Identifier: Apache-2.0 */
/* service_address.h -- the address of a Service, for calls of the server to other servers:
 * admission webhooks, aggregated API servers, proxies.
 *
 * This server is on no pod network, so the cluster IP is of no use: a ready endpoint is chosen at
 * random, from the Endpoints of the Service or, if it has none, from its EndpointSlices.  A Service
 * of type ExternalName is its name.  Everything is read from the watch cache.
 *
 * Threads: the loop of the port. */
#ifndef LW_API_SERVICES_SERVICE_ADDRESS_H
#define LW_API_SERVICES_SERVICE_ADDRESS_H

#include "api/context/port.h"

enum {
    LW_SERVICE_HOST_SIZE = 256, /* a host name or an IP address, with its NUL */
};

typedef struct lw_service_address {
    char host[LW_SERVICE_HOST_SIZE]; /* without brackets */
    uint16_t port;
} lw_service_address;

/* Finds an endpoint of |port_number| of the Service |name| in |ns|.  LW_ERR_NOT_FOUND: there is no
 * such Service; LW_ERR_INVALID: the Service has no such port, or its name is too long;
 * LW_ERR_UNAVAILABLE: it has no ready endpoint, or the cache cannot be read; LW_ERR_NOMEM.  The
 * messages are those of kube-apiserver. */
LW_MUST_CHECK lw_status lw_service_address_find(lw_api_port *port, lw_str ns, lw_str name,
                                                int64_t port_number, lw_service_address *out,
                                                lw_error *err);

#endif
