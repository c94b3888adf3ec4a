/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c -- the thread that calls webhooks. */
#include "server/webhook/caller.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    BODY_SHOWN_MAX = 200, /* bytes of a reply's body in an error message */
};

#define FIRST_PAUSE_NS (500 * LW_NS_PER_MS)

struct lw_webhook_caller {
    lw_loop *loop;
    lw_thread thread;
    bool is_running;
    bool is_stopped;
    lw_dlist calls; /* of lw_webhook_call, from their start until they are done */
    lw_random random;
};

static void run_loop(void *arg)
{
    lw_webhook_caller *caller = arg;
    (void)lw_loop_run(caller->loop, NULL);
}

lw_status lw_webhook_caller_new(lw_webhook_caller **out, const lw_clock *clock, lw_error *err)
{
    lw_webhook_caller *caller = lw_alloc_zero(1, sizeof(*caller));
    if (!caller)
        return lw_error_nomem(err);
    lw_dlist_init(&caller->calls);
    lw_random_init_from_os(&caller->random);
    lw_status st = lw_loop_new(&caller->loop, clock, err);
    if (st < 0)
        lw_free(caller);
    else
        *out = caller;
    return st;
}

lw_status lw_webhook_caller_start(lw_webhook_caller *caller, lw_error *err)
{
    lw_status st = lw_thread_start(&caller->thread, "lw-webhook", run_loop, caller, err);
    caller->is_running = st == LW_OK;
    return st;
}

lw_loop *lw_webhook_caller_loop(const lw_webhook_caller *caller)
{
    return caller->loop;
}

static void finish(lw_webhook_call *call, const lw_webhook_reply *reply)
{
    lw_dlist_remove(&call->link);
    call->done(call, reply);
}

static void fail(lw_webhook_call *call, lw_status st, const char *why)
{
    lw_webhook_reply reply = { .status = 0 };
    (void)lw_error_set(&reply.error, st, "%s", why);
    finish(call, &reply);
}

/* Sends it once more, or for the first time. */
static void send_call(lw_webhook_call *call)
{
    lw_webhook_reply reply = { .status = 0, .error = LW_ERROR_INIT };
    call->tries++;
    call->began_ns = lw_loop_now(call->caller->loop);
    call->is_sent = true;
    lw_status st = call->transport->send(call->transport, call, &reply.error);
    if (st < 0) {
        reply.error.code = st;
        lw_webhook_call_replied(call, &reply);
    }
}

static void pause_over(lw_timer *timer)
{
    send_call(LW_CONTAINER_OF(timer, lw_webhook_call, pause));
}

static void run_start(lw_task *task)
{
    lw_webhook_call *call = LW_CONTAINER_OF(task, lw_webhook_call, start);
    lw_dlist_push_back(&call->caller->calls, &call->link);
    call->pause.fire = pause_over;
    if (call->caller->is_stopped)
        fail(call, LW_ERR_STOPPED, "the server is shutting down");
    else
        send_call(call);
}

void lw_webhook_call_start(lw_webhook_caller *caller, lw_webhook_call *call)
{
    call->caller = caller;
    call->start.run = run_start;
    lw_loop_post(caller->loop, &call->start);
}

static bool is_transient(const lw_webhook_reply *reply)
{
    return reply->status == 429 || reply->status == 500 || reply->status == 504;
}

/* 0.5 s, 0.75 s, ..., each longer by up to a fifth. */
static int64_t pause_after(lw_webhook_call *call)
{
    double ns = (double)FIRST_PAUSE_NS;
    for (unsigned i = 1; i < call->tries; i++)
        ns *= 1.5;
    return (int64_t)(ns * (1.0 + 0.2 * lw_random_unit(&call->caller->random)));
}

void lw_webhook_call_replied(lw_webhook_call *call, const lw_webhook_reply *reply)
{
    lw_loop *loop = call->caller->loop;
    call->is_sent = false;
    if (call->tried)
        call->tried(call, reply, lw_clock_now(lw_loop_clock(loop)) - call->began_ns);
    bool goes_on = is_transient(reply) && call->tries < LW_WEBHOOK_TRIES_MAX &&
                   (!call->is_wanted || call->is_wanted(call));
    if (!goes_on || lw_timer_set(loop, &call->pause, lw_loop_now(loop) + pause_after(call)) < 0)
        finish(call, reply);
}

void lw_webhook_caller_stop(lw_webhook_caller *caller)
{
    if (!caller || caller->is_stopped)
        return;
    if (caller->is_running) {
        lw_loop_stop(caller->loop);
        lw_thread_join(&caller->thread);
    }
    caller->is_stopped = true;
    /* What was posted before the thread ended. */
    (void)lw_loop_turn(caller->loop, 0, NULL);
    LW_DLIST_FOR_EACH_SAFE(lw_webhook_call, call, &caller->calls, link)
    {
        if (call->is_sent)
            call->transport->cancel(call->transport, call);
        lw_timer_cancel(caller->loop, &call->pause);
        fail(call, LW_ERR_STOPPED, "the server is shutting down");
    }
}

void lw_webhook_caller_free(lw_webhook_caller *caller)
{
    if (!caller)
        return;
    lw_loop_free(caller->loop);
    lw_free(caller);
}

lw_status lw_webhook_reply_error(const lw_webhook_reply *reply, lw_error *err)
{
    lw_str body = lw_str_trim(reply->body);
    int shown = (int)(body.len < BODY_SHOWN_MAX ? body.len : BODY_SHOWN_MAX);
    if (reply->status == 0) {
        *err = reply->error;
        return reply->error.code;
    }
    if (reply->status >= 500)
        return lw_error_set(err, LW_ERR_UNAVAILABLE,
                            "an error on the server (\"%.*s\") has prevented the request from "
                            "succeeding (HTTP status %d)",
                            shown, body.ptr ? body.ptr : "", reply->status);
    return lw_error_set(err, LW_ERR_INVALID,
                        "the webhook refused the request: HTTP status %d: %.*s", reply->status,
                        shown, body.ptr ? body.ptr : "");
}
