/* SPDX-License-Identifier: Apache-2.0 */
/* refusal_log.c -- logs why tokens are refused. */
#include "server/authn/refusal_log.h"

#include "base/clock.h"
#include "base/log.h"

#define WARN_INTERVAL_NS LW_NS_PER_S

void lw_refusal_log_init(lw_refusal_log *log, const lw_clock *clock, const lw_logger *logger)
{
    log->clock = clock;
    log->logger = logger;
    atomic_init(&log->next_warning_ns, 0);
}

lw_status lw_refusal_log_write(lw_refusal_log *log, const char *what, const lw_error *why)
{
    int64_t now = lw_clock_now(log->clock);
    int64_t due = atomic_load_explicit(&log->next_warning_ns, memory_order_relaxed);
    bool is_warned =
        now >= due &&
        atomic_compare_exchange_strong_explicit(&log->next_warning_ns, &due, now + WARN_INTERVAL_NS,
                                                memory_order_relaxed, memory_order_relaxed);
    lw_log(log->logger, is_warned ? LW_LOG_WARN : LW_LOG_DEBUG, "authn", "%s was refused: %s", what,
           why->message);
    return LW_ERR_UNAUTHORIZED;
}
