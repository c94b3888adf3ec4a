/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue_delay.h -- how long a key that has failed must wait: the longer of its own growing
 * delay and of what all keys together may do.  Sans-I/O; one user at a time. */
#ifndef LW_INFORMER_WORKQUEUE_DELAY_H
#define LW_INFORMER_WORKQUEUE_DELAY_H

#include <listwatch/workqueue.h>

/* A bucket fills with |rate| tokens a second up to |burst|; who takes one that is not there yet
 * waits for it. */
typedef struct lw_workqueue_delay {
    int64_t base_ns, max_ns;
    double rate; /* < 0: no limit for all together */
    double burst;
    double tokens;      /* < 0: so many are promised */
    int64_t updated_ns; /* when |tokens| was right */
} lw_workqueue_delay;

/* Takes what |options| say, or the defaults. */
void lw_workqueue_delay_init(lw_workqueue_delay *delay, const lw_workqueue_options *options,
                             int64_t now_ns);

/* The delay of a key that has failed |failures| times before this one.  Takes a token. */
int64_t lw_workqueue_delay_next(lw_workqueue_delay *delay, unsigned failures, int64_t now_ns);

#endif
