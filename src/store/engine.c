/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c -- the parts of a range read that are the same for every engine. */
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
