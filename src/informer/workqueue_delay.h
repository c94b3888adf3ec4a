/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_delay.h -- the delay of a failed key: the longer of its own exponential backoff and of
 * the rate limit of all keys.  Does no I/O; one user at a time. */
#ifndef LW_INFORMER_WORKQUEUE_DELAY_H
#define LW_INFORMER_WORKQUEUE_DELAY_H

#include <listwatch/workqueue.h>

/* A token bucket: |rate| tokens per second, up to |burst|.  A key that takes a token that is not
 * there yet waits for it. */
typedef struct lw_workqueue_delay {
    int64_t base_ns, max_ns;
    double rate; /* < 0: no rate limit */
    double burst;
    double tokens;      /* < 0: tokens taken in advance */
    int64_t updated_ns; /* time for which |tokens| is correct */
} lw_workqueue_delay;

/* Initialises from |options| and the defaults. */
void lw_workqueue_delay_init(lw_workqueue_delay *delay, const lw_workqueue_options *options,
                             int64_t now_ns);

/* Returns the delay of a key with |failures| earlier failures.  Takes a token. */
int64_t lw_workqueue_delay_next(lw_workqueue_delay *delay, unsigned failures, int64_t now_ns);

#endif
