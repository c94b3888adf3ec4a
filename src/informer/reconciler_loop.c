/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_loop.c -- a reconciler without threads, in an event loop of the program.
 *
 * The descriptor is an epoll with that of the work queue.  The queue is taken out while as many
 * keys are pending as there may be: otherwise the loop would not sleep while keys are queued. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "informer/reconciler_internal.h"

enum {
    KEYS_PER_DISPATCH = 16, /* then other parts of the loop have their turn */
};

static int watch_queue(const lw_reconciler *reconciler, int operation)
{
    struct epoll_event event = { .events = EPOLLIN };
    return epoll_ctl(reconciler->loop_fd, operation, lw_workqueue_fd(reconciler->queue), &event);
}

static lw_status open_loop_locked(lw_reconciler *reconciler, lw_error *err)
{
    reconciler->loop_fd = epoll_create1(EPOLL_CLOEXEC);
    if (reconciler->loop_fd >= 0 && watch_queue(reconciler, EPOLL_CTL_ADD) == 0)
        return LW_OK;
    lw_status st = lw_error_set(err, LW_ERR_IO,
                                "cannot create the file descriptor of a reconciler"
                                ": %s",
                                strerror(errno));
    lw_reconciler__close_loop(reconciler);
    return st;
}

void lw_reconciler__close_loop(lw_reconciler *reconciler)
{
    if (reconciler->loop_fd >= 0)
        (void)close(reconciler->loop_fd);
    reconciler->loop_fd = -1;
}

lw_status lw_reconciler_start_in_loop(lw_reconciler *reconciler, lw_error *err)
{
    lw_mutex_lock(&reconciler->mu);
    lw_reconciler_state was = reconciler->state;
    lw_status st = was == RECONCILER_NEW ? open_loop_locked(reconciler, err) : LW_OK;
    if (was == RECONCILER_NEW && st == LW_OK)
        reconciler->state = RECONCILER_RUNNING;
    lw_mutex_unlock(&reconciler->mu);
    if (was == RECONCILER_RUNNING)
        return lw_error_set(err, LW_ERR_EXISTS, "the reconciler is already running");
    if (was == RECONCILER_STOPPED)
        return lw_error_set(err, LW_ERR_STOPPED, "the reconciler was stopped");
    return st;
}

void lw_reconciler__count_pending_locked(lw_reconciler *reconciler, bool is_more)
{
    reconciler->pending += is_more ? 1U : -1U;
    if (reconciler->loop_fd < 0)
        return;
    bool is_full = reconciler->pending >= reconciler->worker_count;
    if (is_full == reconciler->is_loop_full)
        return;
    reconciler->is_loop_full = is_full;
    (void)watch_queue(reconciler, is_full ? EPOLL_CTL_DEL : EPOLL_CTL_ADD);
}

int lw_reconciler_fd(const lw_reconciler *reconciler)
{
    return reconciler->loop_fd;
}

int lw_reconciler_timeout_ms(const lw_reconciler *reconciler)
{
    /* Reading changes only the lock. */
    lw_reconciler *r = (lw_reconciler *)(uintptr_t)reconciler;
    lw_mutex_lock(&r->mu);
    bool is_idle = r->is_loop_full || r->state != RECONCILER_RUNNING;
    lw_mutex_unlock(&r->mu);
    return is_idle ? -1 : lw_workqueue_timeout_ms(r->queue);
}

/* Takes the next key unless enough keys are pending; NULL: none. */
static const char *next_key(lw_reconciler *reconciler)
{
    lw_mutex_lock(&reconciler->mu);
    bool is_open =
        reconciler->state == RECONCILER_RUNNING && reconciler->pending < reconciler->worker_count;
    lw_mutex_unlock(&reconciler->mu);
    return is_open ? lw_workqueue_get(reconciler->queue, 0) : NULL;
}

void lw_reconciler_dispatch(lw_reconciler *reconciler)
{
    lw_cancel_scope scope;
    const char *key;
    lw_cancel_enter(&scope, &reconciler->stopping);
    for (int i = 0; i < KEYS_PER_DISPATCH && (key = next_key(reconciler)) != NULL; i++)
        lw_reconciler__reconcile(reconciler, key);
    lw_cancel_leave(&scope);
}
