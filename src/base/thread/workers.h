/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h -- a few threads for blocking work, with a bounded queue. */
#ifndef LW_BASE_THREAD_WORKERS_H
#define LW_BASE_THREAD_WORKERS_H

#include <stddef.h>

#include <listwatch/error.h>

#include "base/dlist.h"

enum {
    LW_WORKERS_MAX = 16, /* threads */
};

typedef struct lw_workers lw_workers;

/* A work item; the owner allocates it, zeroed initially. */
typedef struct lw_work {
    lw_dlist_node link;
    void (*run)(struct lw_work *work); /* called once, in one of the threads; may free |work| */
} lw_work;

/* Starts |threads| threads (at most LW_WORKERS_MAX) called |name|, with |nice| added to their nice
 * value and a queue of at most |queue_max| items.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_workers_new(lw_workers **out, const char *name, unsigned threads, int nice,
                         size_t queue_max, lw_error *err);

/* Finishes the queued work and ends the threads.  NULL does nothing. */
void lw_workers_free(lw_workers *workers);

/* Queues |work|.  Any thread.  LW_ERR_TOO_MANY: the queue is full, and it will not run. */
lw_status lw_workers_take(lw_workers *workers, lw_work *work);

#endif
