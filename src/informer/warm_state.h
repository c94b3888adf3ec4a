/* SPDX-License-Identifier: Apache-2.0 */
/* warm_state.h -- saves the cache of an informer, and starts it from the saved one.
 *
 *   load:   the file is read when the source is opened; the objects are in the cache at once, and
 *           the reflector watches from their resourceVersion instead of listing
 *   save:   after the first sync, then at most once per interval if something has changed, and at
 *           the end; in the thread of state_dir.h
 *
 * Only in a turn, or when no turn is executed any more. */
#ifndef LW_INFORMER_WARM_STATE_H
#define LW_INFORMER_WARM_STATE_H

#include <listwatch/factory.h>

#include "informer/informer_log.h"
#include "informer/state/saved_cache.h"
#include "state/state_dir.h"

/* What a factory wants; the same for all its informers. */
typedef struct lw_warm_options {
    lw_state_dir *dir;     /* NULL: nothing is saved */
    const char *version;   /* of the program; "" if there is none */
    int interval_s;        /* > 0 */
    int max_age_s;         /* > 0 */
    bool is_at_once;       /* synced before the watch is accepted */
    bool tells_changes;    /* handlers get only what has changed */
    const lw_clock *clock; /* for intervals and the age of a file */
} lw_warm_options;

typedef struct lw_warm_state {
    const lw_warm_options *options;
    const lw_informer_log *log;
    char *identity, *path; /* NULL: not known, or this informer is not saved */
    char saved_rv[LW_STATE_RV_MAX + 1];
    char saving_rv[LW_STATE_RV_MAX + 1];
    char cluster[LW_STATE_CLUSTER_MAX + 1]; /* of the objects; empty: not known */
    lw_provider *provider;                  /* NULL: nothing was loaded yet */
    const lw_source *source;
    int64_t next_ns; /* not before this time */
    lw_state_slot slot;
} lw_warm_state;

void lw_warm_state_init(lw_warm_state *warm, const lw_warm_options *options,
                        const lw_informer_log *log);

/* Waits for a save in progress. */
void lw_warm_state_done(lw_warm_state *warm);

/* Reads the file of |spec| at |provider|.  Returns false if there is none that can be used; the
 * reason is in the log.  |has_transform|: objects are changed before they are stored;
 * |mode|: whether they may be packed. */
bool lw_warm_state_load(lw_warm_state *warm, lw_provider *provider, const lw_source *source,
                        const lw_source_spec *spec, bool has_transform, lw_compact_mode mode,
                        lw_saved_cache *out);

/* Returns false if the server is known to be another cluster than the one that the saved objects
 * are of; the log says so.  After a response of it. */
bool lw_warm_state_is_same_cluster(lw_warm_state *warm);

/* Returns true if the cache, which is complete up to |rv|, should be saved now. */
bool lw_warm_state_is_due(lw_warm_state *warm, const char *rv);

/* Returns the time of the next save if |rv| is not saved; LW_NEVER_NS: none. */
int64_t lw_warm_state_deadline_ns(const lw_warm_state *warm, const char *rv);

/* Begins to save |indexer|, which is complete up to |rv|.  A failure is logged. */
void lw_warm_state_save(lw_warm_state *warm, const lw_indexer *indexer, const char *rv);

/* As lw_warm_state_save if |rv| is not saved, and waits. */
void lw_warm_state_save_last(lw_warm_state *warm, const lw_indexer *indexer, const char *rv);

#endif
