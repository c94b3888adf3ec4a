/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c -- a few threads and one queue. */
#include "base/thread/workers.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sync.h"

struct lw_workers {
    lw_thread threads[LW_WORKERS_MAX];
    unsigned started;
    int nice;
    size_t queue_max;
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    lw_dlist queue;
    size_t queued;
    bool is_ending;
};

static void work(void *arg)
{
    lw_workers *workers = arg;
    if (workers->nice != 0)
        lw_thread_add_nice(workers->nice);
    lw_mutex_lock(&workers->mu);
    for (;;) {
        lw_work *next = LW_DLIST_ITEM(lw_dlist_pop_front(&workers->queue), lw_work, link);
        if (next) {
            workers->queued--;
            lw_mutex_unlock(&workers->mu);
            next->run(next);
            lw_mutex_lock(&workers->mu);
        } else if (workers->is_ending) {
            break;
        } else {
            lw_cond_wait(&workers->changed, &workers->mu);
        }
    }
    lw_mutex_unlock(&workers->mu);
}

lw_status lw_workers_new(lw_workers **out, const char *name, unsigned threads, int nice,
                         size_t queue_max, lw_error *err)
{
    assert(threads > 0 && threads <= LW_WORKERS_MAX);
    lw_workers *workers = lw_alloc_zero(1, sizeof(*workers));
    if (!workers)
        return lw_error_nomem(err);
    workers->nice = nice;
    workers->queue_max = queue_max;
    lw_mutex_init(&workers->mu);
    lw_cond_init(&workers->changed);
    lw_dlist_init(&workers->queue);
    lw_status st = LW_OK;
    while (st == LW_OK && workers->started < threads) {
        st = lw_thread_start(&workers->threads[workers->started], name, work, workers, err);
        workers->started += st == LW_OK;
    }
    if (st < 0)
        lw_workers_free(workers);
    else
        *out = workers;
    return st;
}

void lw_workers_free(lw_workers *workers)
{
    if (!workers)
        return;
    lw_mutex_lock(&workers->mu);
    workers->is_ending = true;
    lw_cond_broadcast(&workers->changed);
    lw_mutex_unlock(&workers->mu);
    for (unsigned i = 0; i < workers->started; i++)
        lw_thread_join(&workers->threads[i]);
    lw_cond_done(&workers->changed);
    lw_mutex_done(&workers->mu);
    lw_free(workers);
}

lw_status lw_workers_take(lw_workers *workers, lw_work *work)
{
    lw_status st = LW_ERR_TOO_MANY;
    lw_mutex_lock(&workers->mu);
    if (workers->queued < workers->queue_max) {
        workers->queued++;
        lw_dlist_push_back(&workers->queue, &work->link);
        lw_cond_signal(&workers->changed);
        st = LW_OK;
    }
    lw_mutex_unlock(&workers->mu);
    return st;
}
