/* SPDX-License-Identifier: Apache-2.0 */
/* informer_log.c -- what an informer logs.
 *
 *   started ──▶ synced ──▶ (error: warning ──▶ reconnected or relisted) ... */
#include "informer/informer_log.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"

static const char component[] = "informer";

static double seconds_since(int64_t then_ns, int64_t now_ns)
{
    return (double)(now_ns - then_ns) / 1e9;
}

void lw_informer_log_started(const lw_informer_log *log)
{
    lw_log(log->logger, LW_LOG_INFO, component, "%s: started", log->resource);
}

bool lw_informer_log_error(lw_informer_log *log, const lw_error *err, int64_t now_ns)
{
    bool is_repeated = log->has_failed && strcmp(log->message, err->message) == 0;
    lw_log(log->logger, is_repeated ? LW_LOG_DEBUG : LW_LOG_WARN, component, "%s: %s",
           log->resource, err->message);
    if (!log->has_failed)
        log->failed_ns = now_ns;
    log->has_failed = true;
    memcpy(log->message, err->message, sizeof(log->message));
    return !is_repeated;
}

void lw_informer_log_synced(lw_informer_log *log, const lw_informer_statistics *stats,
                            uint64_t object_count)
{
    log->is_synced = true;
    log->has_failed = false;
    log->relists = stats->relists;
    lw_log(log->logger, LW_LOG_INFO, component, "%s: synced: %" PRIu64 " objects in %.3f s",
           log->resource, object_count, stats->sync_ns < 0 ? 0.0 : (double)stats->sync_ns / 1e9);
}

bool lw_informer_log_turn(lw_informer_log *log, const lw_informer_statistics *stats,
                          lw_status error, int64_t now_ns)
{
    if (!log->is_synced || !log->has_failed || error != LW_OK)
        return false;
    log->has_failed = false;
    if (stats->relists != log->relists)
        lw_log(log->logger, LW_LOG_INFO, component, "%s: recovered after %.3f s: relisted (%s)",
               log->resource, seconds_since(log->failed_ns, now_ns),
               lw_relist_reason_name(stats->last_relist_reason));
    else
        lw_log(log->logger, LW_LOG_INFO, component, "%s: recovered after %.3f s: reconnected",
               log->resource, seconds_since(log->failed_ns, now_ns));
    log->relists = stats->relists;
    return true;
}
