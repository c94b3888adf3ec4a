/* SPDX-License-Identifier: Apache-2.0 */
/* quota_pending.h -- what writes of this server have charged to quotas, or are about to, and not
 * stored yet.
 *
 * A charge is stored in the status of its quota before the object itself is: whoever counts the
 * objects in between must not take it back.  Here he finds it.  Shared by all loops; guards
 * itself. */
#ifndef LW_API_QUOTA_QUOTA_PENDING_H
#define LW_API_QUOTA_QUOTA_PENDING_H

#include "api/pending/resource_amounts.h"
#include "base/dlist.h"
#include "base/sync.h"

typedef struct lw_quota_pending {
    lw_mutex mu;
    lw_dlist entries;        /* mu: of lw_quota_entry */
    lw_dlist due;            /* mu: of lw_quota_due; each namespace once */
    bool is_all_due;         /* mu: there was no memory to say which */
    void (*wake)(void *arg); /* mu: of whoever counts (quota_controller.h); NULL: nobody does */
    void *wake_arg;          /* mu */
} lw_quota_pending;

/* A namespace whose quotas must be counted again. */
typedef struct lw_quota_due {
    lw_dlist_node link;
    lw_str ns; /* behind the struct */
} lw_quota_due;

typedef enum lw_quota_mark_state {
    LW_QUOTA_UNCHARGED,
    LW_QUOTA_CHARGING, /* at the store, or answered by it and not heard of yet */
    LW_QUOTA_CHARGED,
} lw_quota_mark_state;

/* What an entry has to do with one quota. */
typedef struct lw_quota_mark {
    char *quota;               /* its name; does not change */
    lw_quota_mark_state state; /* the rest: mu */
    uint64_t seen;             /* of CHARGING: the revision of the quota that it is to replace */
    lw_amounts delta;          /* what is charged */
} lw_quota_mark;

/* One write.  Belongs to its loop but for what mu guards. */
typedef struct lw_quota_entry {
    lw_dlist_node link; /* mu */
    lw_str ns;
    lw_quota_mark *marks;
    size_t mark_count;
    bool is_update;  /* it may take less than before, or from another quota */
    bool is_counted; /* mu: somebody has counted a charge of it beside the objects */
    bool is_awaited; /* mu: somebody who counts could not tell whether it is charged */
} lw_quota_entry;

void lw_quota_pending_init(lw_quota_pending *pending);
void lw_quota_pending_done(lw_quota_pending *pending); /* when no entry is in it */

void lw_quota_pending_enter(lw_quota_pending *pending, lw_quota_entry *entry);

/* |mark| of an entry that is in is about to charge |delta|, which it takes over, to the quota as it
 * is at revision |seen|; or has been answered. */
void lw_quota_pending_begin(lw_quota_pending *pending, lw_quota_mark *mark, uint64_t seen,
                            lw_amounts *delta);
void lw_quota_pending_answer(lw_quota_pending *pending, lw_quota_mark *mark, bool is_charged);

/* Takes the entry out.  |is_stored|: what it has charged is in the cache as an object.  If it is
 * not, or it may have given something back, or somebody has been in doubt about it, the quotas of
 * its namespace are due. */
void lw_quota_pending_leave(lw_quota_pending *pending, lw_quota_entry *entry, bool is_stored);

/* Adds to |used| what is charged to |quota| in |ns| as it is at |revision|, and is no object yet.
 * False: that cannot be told now; whoever is in the way will have it counted again. */
bool lw_quota_pending_count(lw_quota_pending *pending, lw_str ns, lw_str quota, uint64_t revision,
                            lw_amounts *used);

/* Has |wake| called, with the lock held, on any thread, whenever something becomes due; of several
 * who want that the last one is called.  Ends when the same |arg| leaves it, and no call runs when
 * that returns. */
void lw_quota_pending_attend(lw_quota_pending *pending, void (*wake)(void *arg), void *arg);
void lw_quota_pending_unattend(lw_quota_pending *pending, const void *arg);

/* Moves what is due to |due|, an empty list; each item is to be freed.  True: all namespaces are.
 */
bool lw_quota_pending_take_due(lw_quota_pending *pending, lw_dlist *due);

#endif
