/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.h -- the delay before a retry: exponential, with jitter, a limit, and a reset after a
 * quiet time.
 *
 * It does no I/O: the caller passes the time and waits.  The delays before jitter are base, base *
 * factor, ... cap, cap; jitter extends each to [delay, delay * (1 + jitter)), so that many clients
 * that were disconnected at the same time do not reconnect at the same time. */
#ifndef LW_BASE_BACKOFF_H
#define LW_BASE_BACKOFF_H

#include <stdint.h>

#include <listwatch/error.h>

#include "base/random.h"

typedef struct lw_backoff_options {
    int64_t base_ns;        /* first delay, > 0 */
    int64_t cap_ns;         /* longest delay before jitter, >= base_ns */
    double factor;          /* each delay is longer than the last by this factor, >= 1 */
    double jitter;          /* >= 0; 1.0 at most doubles a delay */
    int64_t reset_after_ns; /* reset if the last delay ended this long ago; 0: never */
} lw_backoff_options;

/* Like the reflector of client-go: 0.8 s, doubling, limit 30 s, jitter 1.0, reset after 2
 * minutes. */
#define LW_BACKOFF_OPTIONS_INIT                                                                    \
    {                                                                                              \
        INT64_C(800000000), INT64_C(30000000000), 2.0, 1.0, INT64_C(120000000000)                  \
    }

typedef struct lw_backoff {
    lw_backoff_options options;
    double delay_ns;  /* the next delay, before jitter */
    int64_t quiet_ns; /* end of the last delay; INT64_MAX: there was none */
    lw_random random;
} lw_backoff;

/* Initialises at the first delay; |seed| determines the jitter (see lw_entropy_seed).
 * LW_ERR_INVALID: an option is out of range, or a delay would exceed 292 years. */
LW_MUST_CHECK lw_status lw_backoff_init(lw_backoff *backoff, const lw_backoff_options *options,
                                        uint64_t seed);

/* Returns the delay from |now_ns| (monotonic) after one more failure.  One user at a time. */
int64_t lw_backoff_next(lw_backoff *backoff, int64_t now_ns);

/* Resets to the first delay, after a success. */
void lw_backoff_reset(lw_backoff *backoff);

/* Limits the next delay to |delay_ns| before jitter, after a partial success. */
void lw_backoff_limit(lw_backoff *backoff, int64_t delay_ns);

#endif
