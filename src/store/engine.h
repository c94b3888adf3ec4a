/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h -- what keeps the bytes of a store: the part that memory and lmdb do differently.
 *
 * The writer (writer.h) is the one caller, always on its thread; only reading, which is no part of
 * this, happens on others.
 *
 *     begin ── apply ... apply ──┬─ commit     all of it, from now on, for everybody
 *                                └─ abort      nothing of it
 *
 * Every revision from the first after |compacted| to |current| has a record in the log. */
#ifndef LW_STORE_ENGINE_H
#define LW_STORE_ENGINE_H

#include "store/store.h"

typedef struct lw_store_engine lw_store_engine;

/* Where a store stands. */
typedef struct lw_store_marks {
    uint64_t current;   /* revision of the last change */
    uint64_t compacted; /* no older state can be read */
    uint64_t swept;     /* what compacting to here made needless is removed; <= compacted */
    uint64_t weight;    /* bytes of keys and values that all changes so far superseded or brought */
    uint64_t compacted_weight; /* the same as of the compacted revision */
} lw_store_marks;

typedef struct lw_store_engine_ops {
    lw_status (*begin)(lw_store_engine *engine, lw_error *err);

    /* Makes the change as |revision|, if the key is as the transaction expects.  LW_ERR_CONFLICT
     * (txn->revision is set) and LW_ERR_NOMEM refuse this one and the batch goes on; after anything
     * else the batch must be aborted. */
    lw_status (*apply)(lw_store_engine *engine, lw_store_txn *txn, uint64_t revision,
                       lw_error *err);

    /* Durable and visible, and engine->marks is moved, when this returns LW_OK; otherwise nothing
     * has changed, as after abort. */
    lw_status (*commit)(lw_store_engine *engine, lw_error *err);
    void (*abort)(lw_store_engine *engine);

    /* Called after abort or a failed commit when the batch met LW_ERR_LIMIT: LW_OK means that there
     * is more room now and the batch is to be tried again.  NULL: there never is. */
    lw_status (*make_room)(lw_store_engine *engine, lw_error *err);

    /* Reads the changes after |after| (>= compacted, < current) back: at most |max| (> 0), at least
     * one, none left out.  Their views live until replay_end, which follows a success, and nothing
     * else is called in between. */
    lw_status (*replay)(lw_store_engine *engine, uint64_t after, lw_store_event *events, size_t max,
                        size_t *count, lw_error *err);
    void (*replay_end)(lw_store_engine *engine);

    /* Moves marks.compacted (durably) to |revision|, above it and not above current. */
    lw_status (*compact)(lw_store_engine *engine, uint64_t revision, lw_error *err);

    /* Removes what |max| changes made needless and moves marks.swept towards marks.compacted. */
    lw_status (*sweep)(lw_store_engine *engine, size_t max, lw_error *err);
} lw_store_engine_ops;

/* The first member of every engine. */
struct lw_store_engine {
    const lw_store_engine_ops *ops;
    lw_store_marks marks; /* as of the last commit; the writer's thread */
};

/* What to do with the next record of a range. */
typedef enum lw_store_range_step {
    LW_STORE_RANGE_REPORT,
    LW_STORE_RANGE_COUNT, /* it is beyond the limit, and now counted */
    LW_STORE_RANGE_STOP,  /* it is beyond the limit, and nobody wants to know more */
} lw_store_range_step;

/* The revision that |range| is to be read at.  LW_ERR_EXPIRED, LW_ERR_TOO_LARGE_RV. */
lw_status lw_store_range_revision(const lw_store_range *range, uint64_t current, uint64_t compacted,
                                  uint64_t *revision, lw_error *err);

/* There is one more record: counts it in |*reported|, or in |result|. */
lw_store_range_step lw_store_range_next(const lw_store_range *range, size_t *reported,
                                        lw_store_range_result *result);

#endif
