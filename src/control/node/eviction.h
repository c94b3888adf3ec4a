/* SPDX-License-Identifier: Apache-2.0 */
/* eviction.h -- which pods must leave a node, and when: decided from the pod, the node and the
 * time alone. */
#ifndef LW_CONTROL_NODE_EVICTION_H
#define LW_CONTROL_NODE_EVICTION_H

#include <listwatch.h>

typedef enum lw_eviction {
    LW_EVICTION_STAY,
    LW_EVICTION_DELETE, /* as `kubectl delete` does */
    LW_EVICTION_FORCE,  /* nobody is left who could confirm that it has ended */
} lw_eviction;

/* Of one node. */
typedef struct lw_eviction_rules {
    const lw_object *node; /* NULL: it is gone */
    bool is_unreachable;
    int64_t tainted_ns;  /* since when it drives pods off, wall clock */
    int64_t patience_ns; /* how long pods stay that say nothing themselves, or only what servers
                            give every pod; 0: as it is written */
} lw_eviction_rules;

/* What is to happen to |pod| now; |*after_ns| (> 0) is when to look again, 0: no need. */
lw_eviction lw_eviction_decide(const lw_eviction_rules *rules, const lw_object *pod,
                               int64_t wall_ns, int64_t *after_ns);

/* Whether |node| has a taint that drives pods off. */
bool lw_eviction_drives_off(const lw_object *node);

#endif
