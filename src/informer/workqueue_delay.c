/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_delay.c -- exponential backoff per key, token bucket for all keys. */
#include "informer/workqueue_delay.h"

#include "base/clock.h"

static const int64_t default_base_ns = 5 * LW_NS_PER_MS;
static const int64_t default_max_ns = 1000 * LW_NS_PER_S;
static const double default_rate = 10;
static const unsigned default_burst = 100;
static const double longest_ns = 4e18; /* fits into int64, with space to add a time */

void lw_workqueue_delay_init(lw_workqueue_delay *delay, const lw_workqueue_options *options,
                             int64_t now_ns)
{
    unsigned burst = options->burst > 0 ? options->burst : default_burst;
    *delay = (lw_workqueue_delay){
        .base_ns = options->base_delay_ns > 0 ? options->base_delay_ns : default_base_ns,
        .max_ns = options->max_delay_ns > 0 ? options->max_delay_ns : default_max_ns,
        .rate = options->rate > 0 || options->rate < 0 ? options->rate : default_rate,
        .burst = burst,
        .tokens = burst,
        .updated_ns = now_ns,
    };
}

/* base * 2^failures, without ever overflowing. */
static int64_t exponential(const lw_workqueue_delay *delay, unsigned failures)
{
    int64_t ns = delay->base_ns;
    for (unsigned i = 0; i < failures; i++) {
        if (ns > delay->max_ns / 2)
            return delay->max_ns;
        ns *= 2;
    }
    return ns < delay->max_ns ? ns : delay->max_ns;
}

static int64_t take_token(lw_workqueue_delay *delay, int64_t now_ns)
{
    if (delay->rate < 0)
        return 0;
    if (now_ns > delay->updated_ns) {
        double since_s = (double)(now_ns - delay->updated_ns) / (double)LW_NS_PER_S;
        delay->tokens += since_s * delay->rate;
        if (delay->tokens > delay->burst)
            delay->tokens = delay->burst;
        delay->updated_ns = now_ns;
    }
    delay->tokens -= 1;
    if (delay->tokens >= 0)
        return 0;
    double wait_ns = -delay->tokens / delay->rate * (double)LW_NS_PER_S;
    return (int64_t)(wait_ns < longest_ns ? wait_ns : longest_ns);
}

int64_t lw_workqueue_delay_next(lw_workqueue_delay *delay, unsigned failures, int64_t now_ns)
{
    int64_t own_ns = exponential(delay, failures);
    int64_t all_ns = take_token(delay, now_ns);
    return own_ns > all_ns ? own_ns : all_ns;
}
