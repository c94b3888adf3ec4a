/* SPDX-License-Identifier: Apache-2.0 */
/* eviction.h -- decides which pods must leave a node, and when, from the pod, the node and the
 * time. */
#ifndef LW_CONTROL_NODE_EVICTION_H
#define LW_CONTROL_NODE_EVICTION_H

#include <listwatch.h>

typedef enum lw_eviction {
    LW_EVICTION_STAY,
    LW_EVICTION_DELETE, /* like `kubectl delete` */
    LW_EVICTION_FORCE,  /* no kubelet is left that could confirm its end */
} lw_eviction;

/* The rules of one node. */
typedef struct lw_eviction_rules {
    const lw_object *node; /* NULL: it was deleted */
    bool is_unreachable;
    int64_t tainted_ns; /* when it was tainted with NoExecute, wall clock */
    /* How long pods stay that have no tolerations of their own or only the default ones; 0:
     * according to their tolerations. */
    int64_t patience_ns;
} lw_eviction_rules;

/* Decides what happens to |pod| now; |*after_ns| (> 0) is when to decide again, 0: not needed. */
lw_eviction lw_eviction_decide(const lw_eviction_rules *rules, const lw_object *pod,
                               int64_t wall_ns, int64_t *after_ns);

/* True if |node| has a taint with effect NoExecute. */
bool lw_eviction_drives_off(const lw_object *node);

#endif
