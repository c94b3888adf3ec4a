/* SPDX-License-Identifier: Apache-2.0 */
/* libuv.c -- the Website controller in a loop of libuv, without threads.
 *
 *     website-libuv     works at the API server that kubectl would use, until Ctrl-C */
#include "website.h"

#include <stdio.h>
#include <uv.h>

/* The manager in the loop. */
typedef struct frame {
    lw_manager *manager;
    uv_poll_t poll;
    uv_timer_t timer;
    lw_status st;
    lw_error err;
} frame;

static void on_timer(uv_timer_t *timer);

/* Dispatches, and sets the timer to the next deadline; at the end, nothing keeps the loop alive. */
static void turn(frame *f)
{
    f->st = lw_manager_dispatch(f->manager, &f->err);
    int timeout_ms = lw_manager_timeout_ms(f->manager);
    if (f->st < 0) {
        uv_poll_stop(&f->poll);
        uv_timer_stop(&f->timer);
    } else if (timeout_ms >= 0) {
        uv_timer_start(&f->timer, on_timer, (uint64_t)timeout_ms, 0);
    } else {
        uv_timer_stop(&f->timer);
    }
}

static void on_timer(uv_timer_t *timer)
{
    turn(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    turn(poll->data);
}

static void print_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)arg;
    fprintf(stderr, "%s %s: %s\n", lw_log_level_name(level), component, line);
}

int main(void)
{
    const lw_logger logger = { .level = LW_LOG_INFO, .fn = print_line };
    const lw_election_options election = LW_ELECTION_OPTIONS_INIT;
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = WEBSITE_MANAGER,
                                         .election = &election,
                                         .handles_signals = true,
                                         .logger = &logger };
    frame f = { .err = LW_ERROR_INIT };
    website w;
    f.st = lw_manager_new(&f.manager, &options, &f.err);
    if (f.st == LW_OK)
        f.st = website_add(&w, website_reconcile_async, f.manager, &f.err);
    if (f.st == LW_OK)
        f.st = lw_manager_start_in_loop(f.manager, &f.err);
    if (f.st == LW_OK) {
        uv_loop_t *loop = uv_default_loop();
        f.poll.data = f.timer.data = &f;
        uv_timer_init(loop, &f.timer);
        uv_poll_init(loop, &f.poll, lw_manager_fd(f.manager));
        uv_poll_start(&f.poll, UV_READABLE, on_poll);
        turn(&f);
        uv_run(loop, UV_RUN_DEFAULT);
        uv_close((uv_handle_t *)&f.poll, NULL);
        uv_close((uv_handle_t *)&f.timer, NULL);
        uv_run(loop, UV_RUN_DEFAULT);
        uv_loop_close(loop);
    }
    bool is_stopped = f.st == LW_ERR_STOPPED; /* by a signal */
    if (!is_stopped)
        fprintf(stderr, "website-libuv: %s\n", f.err.message);
    lw_manager_free(f.manager);
    return !is_stopped;
}
