/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker_internal.h -- what a tracker is made of; for pod_tracker.c, which puts Pods down, and
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
    lw_named named; /* the Pod's uid, a view into |pod| */
    lw_object *pod;
    lw_pod_tracker_owner *owner;
    struct lw_pod_tracker_entry *next, **link; /* of the owner's list it is in */
    bool is_read;
    bool is_stray;
    bool is_labelled;
    lw_pod_facts facts; /* if it is read */
} lw_pod_tracker_entry;

struct lw_pod_tracker_owner {
    lw_named named; /* |uid| */
    lw_pod_tracker_entry *unread, *read;
    lw_tally sums;   /* |available| and |left_ns| are left out */
    uint64_t view;   /* hash of what Pods are read by */
    uint64_t looked; /* for orphans; 0: never */
    char uid[LW_UID_SIZE];
};

struct lw_pod_tracker {
    const char *kind;
    pthread_mutex_t mu; /* guards what follows */
    lw_names pods;
    lw_names owners;
    uint64_t orphans; /* counts up with their events */
    bool is_torn;     /* a Pod was not put down */
};

/* Moves an entry to the list of those that are to be read, or that are; the sums follow. */
void lw_pod_tracker_make_unread(lw_pod_tracker_entry *entry);
void lw_pod_tracker_make_read(lw_pod_tracker_entry *entry);

/* Adds (|sign| 1) what is read of |entry| to |sums|, or takes it away (-1). */
void lw_pod_tracker_sum(lw_tally *sums, const lw_pod_tracker_entry *entry, int64_t sign);

/* The record of |owner|; NULL: it has no Pods. */
lw_pod_tracker_owner *lw_pod_tracker_find_locked(const lw_pod_tracker *tracker,
                                                 const lw_object *owner);

#endif
