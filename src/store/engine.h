/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h -- the storage engine of a store: the part that differs between memory and LMDB.
 *
 * The writer (writer.h) is the only caller, always on its thread; only reads, which are not part of
 * this interface, run on other threads.
 *
 *     begin ── apply ... apply ──┬─ commit     makes all of it durable and visible
 *                                └─ abort      drops all of it
 *
 * Every revision after |compacted| up to |current| has a record in the log. */
#ifndef LW_STORE_ENGINE_H
#define LW_STORE_ENGINE_H

#include "store/store.h"

typedef struct lw_store_engine lw_store_engine;

/* The state of a store. */
typedef struct lw_store_marks {
    uint64_t current;   /* revision of the last change */
    uint64_t compacted; /* the oldest state that can be read */
    uint64_t swept;     /* data made obsolete by compaction is removed up to here; <= compacted */
    /* Total size in bytes of the keys and values that all changes so far wrote or superseded. */
    uint64_t weight;
    uint64_t compacted_weight; /* the weight at the compacted revision */
    uint64_t keys;             /* number of keys that exist */
} lw_store_marks;

/* The space that a store may use and uses.  Writer's thread. */
typedef struct lw_store_space {
    uint64_t limit;    /* bytes; 0: none */
    uint64_t used;     /* bytes, with the changes of the current batch */
    bool is_disk_full; /* there is no space to reserve for deletes */
    bool is_full;      /* a change was refused for lack of space, and there is not enough yet */
} lw_store_space;

typedef struct lw_store_engine_ops {
    lw_status (*begin)(lw_store_engine *engine, lw_error *err);

    /* Makes the change as |revision|, if the key is as the transaction expects.  LW_ERR_CONFLICT
     * (sets txn->revision), LW_ERR_NO_SPACE and LW_ERR_NOMEM refuse this transaction only; after
     * any other error the batch must be aborted. */
    lw_status (*apply)(lw_store_engine *engine, lw_store_txn *txn, uint64_t revision,
                       lw_error *err);

    /* When this returns LW_OK, the batch is durable and visible and engine->marks is updated;
     * otherwise nothing has changed, as after abort. */
    lw_status (*commit)(lw_store_engine *engine, lw_error *err);
    void (*abort)(lw_store_engine *engine);

    /* Called after abort or a failed commit if the batch met LW_ERR_LIMIT: LW_OK means that there
     * is more space now and the batch should be tried again.  NULL: there never is. */
    lw_status (*make_room)(lw_store_engine *engine, lw_error *err);

    /* Reads the changes after |after| (>= compacted, < current): at most |max| (> 0), at least one,
     * without gaps.  The views are valid until replay_end, which must follow a success before any
     * other call. */
    lw_status (*replay)(lw_store_engine *engine, uint64_t after, lw_store_event *events, size_t max,
                        size_t *count, lw_error *err);
    void (*replay_end)(lw_store_engine *engine);

    /* Durably moves marks.compacted to |revision|, which is above it and not above current. */
    lw_status (*compact)(lw_store_engine *engine, uint64_t revision, lw_error *err);

    /* Removes the data that |max| changes made obsolete and moves marks.swept towards
     * marks.compacted. */
    lw_status (*sweep)(lw_store_engine *engine, size_t max, lw_error *err);

    /* Tries to write, after a commit has failed.  NULL: commits never fail. */
    lw_status (*probe)(lw_store_engine *engine, lw_error *err);
} lw_store_engine_ops;

/* The first member of every engine. */
struct lw_store_engine {
    const lw_store_engine_ops *ops;
    lw_store_marks marks; /* as of the last commit; used on the writer's thread */
    lw_store_space space;
};

/* Decides whether there is space for |txn|, which costs |cost| bytes and replaces |old| bytes of
 * key and value.  A delete always passes; a put that does not grow may also use a sixteenth more
 * than the limit.  LW_ERR_NO_SPACE. */
lw_status lw_store_space_admit(lw_store_engine *engine, const lw_store_txn *txn, size_t cost,
                               size_t old, lw_error *err);

/* Sets the bytes in use, and ends the shortage if less than 19/20 of the limit is used. */
void lw_store_space_measured(lw_store_space *space, uint64_t used);

/* True if history should be compacted to free space: the disk is full, or more than 15/16 of the
 * limit is used. */
bool lw_store_space_is_short(const lw_store_space *space);

/* What to do with the next record of a range. */
typedef enum lw_store_range_step {
    LW_STORE_RANGE_REPORT,
    LW_STORE_RANGE_COUNT, /* it is beyond the limit, and was counted */
    LW_STORE_RANGE_STOP,  /* it is beyond the limit, and no count is needed */
} lw_store_range_step;

/* Determines the revision at which |range| is read.  LW_ERR_EXPIRED, LW_ERR_TOO_LARGE_RV. */
lw_status lw_store_range_revision(const lw_store_range *range, uint64_t current, uint64_t compacted,
                                  uint64_t *revision, lw_error *err);

/* Counts one more record in |*reported| or in |result|, and returns what to do with it. */
lw_store_range_step lw_store_range_next(const lw_store_range *range, size_t *reported,
                                        lw_store_range_result *result);

#endif
