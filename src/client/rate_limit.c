/* SPDX-License-Identifier: Apache-2.0 */
/* rate_limit.c -- the token bucket of a client, as the time at which it is full again. */
#include "client/rate_limit.h"

#include <listwatch/time.h>

void lw_rate_limit_init(lw_rate_limit *limit)
{
    *limit = (lw_rate_limit){ .interval_ns = 0 };
    lw_mutex_init(&limit->mu);
}

void lw_rate_limit_set(lw_rate_limit *limit, double qps, int burst)
{
    limit->interval_ns = qps > 0 ? (int64_t)((double)LW_NS_PER_S / qps) : 0;
    limit->slack_ns = burst > 1 ? (burst - 1) * limit->interval_ns : 0;
}

void lw_rate_limit_done(lw_rate_limit *limit)
{
    lw_mutex_done(&limit->mu);
}

bool lw_rate_limit_take(lw_rate_limit *limit, int64_t now_ns, int64_t deadline_ns, int64_t *due_ns)
{
    *due_ns = now_ns;
    if (limit->interval_ns == 0)
        return true;
    lw_mutex_lock(&limit->mu);
    int64_t full_ns = limit->next_ns > now_ns ? limit->next_ns : now_ns;
    int64_t due = full_ns - limit->slack_ns;
    if (due < now_ns)
        due = now_ns;
    bool is_taken = due < deadline_ns;
    if (is_taken)
        limit->next_ns = full_ns + limit->interval_ns;
    lw_mutex_unlock(&limit->mu);
    *due_ns = due;
    return is_taken;
}
