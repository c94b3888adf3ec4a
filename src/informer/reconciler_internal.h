/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_internal.h -- the struct of a reconciler, for its threads and for an event loop. */
#ifndef LW_INFORMER_RECONCILER_INTERNAL_H
#define LW_INFORMER_RECONCILER_INTERNAL_H

#include <stdatomic.h>

#include <listwatch/reconciler.h>

#include "base/dlist.h"
#include "base/metrics/histogram.h"
#include "base/sync.h"
#include "base/thread/cancel.h"

typedef enum lw_reconciler_state {
    RECONCILER_NEW,
    RECONCILER_RUNNING,
    RECONCILER_STOPPED,
} lw_reconciler_state;

/* The result of a reconcile, as controller-runtime names them. */
typedef enum lw_reconcile_end {
    LW_RECONCILE_SUCCESS,
    LW_RECONCILE_ERROR,
    LW_RECONCILE_REQUEUE_AFTER,
    LW_RECONCILE_ENDS, /* the number of them */
} lw_reconcile_end;

struct lw_reconciler {
    char *name;
    lw_reconcile_fn reconcile;
    void *arg;
    lw_logger logger;
    lw_workqueue *queue;
    unsigned worker_count;
    lw_thread *workers;

    lw_cancel stopping; /* workers check it between keys, and their requests while waiting */

    lw_mutex mu; /* guards what follows */
    lw_cond is_joined;
    lw_reconciler_state state;
    unsigned started; /* workers; the first |joined| have ended */
    unsigned joined;
    bool is_joining; /* a thread is joining them */
    lw_dlist feeds;
    uint64_t ends[LW_RECONCILE_ENDS];
    lw_histogram time; /* of reconciles until the function has returned */
    int loop_fd;       /* epoll for an event loop of the program; -1: there are threads */
    unsigned pending;  /* keys whose reconcile function has not finished */
    bool is_loop_full; /* the queue is not in the epoll: there are enough pending keys */
};

/* reconciler.c: reconciles |key|, which the queue has handed out, and ends its processing, unless
 * it is pending. */
void lw_reconciler__reconcile(lw_reconciler *reconciler, const char *key);

/* reconciler_metrics.c: the bounds of |time|. */
extern const lw_histogram_bound lw_reconciler_bounds[];

/* reconciler_loop.c: a key was handed out (true), or is done (false): stops and continues handing
 * out keys to the loop. */
void lw_reconciler__count_pending_locked(lw_reconciler *reconciler, bool is_more);
void lw_reconciler__close_loop(lw_reconciler *reconciler);

#endif
