/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker.h -- the Pods of each owner, counted as they change, so that a turn of a controller
 * costs what has changed since its last and not what there is.
 *
 * Events put Pods down, unread; counting reads those that are unread, each version of a Pod once,
 * and has kept the sums of the others.  An owner whose selector or template labels have changed has
 * all of its Pods read again.
 *
 * Invariant: the sums of an owner are those over its Pods that are read.  Any thread; one thread at
 * a time counts for one owner. */
#ifndef LW_CONTROL_WORKLOAD_POD_TRACKER_H
#define LW_CONTROL_WORKLOAD_POD_TRACKER_H

#include <listwatch.h>

#include "workload/pod.h"

typedef struct lw_pod_tracker lw_pod_tracker;

/* Pods of an owner that match its selector, but |strays|, which do not. */
typedef struct lw_tally {
    int64_t active, labelled, ready, available; /* the last three of those that are active */
    int64_t succeeded, failed;
    int64_t restarts;        /* of those that are active */
    int64_t last_failure_ns; /* when the last one has failed; 0: none has */
    int64_t strays;
    int64_t left_ns; /* until the next of them becomes available; INT64_MAX: none waits for that */
} lw_tally;

/* Which Pods. */
typedef enum lw_pod_tracker_part {
    LW_POD_TRACKER_CLAIMED, /* all that match */
    LW_POD_TRACKER_ACTIVE,
    LW_POD_TRACKER_STRAYS,
} lw_pod_tracker_part;

/* Pods, and what is known of each. */
typedef struct lw_pod_list {
    lw_object_list *held;
    lw_pod_facts *items;
    size_t count;
} lw_pod_list;

/* A tracker of Pods that owners of |kind| (a static string) control.  LW_ERR_NOMEM. */
lw_status lw_pod_tracker_new(lw_pod_tracker **out, const char *kind, lw_error *err);
void lw_pod_tracker_free(lw_pod_tracker *tracker);

/* An event of the informer of Pods.  Where memory is short, the tracker is torn. */
void lw_pod_tracker_saw(lw_pod_tracker *tracker, const lw_event *event);

/* Whether a Pod was not put down, and putting down |all| that the informer has: it is as new as the
 * events that were seen, and those that follow bring it to where it stands.  LW_ERR_NOMEM. */
bool lw_pod_tracker_is_torn(lw_pod_tracker *tracker);
lw_status lw_pod_tracker_mend(lw_pod_tracker *tracker, const lw_object_list *all, lw_error *err);

/* Counts the Pods of |owner|.  LW_ERR_INVALID: it has no selector; LW_ERR_NOMEM. */
lw_status lw_pod_tracker_count(lw_pod_tracker *tracker, const lw_object *owner, int64_t min_ready_s,
                               int64_t wall_ns, lw_tally *out, lw_error *err);

/* A part of the Pods of |owner| as they were counted last, without those that have changed since;
 * free it also after a failure.
 * LW_ERR_NOMEM. */
lw_status lw_pod_tracker_list(lw_pod_tracker *tracker, const lw_object *owner,
                              lw_pod_tracker_part part, lw_pod_list *out, lw_error *err);
void lw_pod_list_done(lw_pod_list *list);

/* Whether Pods without an owner may have changed since |owner| has looked for such to adopt;
 * |*moment| is what lw_pod_tracker_looked is to be told when it has. */
bool lw_pod_tracker_must_look(lw_pod_tracker *tracker, const lw_object *owner, uint64_t *moment);
void lw_pod_tracker_looked(lw_pod_tracker *tracker, const lw_object *owner, uint64_t moment);

/* Whether the sums are right; for tests. */
bool lw_pod_tracker_check(lw_pod_tracker *tracker);

#endif
