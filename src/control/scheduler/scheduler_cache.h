/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache.h -- nodes and what is on them, as the scheduler counts it: small records that
 * follow the informers' events, so that selection a pod reads no JSON of nodes and of other pods.
 *
 * Invariant: a node's |used| and |pod_count| are the sums over the pods on it; pods that were
 * placed but not yet seen with their node ("assumed") count.  Pods that have ended do not.
 * One thread at a time. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_H

#include <listwatch.h>

#include "runtime/name_table.h"
#include "runtime/taint.h"
#include "scheduler/pod_load.h"

/* Pods that should be spread: of one owner, or with the same labels. */
typedef struct lw_spread_group {
    lw_named named;
    size_t pod_count;
    uint32_t *counts; /* by the node's index */
    size_t count_size;
} lw_spread_group;

struct lw_placed_pod;

typedef struct lw_node_record {
    lw_named named;
    lw_object *object; /* NULL: pods name it, but it is not there */
    size_t index;      /* in lw_scheduler_cache.nodes */
    lw_resources allocatable;
    int64_t pods_max;
    lw_resources used;
    lw_resources scored; /* as |used|, but pods that ask for nothing count for a little */
    int64_t pod_count;
    size_t port_count; /* host ports of all its pods */
    bool is_unschedulable;
    lw_taint *taints; /* that keep pods off; views into |object| */
    size_t taint_count;
    struct lw_placed_pod *first; /* of its pods */
    char name[];
} lw_node_record;

typedef struct lw_placed_pod {
    lw_named named; /* "namespace/name" */
    lw_object *object;
    lw_node_record *node;
    lw_spread_group *group; /* NULL: alone */
    lw_pod_load load;
    lw_resources scored;
    bool is_assumed;
    bool wants_apart;
    struct lw_placed_pod *next, **link; /* of the same node */
    char key[];
} lw_placed_pod;

/* All zero is an empty one. */
typedef struct lw_scheduler_cache {
    lw_names node_names, pod_names, group_names;
    lw_node_record **nodes; /* dense, in no order */
    size_t node_count;      /* of all records */
    size_t node_size;
    size_t known_count; /* of nodes that are there */
    size_t apart_count; /* pods that want to be apart from others */
    size_t next_node;   /* where the next search starts */
} lw_scheduler_cache;

void lw_scheduler_cache_done(lw_scheduler_cache *cache);

/* A node came or changed; went.  |*is_better| (may be NULL): a pod that found no place before might
 * now.  LW_ERR_NOMEM, and it is as before. */
lw_status lw_scheduler_cache_set_node(lw_scheduler_cache *cache, const lw_object *node,
                                      bool *is_better);
void lw_scheduler_cache_remove_node(lw_scheduler_cache *cache, lw_str name);

/* A pod came or changed; went.  |*is_better|: it gave room back. */
lw_status lw_scheduler_cache_set_pod(lw_scheduler_cache *cache, const lw_object *pod,
                                     bool *is_better);
void lw_scheduler_cache_remove_pod(lw_scheduler_cache *cache, const lw_object *pod,
                                   bool *is_better);

/* Counts |pod| on |node| from now on, until it is seen there, or the selection is taken back. */
lw_status lw_scheduler_cache_assume(lw_scheduler_cache *cache, const lw_object *pod,
                                    lw_node_record *node);
void lw_scheduler_cache_forget(lw_scheduler_cache *cache, const lw_object *pod);

/* Whether |pod| is placed (or assumed to be) already. */
bool lw_scheduler_cache_has_pod(const lw_scheduler_cache *cache, const lw_object *pod);

/* The group of |pod|; NULL: nobody of it is placed. */
const lw_spread_group *lw_scheduler_cache_group_of(const lw_scheduler_cache *cache,
                                                   const lw_object *pod);

/* What a pod with this load counts for when nodes are compared. */
lw_resources lw_scheduler_cache_scored(const lw_pod_load *load);

/* Whether the sums are right; for tests. */
bool lw_scheduler_cache_check(const lw_scheduler_cache *cache);

#endif
