/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.h -- when each node was last heard of, and what that means.
 *
 * Only changes are looked at (of a Lease, of the heartbeat in a Node's status), and only by one's
 * own clock, so that clocks need not agree.  One thread at a time. */
#ifndef LW_CONTROL_NODE_NODE_HEALTH_H
#define LW_CONTROL_NODE_NODE_HEALTH_H

#include <listwatch.h>

#include "runtime/name_table.h"

typedef enum lw_node_state {
    LW_NODE_WELL,
    LW_NODE_NOT_READY,   /* it says so itself */
    LW_NODE_UNREACHABLE, /* it says nothing */
} lw_node_state;

typedef struct lw_node_heard {
    lw_named named;
    uint64_t lease_mark, status_mark; /* of what was seen last */
    int64_t heard_ns;                 /* monotonic */
    int64_t tainted_ns;               /* since when it drives pods off; 0: it does not */
    bool is_there;                    /* there is such a Node */
    bool has_trouble;                 /* its pods are to be looked at when they change */
    char name[];
} lw_node_heard;

/* All zero is an empty one. */
typedef struct lw_node_health {
    lw_names names;
} lw_node_health;

void lw_node_health_done(lw_node_health *health);

/* The record of |name|, made (as heard of now) where there is none; NULL: no memory. */
lw_node_heard *lw_node_health_of(lw_node_health *health, lw_str name, int64_t now_ns);

/* Forgets it. */
void lw_node_health_drop(lw_node_health *health, lw_node_heard *heard);

/* A Lease, or a Node, was seen: if it has beaten since, it was heard of now. */
void lw_node_health_lease(lw_node_heard *heard, const lw_object *lease, int64_t now_ns);
void lw_node_health_node(lw_node_heard *heard, const lw_object *node, int64_t now_ns);

/* All start anew: for some time it was us who could not hear. */
void lw_node_health_excuse(lw_node_health *health, int64_t now_ns);

/* What |node| is, if nothing may be missed for |grace_ns|. */
lw_node_state lw_node_health_state(const lw_node_heard *heard, const lw_object *node,
                                   int64_t grace_ns, int64_t now_ns);

/* Whether no node that is there was heard of after |since_ns|: then it is rather us. */
bool lw_node_health_is_silent(const lw_node_health *health, int64_t since_ns);

/* Writes into |taints|, an array of |doc|, those that |node| should have in |state|: its own, and
 * those that say what is the matter.  True: they are not those it has. */
bool lw_node_health_write_taints(lw_document *doc, const lw_object *node, lw_node_state state,
                                 int64_t wall_ns);

#endif
