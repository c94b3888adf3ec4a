/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache.h -- the scheduler's view of nodes and their pods: small records updated by
 * informer events, so that selecting a node does not parse the JSON of nodes and other pods.
 *
 * Invariant: a node's |used| and |pod_count| are the sums over its pods; pods that were assigned
 * but not yet seen on their node ("assumed") are included.  Pods that have finished are not. One
 * thread at a time. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_H

#include <listwatch.h>

#include "runtime/name_table.h"
#include "runtime/taint.h"
#include "scheduler/pod_load.h"

/* Pods to be spread over nodes: of one owner, or with the same labels. */
typedef struct lw_spread_group {
    lw_named named;
    size_t pod_count;
    uint32_t *counts; /* indexed by node */
    size_t count_size;
} lw_spread_group;

struct lw_placed_pod;

typedef struct lw_node_record {
    lw_named named;
    lw_object *object; /* NULL: pods refer to it, but it does not exist */
    size_t index;      /* index in lw_scheduler_cache.nodes */
    lw_resources allocatable;
    int64_t pods_max;
    lw_resources used;
    lw_resources scored; /* like |used|, but pods without requests count for a little */
    int64_t pod_count;
    size_t port_count; /* host ports of all its pods */
    bool is_unschedulable;
    lw_taint *taints; /* with effect NoSchedule or NoExecute; views into |object| */
    size_t taint_count;
    struct lw_placed_pod *first; /* list of its pods */
    char name[];
} lw_node_record;

typedef struct lw_placed_pod {
    lw_named named; /* "namespace/name" */
    lw_object *object;
    lw_node_record *node;
    lw_spread_group *group; /* NULL: no group */
    lw_pod_load load;
    lw_resources scored;
    bool is_assumed;
    bool wants_apart;
    struct lw_placed_pod *next, **link; /* list of the same node */
    char key[];
} lw_placed_pod;

/* Must be zeroed. */
typedef struct lw_scheduler_cache {
    lw_names node_names, pod_names, group_names;
    lw_node_record **nodes; /* dense, unordered */
    size_t node_count;      /* number of all records */
    size_t node_size;
    size_t known_count; /* number of nodes that exist */
    size_t apart_count; /* number of pods with anti-affinity rules */
    size_t next_node;   /* where the next search starts */
} lw_scheduler_cache;

void lw_scheduler_cache_done(lw_scheduler_cache *cache);

/* Record that a node was added or changed, or deleted.  |*is_better| (may be NULL): an
 * unschedulable pod might now be schedulable.  LW_ERR_NOMEM; then nothing has changed. */
lw_status lw_scheduler_cache_set_node(lw_scheduler_cache *cache, const lw_object *node,
                                      bool *is_better);
void lw_scheduler_cache_remove_node(lw_scheduler_cache *cache, lw_str name);

/* Record that a pod was added or changed, or deleted.  |*is_better|: it freed resources. */
lw_status lw_scheduler_cache_set_pod(lw_scheduler_cache *cache, const lw_object *pod,
                                     bool *is_better);
void lw_scheduler_cache_remove_pod(lw_scheduler_cache *cache, const lw_object *pod,
                                   bool *is_better);

/* Counts |pod| on |node| until it is seen there, or the assumption is forgotten. */
lw_status lw_scheduler_cache_assume(lw_scheduler_cache *cache, const lw_object *pod,
                                    lw_node_record *node);
void lw_scheduler_cache_forget(lw_scheduler_cache *cache, const lw_object *pod);

/* True if |pod| is already assigned or assumed. */
bool lw_scheduler_cache_has_pod(const lw_scheduler_cache *cache, const lw_object *pod);

/* Returns the group of |pod|; NULL: none of it is scheduled. */
const lw_spread_group *lw_scheduler_cache_group_of(const lw_scheduler_cache *cache,
                                                   const lw_object *pod);

/* Returns what a pod with this load counts for when nodes are scored. */
lw_resources lw_scheduler_cache_scored(const lw_pod_load *load);

/* True if the sums are correct; for tests. */
bool lw_scheduler_cache_check(const lw_scheduler_cache *cache);

/* Shared by the two files of scheduler_cache.h. */

/* Returns the record of node |name|, created if needed; NULL: out of memory. */
lw_node_record *lw_scheduler_cache__node(lw_scheduler_cache *cache, lw_str name);

/* Frees |node| if it does not exist in the cluster and has no pods. */
void lw_scheduler_cache__drop_idle_node(lw_scheduler_cache *cache, lw_node_record *node);

#endif
