/* SPDX-License-Identifier: Apache-2.0 */
/* node_port.h -- ports of nodes that services are reached at: each for one service, from 30000 to
 * 32767.
 *
 * Taken is what a service in the cache has: its nodePorts, and its healthCheckNodePort.  So what a
 * deleted or changed service had is free again by itself; and services made at the very same moment
 * by two loops can draw the same port, as with cluster_ip.h. */
#ifndef LW_API_STRATEGY_NODE_PORT_H
#define LW_API_STRATEGY_NODE_PORT_H

#include "api/context/port.h"

#define LW_NODE_PORT_RANGE "30000-32767"

enum {
    LW_NODE_PORT_MIN = 30000,
    LW_NODE_PORT_MAX = 32767,
    LW_NODE_PORT_COUNT = LW_NODE_PORT_MAX - LW_NODE_PORT_MIN + 1,
};

/* Which are taken; zeroed: none. */
typedef struct lw_node_ports {
    bool is_taken[LW_NODE_PORT_COUNT];
} lw_node_ports;

/* Reads what all services but |but| have.  LW_ERR_NOMEM, LW_ERR_UNAVAILABLE. */
lw_status lw_node_ports_read(lw_node_ports *ports, const lw_api *api, const lw_kind *services,
                             lw_key but);

/* Takes |port|; NULL, or why it cannot be had. */
const char *lw_node_ports_take(lw_node_ports *ports, int64_t port);

/* Takes any that is free; 0: none is. */
int64_t lw_node_ports_draw(lw_node_ports *ports);

#endif
