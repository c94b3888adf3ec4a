/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.h -- records the last heartbeat of each node and derives its state.
 *
 * Only changes (of a Lease, or of the heartbeat in a Node's status) are recorded, with the local
 * clock, so that clocks need not agree.  One thread at a time. */
#ifndef LW_CONTROL_NODE_NODE_HEALTH_H
#define LW_CONTROL_NODE_NODE_HEALTH_H

#include <listwatch.h>

#include "runtime/name_table.h"

typedef enum lw_node_state {
    LW_NODE_WELL,
    LW_NODE_NOT_READY,   /* reported by the node itself */
    LW_NODE_UNREACHABLE, /* no heartbeats */
} lw_node_state;

typedef struct lw_node_heartbeat {
    lw_named named;
    uint64_t lease_mark, status_mark; /* hashes of what was seen last */
    int64_t renewed_ns;               /* monotonic */
    int64_t tainted_ns;               /* when it was tainted with NoExecute; 0: it is not */
    bool is_there;                    /* the Node exists */
    bool has_trouble;                 /* its pods must be checked when they change */
    char name[];
} lw_node_heartbeat;

/* Must be zeroed. */
typedef struct lw_node_health {
    lw_names names;
} lw_node_health;

void lw_node_health_done(lw_node_health *health);

/* Returns the record of |name|, created with a heartbeat now if there is none; NULL: out of
 * memory. */
lw_node_heartbeat *lw_node_health_of(lw_node_health *health, lw_str name, int64_t now_ns);

/* Removes the record. */
void lw_node_health_drop(lw_node_health *health, lw_node_heartbeat *beat);

/* Record a heartbeat now if the Lease, or the Node's status, was renewed since the last call. */
void lw_node_health_lease(lw_node_heartbeat *beat, const lw_object *lease, int64_t now_ns);
void lw_node_health_node(lw_node_heartbeat *beat, const lw_object *node, int64_t now_ns);

/* Restarts all grace periods, because we could not receive heartbeats for some time. */
void lw_node_health_excuse(lw_node_health *health, int64_t now_ns);

/* Returns the state of |node| if heartbeats may be missing for |grace_ns|. */
lw_node_state lw_node_health_state(const lw_node_heartbeat *beat, const lw_object *node,
                                   int64_t grace_ns, int64_t now_ns);

/* True if no existing node has sent a heartbeat after |since_ns|: then we are probably
 * disconnected. */
bool lw_node_health_is_silent(const lw_node_health *health, int64_t since_ns);

/* Writes the taints that |node| should have in |state| into |taints|, an array of |doc|: its own,
 * and those for the state.  True: they differ from the current ones. */
bool lw_node_health_write_taints(lw_document *doc, const lw_object *node, lw_node_state state,
                                 int64_t wall_ns);

#endif
