/* SPDX-License-Identifier: Apache-2.0 */
/* quota_pending.h -- charges to quotas by writes of this server whose objects are not stored yet.
 *
 * A charge is stored in the status of its quota before the object is.  A recount in between must
 * not remove it, so it adds the pending charges.  Shared by all loops; has its own lock. */
#ifndef LW_API_QUOTA_QUOTA_PENDING_H
#define LW_API_QUOTA_QUOTA_PENDING_H

#include "api/pending/resource_amounts.h"
#include "base/dlist.h"
#include "base/sync.h"

typedef struct lw_quota_pending {
    lw_mutex mu;
    lw_dlist entries; /* mu: of lw_quota_entry */
    lw_dlist due;     /* mu: of lw_quota_due; each namespace once */
    bool is_all_due;  /* mu: all namespaces are due, because there was no memory to list one */
    void (*wake)(void *arg); /* mu: wakes the quota controller; NULL: there is none */
    void *wake_arg;          /* mu */
} lw_quota_pending;

/* A namespace whose quotas must be recounted. */
typedef struct lw_quota_due {
    lw_dlist_node link;
    lw_str ns; /* stored after the struct */
} lw_quota_due;

typedef enum lw_quota_mark_state {
    LW_QUOTA_UNCHARGED,
    LW_QUOTA_CHARGING, /* sent to the store; the result is not known yet */
    LW_QUOTA_CHARGED,
} lw_quota_mark_state;

/* The charge of an entry to one quota. */
typedef struct lw_quota_mark {
    char *quota;               /* its name; never changes */
    lw_quota_mark_state state; /* this and the rest: mu */
    uint64_t seen;             /* for CHARGING: the revision of the quota that it replaces */
    lw_amounts delta;          /* the charge */
} lw_quota_mark;

/* One write.  Belongs to its loop, except what mu guards. */
typedef struct lw_quota_entry {
    lw_dlist_node link; /* mu */
    lw_str ns;
    lw_quota_mark *marks;
    size_t mark_count;
    bool is_update;  /* the usage may decrease, or move to another quota */
    bool is_counted; /* mu: a recount has added a charge of it */
    bool is_awaited; /* mu: a recount could not tell whether it is charged */
} lw_quota_entry;

/* Initialise and free the pending charges. */
void lw_quota_pending_init(lw_quota_pending *pending);
void lw_quota_pending_done(lw_quota_pending *pending); /* no entry may be left */

/* Adds an entry.  It must not move until lw_quota_pending_leave. */
void lw_quota_pending_enter(lw_quota_pending *pending, lw_quota_entry *entry);

/* The write of |mark|, in an entry that has entered, begins to charge |delta|, which it takes, to
 * the quota at revision |seen|; or has been answered by the store. */
void lw_quota_pending_begin(lw_quota_pending *pending, lw_quota_mark *mark, uint64_t seen,
                            lw_amounts *delta);
void lw_quota_pending_answer(lw_quota_pending *pending, lw_quota_mark *mark, bool is_charged);

/* Removes the entry.  |is_stored|: its object is in the cache.  The quotas of its namespace become
 * due if it is not and something was charged, if the usage may have decreased, or if a recount
 * depended on it. */
void lw_quota_pending_leave(lw_quota_pending *pending, lw_quota_entry *entry, bool is_stored);

/* Adds to |used| what is charged to |quota| in |ns| at |revision| and has no object yet.  False:
 * this is not known now, and the namespace becomes due later. */
bool lw_quota_pending_count(lw_quota_pending *pending, lw_str ns, lw_str quota, uint64_t revision,
                            lw_amounts *used);

/* Sets |wake|, which is called when something becomes due, on any thread, with the lock held; a
 * later call replaces it.  It is removed with the same |arg|; no call is in progress then. */
void lw_quota_pending_attend(lw_quota_pending *pending, void (*wake)(void *arg), void *arg);
void lw_quota_pending_unattend(lw_quota_pending *pending, const void *arg);

/* Moves the due namespaces to |due|, an empty list; the caller frees each item.  True: all
 * namespaces are due. */
bool lw_quota_pending_take_due(lw_quota_pending *pending, lw_dlist *due);

#endif
