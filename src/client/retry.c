/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c -- repeats what has failed with a conflict. */
#include <listwatch/retry.h>

#include <poll.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/cancel.h"

enum {
    ATTEMPTS = 5,
    BASE_DELAY_MS = 10,
    MAX_DELAY_MS = 1000,
};

/* Waits, or returns LW_ERR_STOPPED if a scope of the thread is cancelled. */
static lw_status wait_for(int64_t delay_ns, lw_error *err)
{
    int fds[LW_CANCEL_SCOPES_MAX];
    struct pollfd set[LW_CANCEL_SCOPES_MAX];
    size_t count = lw_cancel_fds(fds);
    for (size_t i = 0; i < count; i++)
        set[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
    int64_t until_ns = lw_clock_now(lw_clock_system()) + delay_ns;
    for (int64_t left_ns = delay_ns; left_ns > 0;
         left_ns = until_ns - lw_clock_now(lw_clock_system())) {
        if (lw_cancel_is_due())
            return lw_error_set(err, LW_ERR_STOPPED,
                                "the retry was cancelled: its reconciler or factory was stopped");
        (void)poll(set, (nfds_t)count, (int)(left_ns / LW_NS_PER_MS) + 1);
    }
    return LW_OK;
}

lw_status lw_retry_on_conflict(const lw_retry_options *options, lw_attempt_fn attempt, void *arg,
                               lw_error *err)
{
    lw_retry_options o = LW_RETRY_OPTIONS_INIT;
    lw_backoff backoff;
    uint64_t seed = 0;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_retry_options", err);
    if (st < 0)
        return st;
    int base_ms = o.base_delay_ms > 0 ? o.base_delay_ms : BASE_DELAY_MS;
    int max_ms = o.max_delay_ms > 0 ? o.max_delay_ms : MAX_DELAY_MS;
    const lw_backoff_options delays = {
        .base_ns = base_ms * LW_NS_PER_MS,
        .cap_ns = (max_ms > base_ms ? max_ms : base_ms) * LW_NS_PER_MS,
        .factor = 2.0,
        .jitter = 1.0,
    };
    lw_entropy_seed(&seed, 1);
    st = lw_backoff_init(&backoff, &delays, seed);
    if (st < 0)
        return lw_error_set(err, st, "the delays of lw_retry_options are out of range");
    for (unsigned left = o.attempts > 0 ? o.attempts : ATTEMPTS;; left--) {
        st = attempt(arg, err);
        if (st != LW_ERR_CONFLICT || left <= 1)
            return st;
        st = wait_for(lw_backoff_next(&backoff, lw_clock_now(lw_clock_system())), err);
        if (st < 0)
            return st;
    }
}
