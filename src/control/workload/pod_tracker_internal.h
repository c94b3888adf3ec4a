/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker_internal.h -- internals of a tracker, for pod_tracker.c, which stores Pods, and
 * pod_tracker_count.c, which reads them. */
#ifndef LW_CONTROL_WORKLOAD_POD_TRACKER_INTERNAL_H
#define LW_CONTROL_WORKLOAD_POD_TRACKER_INTERNAL_H

#include <pthread.h>

#include "runtime/name_table.h"
#include "runtime/owner.h"
#include "workload/pod_tracker.h"

typedef struct lw_pod_tracker_owner lw_pod_tracker_owner;

/* One Pod. */
typedef struct lw_pod_tracker_entry {
    lw_named named; /* the Pod's UID, a view into |pod| */
    lw_object *pod;
    lw_pod_tracker_owner *owner;
    struct lw_pod_tracker_entry *next, **link; /* in one of the owner's lists */
    bool is_read;
    bool is_stray;
    bool is_labelled;
    lw_pod_facts facts; /* valid if it is read */
} lw_pod_tracker_entry;

struct lw_pod_tracker_owner {
    lw_named named; /* |uid| */
    lw_pod_tracker_entry *unread, *read;
    lw_tally sums;   /* without |available| and |left_ns| */
    uint64_t view;   /* hash of what Pods are compared with */
    uint64_t looked; /* when it last looked for orphans; 0: never */
    char uid[LW_UID_SIZE];
};

struct lw_pod_tracker {
    const char *kind;
    pthread_mutex_t mu; /* guards the members below */
    lw_names pods;
    lw_names owners;
    uint64_t orphans;   /* incremented with events of orphans */
    bool is_incomplete; /* a Pod could not be stored */
};

/* Move an entry to the unread or the read list and update the sums. */
void lw_pod_tracker_make_unread(lw_pod_tracker_entry *entry);
void lw_pod_tracker_make_read(lw_pod_tracker_entry *entry);

/* Adds (|sign| 1) or subtracts (-1) the facts of |entry| from |sums|. */
void lw_pod_tracker_sum(lw_tally *sums, const lw_pod_tracker_entry *entry, int64_t sign);

/* Returns the record of |owner|; NULL: it has no Pods. */
lw_pod_tracker_owner *lw_pod_tracker_find_locked(const lw_pod_tracker *tracker,
                                                 const lw_object *owner);

#endif
