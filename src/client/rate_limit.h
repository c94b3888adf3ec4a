/* SPDX-License-Identifier: Apache-2.0 */
/* rate_limit.h -- a token bucket that is shared by the threads of a client: |burst| requests at
 * once, then one each interval.
 *
 * Threads: any.  It never waits: the caller waits until the time that it gets. */
#ifndef LW_CLIENT_RATE_LIMIT_H
#define LW_CLIENT_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sync.h"

typedef struct lw_rate_limit {
    lw_mutex mu;         /* guards next_ns */
    int64_t next_ns;     /* when the bucket is full again */
    int64_t interval_ns; /* 0: no limit */
    int64_t slack_ns;    /* how far the bucket may be drawn ahead: burst - 1 intervals */
} lw_rate_limit;

/* Makes a bucket without a limit. */
void lw_rate_limit_init(lw_rate_limit *limit);
/* Sets the limit before the first use; |qps| 0: none.  |burst| is at least 1. */
void lw_rate_limit_set(lw_rate_limit *limit, double qps, int burst);
void lw_rate_limit_done(lw_rate_limit *limit);

/* Takes a token and gets the time, at least |now_ns|, at which the request may be sent.  Returns
 * false and takes nothing if that is |deadline_ns| or later. */
bool lw_rate_limit_take(lw_rate_limit *limit, int64_t now_ns, int64_t deadline_ns, int64_t *due_ns);

#endif
