/* SPDX-License-Identifier: Apache-2.0 */
/* watches.h -- who is told of changes: the watches of one store, and how far each has been told.
 *
 * A watch knows one number, the revision up to which it has been told everything.  When that is
 * where a batch begins, it is told the batch; when it is older, it is behind and is told portions
 * of the log until it is not.  So no change is missed or told twice, whatever happens when.
 *
 * Threads: any thread adds and removes; everything else is the writer's.  No callback runs under
 * the lock. */
#ifndef LW_STORE_WATCHES_H
#define LW_STORE_WATCHES_H

#include "base/sync.h"
#include "store/engine.h"
#include "store/store.h"

enum {
    LW_STORE_WATCHES_MAX = 1024, /* of one store */
    LW_STORE_BATCH_MAX = 512,    /* changes in one commit */
    /* Changes that a watch which is behind is told between two commits: more than come in
     * meanwhile, or it would never catch up. */
    LW_STORE_PORTION_MAX = 2 * LW_STORE_BATCH_MAX,
};

typedef struct lw_store_watches {
    lw_store_event *events; /* LW_STORE_PORTION_MAX of them; the writer's thread */
    lw_store_event *chosen; /* those of one prefix; as many */

    lw_mutex mu; /* guards what follows */
    lw_cond called;
    lw_dlist list;
    size_t count;
    lw_store_watch *calling; /* whose callbacks may be running: nobody frees it */
} lw_store_watches;

/* LW_ERR_NOMEM. */
lw_status lw_store_watches_init(lw_store_watches *watches);

/* Frees the watches that are left, too. */
void lw_store_watches_done(lw_store_watches *watches);

/* LW_ERR_NOMEM, LW_ERR_TOO_MANY. */
lw_status lw_store_watches_add(lw_store_watches *watches, lw_str prefix, uint64_t after,
                               const lw_store_sink *sink, lw_store_watch **out, lw_error *err);

/* Waits for callbacks of |watch| to end, and frees it.  Not on the writer's thread. */
void lw_store_watches_remove(lw_store_watches *watches, lw_store_watch *watch);

/* Tells every watch that has been told up to |base| of the first |count| of watches->events, which
 * are all the changes there were from |base| to |revision|. */
void lw_store_watches_tell(lw_store_watches *watches, size_t count, uint64_t base,
                           uint64_t revision);

/* True when some watch has not been told of everything up to |current|. */
bool lw_store_watches_is_behind(lw_store_watches *watches, uint64_t current);

/* Tells every watch that is behind one portion of the log. */
void lw_store_watches_replay(lw_store_watches *watches, lw_store_engine *engine);

void lw_store_watches_compacted(lw_store_watches *watches, uint64_t revision);

/* The watches are over because of |reason|; they stay until they are removed. */
void lw_store_watches_end(lw_store_watches *watches, const lw_error *reason);

#endif
