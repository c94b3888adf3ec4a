/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c -- what is the same for every engine: the limits of a range and of space. */
#include "store/engine.h"

#include "base/error.h"

lw_status lw_store_range_revision(const lw_store_range *range, uint64_t current, uint64_t compacted,
                                  uint64_t *revision, lw_error *err)
{
    uint64_t wanted = range->revision > 0 ? range->revision : current;
    if (wanted > current)
        return lw_error_set(err, LW_ERR_TOO_LARGE_RV,
                            "revision %llu is in the future (current revision: %llu)",
                            (unsigned long long)wanted, (unsigned long long)current);
    if (wanted < compacted)
        return lw_error_set(
            err, LW_ERR_EXPIRED,
            "revision %llu has been compacted; the oldest available revision is %llu",
            (unsigned long long)wanted, (unsigned long long)compacted);
    *revision = wanted;
    return LW_OK;
}

lw_store_range_step lw_store_range_next(const lw_store_range *range, size_t *reported,
                                        lw_store_range_result *result)
{
    if (range->limit == 0 || *reported < range->limit) {
        (*reported)++;
        return LW_STORE_RANGE_REPORT;
    }
    result->has_more = true;
    if (!range->is_counting)
        return LW_STORE_RANGE_STOP;
    result->remaining++;
    return LW_STORE_RANGE_COUNT;
}

static lw_status refuse_space(lw_store_engine *engine, lw_error *err)
{
    const lw_store_space *space = &engine->space;
    engine->space.is_full = true;
    if (space->is_disk_full)
        return lw_error_set(err, LW_ERR_NO_SPACE,
                            "the disk of the store is full: only deletes and updates that do not "
                            "grow are accepted until there is space; free space on the disk");
    return lw_error_set(err, LW_ERR_NO_SPACE,
                        "the store is full: %llu of at most %llu bytes are used (--store-size); "
                        "delete objects, or restart the server with a larger limit",
                        (unsigned long long)space->used, (unsigned long long)space->limit);
}

lw_status lw_store_space_admit(lw_store_engine *engine, const lw_store_txn *txn, size_t cost,
                               size_t old, lw_error *err)
{
    lw_store_space *space = &engine->space;
    if (txn->op == LW_STORE_PUT) {
        bool grows = txn->key.len + txn->value.len > old;
        uint64_t limit = space->limit + (grows ? 0 : space->limit / 16);
        bool is_over = space->limit > 0 && (cost > limit || space->used > limit - cost);
        if (is_over || (space->is_disk_full && grows))
            return refuse_space(engine, err);
    }
    space->used += cost;
    return LW_OK;
}

void lw_store_space_measured(lw_store_space *space, uint64_t used)
{
    space->used = used;
    bool has_room = space->limit == 0 || used <= space->limit - space->limit / 20;
    if (has_room && !space->is_disk_full)
        space->is_full = false;
}

bool lw_store_space_is_short(const lw_store_space *space)
{
    return space->is_disk_full ||
           (space->limit > 0 && space->used > space->limit - space->limit / 16);
}
