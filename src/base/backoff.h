/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.h -- how long to wait before the next try: exponential, with jitter, a cap, and a fresh
 * start after a quiet time.
 *
 * Sans-I/O: the caller passes the time in and does the waiting.  The delay before jitter goes
 * base, base * factor, ... cap, cap; jitter stretches it to [delay, delay * (1 + jitter)), so that
 * a thousand clients cut off at once do not come back at once. */
#ifndef LW_BASE_BACKOFF_H
#define LW_BASE_BACKOFF_H

#include <stdint.h>

#include <listwatch/error.h>

#include "base/random.h"

typedef struct lw_backoff_options {
    int64_t base_ns;        /* first delay, > 0 */
    int64_t cap_ns;         /* longest delay before jitter, >= base_ns */
    double factor;          /* each delay is this much longer than the last, >= 1 */
    double jitter;          /* >= 0; 1.0 doubles a delay at most */
    int64_t reset_after_ns; /* start over when the last delay ended this long ago; 0 = never */
} lw_backoff_options;

/* As client-go's reflector: 0.8 s, doubling, 30 s cap, jitter 1.0, fresh start after 2 minutes. */
#define LW_BACKOFF_OPTIONS_INIT                                                                    \
    {                                                                                              \
        INT64_C(800000000), INT64_C(30000000000), 2.0, 1.0, INT64_C(120000000000)                  \
    }

typedef struct lw_backoff {
    lw_backoff_options options;
    double delay_ns;  /* the next delay, before jitter */
    int64_t quiet_ns; /* when the last delay handed out ends; INT64_MAX = none was */
    lw_random random;
} lw_backoff;

/* Starts at the first delay; the jitter follows |seed| (see lw_entropy_seed).  LW_ERR_INVALID when
 * an option is out of its range or a delay would not fit 292 years of nanoseconds. */
LW_MUST_CHECK lw_status lw_backoff_init(lw_backoff *backoff, const lw_backoff_options *options,
                                        uint64_t seed);

/* How long to wait from |now_ns| (monotonic) after one more failure.  One user at a time. */
int64_t lw_backoff_next(lw_backoff *backoff, int64_t now_ns);

/* Starts over at the first delay: what was tried has been seen to work. */
void lw_backoff_reset(lw_backoff *backoff);

/* The next delay is |delay_ns| at most, before jitter: things look better than they did. */
void lw_backoff_limit(lw_backoff *backoff, int64_t delay_ns);

#endif
