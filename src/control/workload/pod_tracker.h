/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker.h -- counts the Pods of each owner incrementally, so that the cost of a
 * reconciliation depends on what has changed and not on the number of Pods.
 *
 * Events store Pods as unread; counting reads the unread ones, each version of a Pod once, and
 * keeps the sums of the others.  If the selector or the template labels of an owner change, all its
 * Pods are read again.
 *
 * Invariant: the sums of an owner are those over its Pods that are read.  Any thread; one thread at
 * a time counts for one owner. */
#ifndef LW_CONTROL_WORKLOAD_POD_TRACKER_H
#define LW_CONTROL_WORKLOAD_POD_TRACKER_H

#include <listwatch.h>

#include "runtime/owner.h"
#include "workload/pod.h"

typedef struct lw_pod_tracker lw_pod_tracker;

/* The Pods of an owner that match its selector, except |strays|, which do not. */
typedef struct lw_tally {
    int64_t active, labelled, ready, available; /* the last three count active Pods only */
    int64_t succeeded, failed;
    int64_t restarts;        /* of active Pods */
    int64_t last_failure_ns; /* when the last Pod failed; 0: none has */
    int64_t strays;
    int64_t left_ns; /* time until the next Pod becomes available; INT64_MAX: none */
} lw_tally;

/* Which Pods to list. */
typedef enum lw_pod_tracker_part {
    LW_POD_TRACKER_CLAIMED, /* all that match */
    LW_POD_TRACKER_ACTIVE,
    LW_POD_TRACKER_STRAYS,
} lw_pod_tracker_part;

/* Pods and their facts. */
typedef struct lw_pod_list {
    lw_object_list *held;
    lw_pod_facts *items;
    size_t count;
} lw_pod_list;

/* Creates a tracker of Pods controlled by owners of |kind| (a static string).  LW_ERR_NOMEM. */
lw_status lw_pod_tracker_new(lw_pod_tracker **out, const char *kind, lw_error *err);
void lw_pod_tracker_free(lw_pod_tracker *tracker);

/* Handles an event of the Pod informer; |owner| is the controller of its object, NULL: none.  If
 * memory runs out, the tracker becomes incomplete. */
void lw_pod_tracker_saw(lw_pod_tracker *tracker, const lw_event *event, const lw_owner *owner);

/* True if a Pod could not be stored.  lw_pod_tracker_rebuild stores |all| Pods of the informer:
 * they are as new as the events that were seen, and later events update them.  LW_ERR_NOMEM. */
bool lw_pod_tracker_is_incomplete(lw_pod_tracker *tracker);
lw_status lw_pod_tracker_rebuild(lw_pod_tracker *tracker, const lw_object_list *all, lw_error *err);

/* Counts the Pods of |owner|.  LW_ERR_INVALID: it has no selector; LW_ERR_NOMEM. */
lw_status lw_pod_tracker_count(lw_pod_tracker *tracker, const lw_object *owner, int64_t min_ready_s,
                               int64_t wall_ns, lw_tally *out, lw_error *err);

/* Lists a part of the Pods of |owner| as counted last, without those that have changed since; free
 * it even after an error.
 * LW_ERR_NOMEM. */
lw_status lw_pod_tracker_list(lw_pod_tracker *tracker, const lw_object *owner,
                              lw_pod_tracker_part part, lw_pod_list *out, lw_error *err);
void lw_pod_list_done(lw_pod_list *list);

/* True if Pods without an owner may have changed since |owner| last looked for Pods to adopt; pass
 * |*generation| to lw_pod_tracker_looked afterwards. */
bool lw_pod_tracker_must_look(lw_pod_tracker *tracker, const lw_object *owner,
                              uint64_t *generation);
void lw_pod_tracker_looked(lw_pod_tracker *tracker, const lw_object *owner, uint64_t generation);

/* True if the sums are correct; for tests. */
bool lw_pod_tracker_check(lw_pod_tracker *tracker);

#endif
