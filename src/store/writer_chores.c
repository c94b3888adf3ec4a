/* SPDX-License-Identifier: Apache-2.0 */
/* writer_chores.c -- what the thread of a store does between batches: sweeps, compacts the history,
 * and tries whether writes succeed again. */
#include "store/writer_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

void lw_store_writer__report(lw_store_writer *writer, lw_status st, const lw_error *err)
{
    lw_mutex_lock(&writer->mu);
    bool was_failing = writer->condition.is_failing;
    writer->condition.is_failing = st < 0;
    if (st < 0)
        lw_error_copy_text(writer->condition.why, sizeof(writer->condition.why), err->message,
                           strlen(err->message));
    else
        writer->condition.why[0] = '\0';
    lw_mutex_unlock(&writer->mu);
    if (st < 0)
        writer->probe_ns = lw_clock_now(lw_clock_system()) + LW_STORE_RETRY_NS;
    if (st < 0 && !was_failing)
        lw_log(writer->logger, LW_LOG_ERROR, "store", "writes are failing: %s", err->message);
    if (st == LW_OK && was_failing)
        lw_log(writer->logger, LW_LOG_INFO, "store", "writes succeed again");
}

void lw_store_writer__publish(lw_store_writer *writer)
{
    const lw_store_engine *engine = writer->engine;
    lw_mutex_lock(&writer->mu);
    bool was_full = writer->condition.is_full;
    writer->current = engine->marks.current;
    writer->compacted = engine->marks.compacted;
    writer->condition.is_full = engine->space.is_full;
    writer->condition.used = engine->space.used;
    writer->condition.limit = engine->space.limit;
    writer->condition.keys = engine->marks.keys;
    lw_mutex_unlock(&writer->mu);
    if (engine->space.is_full && !was_full && engine->space.is_disk_full)
        lw_log(writer->logger, LW_LOG_ERROR, "store",
               "the disk is full: only deletes and updates that do not grow are accepted");
    else if (engine->space.is_full && !was_full)
        lw_log(writer->logger, LW_LOG_ERROR, "store",
               "the store is full (%llu bytes used, limit %llu): only deletes and updates that do "
               "not grow are accepted",
               (unsigned long long)engine->space.used, (unsigned long long)engine->space.limit);
    if (!engine->space.is_full && was_full)
        lw_log(writer->logger, LW_LOG_INFO, "store", "there is space in the store again");
}

lw_status lw_store_writer__compact_to(lw_store_writer *writer, uint64_t revision, lw_error *err)
{
    lw_store_engine *engine = writer->engine;
    if (revision > engine->marks.current)
        return lw_error_set(err, LW_ERR_TOO_LARGE_RV,
                            "revision %llu is in the future (current revision: %llu)",
                            (unsigned long long)revision,
                            (unsigned long long)engine->marks.current);
    if (revision <= engine->marks.compacted)
        return LW_OK;
    lw_status st = engine->ops->compact(engine, revision, err);
    if (st < 0)
        return st;
    lw_store_writer__publish(writer);
    lw_history_compacted(&writer->history, revision, engine->marks.compacted_weight);
    lw_store_watches_compacted(&writer->watches, revision);
    return LW_OK;
}

/* Background tasks: finish the sweep of the last compaction first.  While a watch reads the
 * history, it is not compacted automatically. */
bool lw_store_writer__has_to_sweep(const lw_store_writer *writer)
{
    return writer->engine->marks.swept < writer->engine->marks.compacted;
}

/* True if history must be given up for space: from time to time when space is short, and at once
 * when updates already use what is beyond the limit. */
static bool writer_is_short(const lw_store_writer *writer)
{
    const lw_store_marks *marks = &writer->engine->marks;
    const lw_store_space *space = &writer->engine->space;
    return marks->compacted < marks->current && lw_store_space_is_short(space) &&
           ((space->limit > 0 && space->used > space->limit) ||
            lw_clock_now(lw_clock_system()) >= writer->shortage_ns);
}

/* If there is little space left, no history is kept. */
static uint64_t writer_history_target(lw_store_writer *writer)
{
    if (lw_store_watches_is_behind(&writer->watches, writer->engine->marks.current))
        return 0;
    if (writer_is_short(writer))
        return writer->engine->marks.current;
    return lw_history_target(&writer->history, lw_clock_now(writer->clock));
}

static bool writer_may_probe(const lw_store_writer *writer)
{
    return writer->engine->ops->probe &&
           (writer->condition.is_failing || writer->engine->space.is_disk_full);
}

/* True if the last commit failed, or there is no space on the disk: whether that is over is tried
 * from time to time, also if nobody writes. */
static bool writer_has_to_probe(const lw_store_writer *writer)
{
    return writer_may_probe(writer) && lw_clock_now(lw_clock_system()) >= writer->probe_ns;
}

bool lw_store_writer__has_chore(lw_store_writer *writer)
{
    return writer_has_to_probe(writer) ||
           (lw_clock_now(lw_clock_system()) >= writer->retry_ns &&
            (lw_store_writer__has_to_sweep(writer) || writer_history_target(writer) > 0));
}

static void writer_probe(lw_store_writer *writer)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = writer->engine->ops->probe(writer->engine, &err);
    lw_store_writer__report(writer, st, &err);
    lw_store_writer__publish(writer);
    writer->probe_ns = lw_clock_now(lw_clock_system()) + LW_STORE_RETRY_NS;
}

void lw_store_writer__do_chore(lw_store_writer *writer)
{
    if (!lw_store_writer__has_chore(writer))
        return;
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (writer_has_to_probe(writer)) {
        writer_probe(writer);
    } else if (lw_store_writer__has_to_sweep(writer)) {
        st = writer->engine->ops->sweep(writer->engine, LW_STORE_SWEEP_MAX, &err);
        lw_store_writer__publish(writer);
    } else {
        uint64_t target = writer_history_target(writer);
        if (writer_is_short(writer))
            writer->shortage_ns = lw_clock_now(lw_clock_system()) + LW_STORE_SHORTAGE_NS;
        st = lw_store_writer__compact_to(writer, target, &err);
    }
    if (st < 0) {
        writer->retry_ns = lw_clock_now(lw_clock_system()) + LW_STORE_RETRY_NS;
        lw_log(writer->logger, LW_LOG_WARN, "store", "cannot compact the history, will retry: %s",
               err.message);
    }
}

/* Returns when a background task may be due, by the system's clock. */
int64_t lw_store_writer__deadline(lw_store_writer *writer)
{
    int64_t system_now = lw_clock_now(lw_clock_system());
    int64_t latest = writer_may_probe(writer) ? writer->probe_ns : LW_NEVER_NS;
    if (writer->retry_ns > system_now)
        return writer->retry_ns < latest ? writer->retry_ns : latest;
    if (writer->shortage_ns > system_now && lw_store_space_is_short(&writer->engine->space))
        latest = writer->shortage_ns < latest ? writer->shortage_ns : latest;
    int64_t due = lw_history_deadline(&writer->history);
    if (due == INT64_MAX)
        return latest;
    int64_t left = due - lw_clock_now(writer->clock);
    return left > latest - system_now ? latest : system_now + left;
}
