/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h -- a few threads for what would keep a loop waiting, and a queue with a bound. */
#ifndef LW_BASE_WORKERS_H
#define LW_BASE_WORKERS_H

#include <stddef.h>

#include <listwatch/error.h>

#include "base/dlist.h"

enum {
    LW_WORKERS_MAX = 16, /* threads */
};

typedef struct lw_workers lw_workers;

/* One thing to do; lives in its owner's memory and starts zeroed. */
typedef struct lw_work {
    lw_dlist_node link;
    void (*run)(struct lw_work *work); /* once, on one of the threads; may free |work| */
} lw_work;

/* Starts |threads| (at most LW_WORKERS_MAX) called |name|, before which at most |queue_max| works
 * wait.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_workers_new(lw_workers **out, const char *name, unsigned threads, size_t queue_max,
                         lw_error *err);

/* Does what was taken, and ends the threads.  NULL does nothing. */
void lw_workers_free(lw_workers *workers);

/* Takes |work|.  Any thread.  LW_ERR_TOO_MANY: the queue is full, and it will not be run. */
lw_status lw_workers_take(lw_workers *workers, lw_work *work);

#endif
