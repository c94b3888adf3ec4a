/* SPDX-License-Identifier: Apache-2.0 */
/* runner.c -- the loop: poll, dispatch. */
#include "operator/runner.h"

#include <poll.h>

void lw_runner_init(lw_runner *runner, const lw_runner_type *type, void *self)
{
    *runner = (lw_runner){ .type = type, .self = self };
    lw_mutex_init(&runner->mu);
}

void lw_runner_done(lw_runner *runner)
{
    lw_mutex_done(&runner->mu);
}

static void run(void *arg)
{
    const lw_runner *runner = arg;
    const lw_runner_type *type = runner->type;
    while (!type->is_closed(runner->self)) {
        struct pollfd fd = { .fd = type->fd(runner->self), .events = POLLIN };
        /* The result does not matter: dispatch checks what there is to do. */
        (void)poll(&fd, 1, type->timeout_ms(runner->self));
        type->dispatch(runner->self);
    }
}

lw_status lw_runner_start(lw_runner *runner, lw_error *err)
{
    lw_status st;
    lw_mutex_lock(&runner->mu);
    if (runner->has_thread)
        st = lw_error_set(err, LW_ERR_EXISTS, "the %s is already running", runner->type->name);
    else if (runner->type->is_closed(runner->self))
        st = lw_error_set(err, LW_ERR_STOPPED, "the %s is closed", runner->type->name);
    else
        st = lw_thread_start(&runner->thread, runner->type->name, run, runner, err);
    runner->has_thread = runner->has_thread || st == LW_OK;
    lw_mutex_unlock(&runner->mu);
    return st;
}

void lw_runner_finish(lw_runner *runner)
{
    lw_mutex_lock(&runner->mu);
    bool has_thread = runner->has_thread;
    bool must_join = has_thread && !runner->is_joined;
    runner->is_joined = runner->is_joined || must_join;
    lw_mutex_unlock(&runner->mu);
    if (must_join)
        lw_thread_join(&runner->thread);
    else if (!has_thread)
        run(runner);
}
