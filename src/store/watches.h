/* SPDX-License-Identifier: Apache-2.0 */
/* watches.h -- the watches of a store, and how far each one is.
 *
 * A watch has one number, the revision up to which everything has been delivered to it.  If a batch
 * begins there, the watch gets the batch; if its number is older, it is behind and gets portions of
 * the log until it has caught up.  So no change is missed or delivered twice.
 *
 * Threads: any thread adds and removes; everything else belongs to the writer.  No callback runs
 * under the lock. */
#ifndef LW_STORE_WATCHES_H
#define LW_STORE_WATCHES_H

#include "base/sync.h"
#include "store/engine.h"
#include "store/store.h"

enum {
    LW_STORE_WATCHES_MAX = 1024, /* per store */
    LW_STORE_BATCH_MAX = 512,    /* maximum number of changes in one commit */
    /* Number of changes that a watch which is behind gets between two commits: more than one commit
     * has, so that it catches up. */
    LW_STORE_PORTION_MAX = 2 * LW_STORE_BATCH_MAX,
};

typedef struct lw_store_watches {
    lw_store_event *events; /* LW_STORE_PORTION_MAX elements; writer's thread */
    lw_store_event *chosen; /* those with the prefix of one watch; as many */

    lw_mutex mu; /* guards the members below */
    lw_cond called;
    lw_dlist list;
    size_t count;
    lw_store_watch *calling; /* its callbacks may be running: it must not be freed */
} lw_store_watches;

/* Initializes the list.  LW_ERR_NOMEM. */
lw_status lw_store_watches_init(lw_store_watches *watches);

/* Also frees the remaining watches. */
void lw_store_watches_done(lw_store_watches *watches);

/* Adds a watch.  LW_ERR_NOMEM, LW_ERR_TOO_MANY. */
lw_status lw_store_watches_add(lw_store_watches *watches, lw_str prefix, uint64_t after,
                               const lw_store_sink *sink, lw_store_watch **out, lw_error *err);

/* Waits for running callbacks of |watch| and frees it.  Not on the writer's thread. */
void lw_store_watches_remove(lw_store_watches *watches, lw_store_watch *watch);

/* Delivers the first |count| of watches->events, which are all changes from |base| to |revision|,
 * to every watch that is at |base|. */
void lw_store_watches_tell(lw_store_watches *watches, size_t count, uint64_t base,
                           uint64_t revision);

/* True if some watch is behind |current|. */
bool lw_store_watches_is_behind(lw_store_watches *watches, uint64_t current);

/* Delivers one portion of the log to every watch that is behind. */
void lw_store_watches_replay(lw_store_watches *watches, lw_store_engine *engine);

void lw_store_watches_compacted(lw_store_watches *watches, uint64_t revision);

/* Ends the watches because of |reason|; they exist until they are removed. */
void lw_store_watches_end(lw_store_watches *watches, const lw_error *reason);

#endif
