/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.c -- exponential backoff.
 *
 * The quiet time counts from the end of the last delay. client-go resets whenever the time since
 * the last reset has passed, so during a long outage its delays become short again and again, which
 * loads a server that is down; here only a quiet time resets. */
#include "base/backoff.h"

#include <stdbool.h>

static bool options_are_usable(const lw_backoff_options *o)
{
    /* Written so that a NaN fails, too. */
    if (!(o->factor >= 1.0) || !(o->jitter >= 0.0))
        return false;
    if (o->base_ns <= 0 || o->cap_ns < o->base_ns || o->reset_after_ns < 0)
        return false;
    return (double)o->cap_ns * (1.0 + o->jitter) < 0x1.0p63;
}

lw_status lw_backoff_init(lw_backoff *backoff, const lw_backoff_options *options, uint64_t seed)
{
    if (!options_are_usable(options))
        return LW_ERR_INVALID;
    backoff->options = *options;
    lw_random_init(&backoff->random, seed);
    lw_backoff_reset(backoff);
    return LW_OK;
}

static bool was_quiet(const lw_backoff *backoff, int64_t now_ns)
{
    int64_t wanted = backoff->options.reset_after_ns;
    return wanted > 0 && now_ns > backoff->quiet_ns &&
           (uint64_t)now_ns - (uint64_t)backoff->quiet_ns >= (uint64_t)wanted;
}

int64_t lw_backoff_next(lw_backoff *backoff, int64_t now_ns)
{
    const lw_backoff_options *o = &backoff->options;
    if (was_quiet(backoff, now_ns))
        lw_backoff_reset(backoff);
    double stretch = 1.0 + o->jitter * lw_random_unit(&backoff->random);
    int64_t delay = (int64_t)(backoff->delay_ns * stretch);
    double longer = backoff->delay_ns * o->factor;
    backoff->delay_ns = longer < (double)o->cap_ns ? longer : (double)o->cap_ns;
    backoff->quiet_ns = now_ns > INT64_MAX - delay ? INT64_MAX : now_ns + delay;
    return delay;
}

void lw_backoff_reset(lw_backoff *backoff)
{
    backoff->delay_ns = (double)backoff->options.base_ns;
    backoff->quiet_ns = INT64_MAX;
}

void lw_backoff_limit(lw_backoff *backoff, int64_t delay_ns)
{
    if (backoff->delay_ns > (double)delay_ns)
        backoff->delay_ns = (double)delay_ns;
}
