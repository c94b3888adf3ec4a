/* SPDX-License-Identifier: Apache-2.0 */
/* node_port.h -- node ports of services: each for one service, from 30000 to 32767.
 *
 * A port is taken if a service in the cache has it as a nodePort or its healthCheckNodePort, so the
 * ports of a deleted service are free without further work.  Two services created at the same
 * moment on two loops can get the same port, as with cluster_ip.h. */
#ifndef LW_API_STRATEGY_NODE_PORT_H
#define LW_API_STRATEGY_NODE_PORT_H

#include "api/context/port.h"

#define LW_NODE_PORT_RANGE "30000-32767"

enum {
    LW_NODE_PORT_MIN = 30000,
    LW_NODE_PORT_MAX = 32767,
    LW_NODE_PORT_COUNT = LW_NODE_PORT_MAX - LW_NODE_PORT_MIN + 1,
};

/* The ports that are taken; zeroed: none. */
typedef struct lw_node_ports {
    bool is_taken[LW_NODE_PORT_COUNT];
} lw_node_ports;

/* Reads the ports of all services except |but|.  LW_ERR_NOMEM, LW_ERR_UNAVAILABLE. */
lw_status lw_node_ports_read(lw_node_ports *ports, const lw_api *api, const lw_kind *services,
                             lw_key but);

/* Takes |port|.  Returns NULL, or the reason why it is not available. */
const char *lw_node_ports_take(lw_node_ports *ports, int64_t port);

/* Takes a random free port; 0: none is free. */
int64_t lw_node_ports_allocate(lw_node_ports *ports);

#endif
