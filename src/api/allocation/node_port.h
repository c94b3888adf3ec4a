/* SPDX-License-Identifier: Apache-2.0 */
/* node_port.h -- node ports of services: each for one service, from the range of the server.
 *
 * A port is taken if a service in the cache has it as a nodePort or its healthCheckNodePort, so the
 * ports of a deleted service are free without further work.  Two services created at the same
 * moment on two loops can get the same port, as with cluster_ip.h. */
#ifndef LW_API_ALLOCATION_NODE_PORT_H
#define LW_API_ALLOCATION_NODE_PORT_H

#include "api/context/port.h"

enum {
    LW_NODE_PORTS_REASON_SIZE = 128,
    LW_NODE_PORTS_WORDS = (UINT16_MAX + 1) / 64,
};

/* The ports that are taken. */
typedef struct lw_node_ports {
    const lw_service_ranges *range;
    uint64_t taken[LW_NODE_PORTS_WORDS]; /* one bit for each port */
} lw_node_ports;

/* Reads the ports of all services except |but|.  LW_ERR_NOMEM, LW_ERR_UNAVAILABLE. */
lw_status lw_node_ports_read(lw_node_ports *ports, const lw_api *api, const lw_kind *services,
                             lw_key but);

/* Takes |port|.  False: it is not available; lw_node_ports_explain says why. */
bool lw_node_ports_take(lw_node_ports *ports, int64_t port);
void lw_node_ports_explain(const lw_node_ports *ports, int64_t port,
                           char out[LW_NODE_PORTS_REASON_SIZE]);

/* Takes a random free port; 0: none is free. */
int64_t lw_node_ports_allocate(lw_node_ports *ports);

#endif
