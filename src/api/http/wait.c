/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c -- a call waits for a revision, for a timer, or for its client to go; the first wins.
 *
 *     newest ──store asked──▶ revision ──cache has it──▶ over
 *
 * The store's answer cannot be called off: when the client goes meanwhile, the question stays
 * behind and goes when it is answered. */
#include "api/http/wait.h"

#include "api/context/consistent_read.h"
#include "api/http/failures.h"
#include "base/alloc.h"
#include "base/clock.h"

struct lw_wait_question {
    lw_consistent_read confirm; /* first */
    lw_call_wait *wait;         /* NULL: nobody waits any more */
};

static void end_wait(lw_call_wait *wait, lw_wait_outcome outcome)
{
    lw_api_call *call = wait->call;
    lw_cache_wait_cancel(call->port->cache, &wait->cache_wait);
    lw_timer_cancel(call->port->loop, &wait->timer);
    if (wait->question)
        wait->question->wait = NULL;
    wait->question = NULL;
    call->stream->on_closed = NULL;
    call->stream->arg = NULL;
    lw_account_resume(&call->account);
    wait->over(wait, outcome);
}

static void wait_reached(lw_cache_wait *cache_wait)
{
    end_wait(LW_DLIST_ITEM(&cache_wait->link, lw_call_wait, cache_wait.link), LW_WAIT_REACHED);
}

static void wait_expired(lw_timer *timer)
{
    end_wait(LW_HEAP_ITEM(&timer->node, lw_call_wait, timer.node), LW_WAIT_LATE);
}

static void wait_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    end_wait(arg, LW_WAIT_GONE);
}

static void wait_for_close(lw_call_wait *wait)
{
    wait->call->stream->on_closed = wait_closed;
    wait->call->stream->arg = wait;
    lw_account_pause(&wait->call->account);
}

static void init_wait(lw_call_wait *wait, uint64_t revision)
{
    wait->revision = revision;
    wait->cache_wait = (lw_cache_wait){ .revision = revision,
                                        .resource = wait->call->cache,
                                        .reached = wait_reached };
    wait->timer = (lw_timer){ .fire = wait_expired };
    wait->question = NULL;
}

void lw_call_wait_begin(lw_call_wait *wait, uint64_t revision)
{
    lw_api_call *call = wait->call;
    lw_api_port *port = call->port;
    init_wait(wait, revision);
    if (revision == 0 || lw_cache_wait_begin(port->cache, &wait->cache_wait)) {
        wait->over(wait, LW_WAIT_REACHED);
        return;
    }
    int64_t deadline = lw_clock_now(lw_loop_clock(port->loop)) + LW_CALL_WAIT_S * LW_NS_PER_S;
    if (lw_timer_set(port->loop, &wait->timer, deadline) < 0) {
        end_wait(wait, LW_WAIT_NOMEM);
        return;
    }
    wait_for_close(wait);
}

static void question_answered(lw_consistent_read *confirm)
{
    lw_wait_question *question = (lw_wait_question *)(void *)confirm;
    lw_call_wait *wait = question->wait;
    lw_store_confirmation answer = confirm->question;
    lw_free(question);
    if (!wait)
        return;
    wait->question = NULL;
    if (answer.st < 0) {
        wait->err = answer.err;
        if (answer.st == LW_ERR_TIMEOUT) /* nothing was done: it can simply be tried again */
            wait->err.code = LW_ERR_UNAVAILABLE;
        end_wait(wait, LW_WAIT_FAILED);
        return;
    }
    wait->call->stream->on_closed = NULL;
    wait->call->stream->arg = NULL;
    lw_account_resume(&wait->call->account);
    lw_call_wait_begin(wait, answer.revision);
}

void lw_call_wait_newest(lw_call_wait *wait)
{
    lw_api_port *port = wait->call->port;
    init_wait(wait, 0);
    if (!lw_consistent_read_is_needed(port, wait->call->cache)) {
        wait->over(wait, LW_WAIT_REACHED);
        return;
    }
    lw_wait_question *question = lw_alloc_zero(1, sizeof(*question));
    if (!question) {
        wait->over(wait, LW_WAIT_NOMEM);
        return;
    }
    question->wait = wait;
    question->confirm.port = port;
    question->confirm.resource = wait->call->cache;
    question->confirm.over = question_answered;
    wait->question = question;
    wait_for_close(wait);
    lw_consistent_read_begin(&question->confirm);
}

bool lw_call_wait_refuses(lw_call_wait *wait, lw_wait_outcome outcome)
{
    lw_api_call *call = wait->call;
    switch (outcome) {
    case LW_WAIT_REACHED: return false;
    case LW_WAIT_LATE: lw_call_reply_too_large_rv(call, wait->revision); break;
    case LW_WAIT_GONE: lw_call_free(call); break;
    case LW_WAIT_NOMEM: lw_call_reply_nomem(call); break;
    case LW_WAIT_FAILED: lw_call_reply_error(call, wait->err.code, &wait->err); break;
    }
    return true;
}

/* A wait whose call goes on by itself. */
typedef struct plain_wait {
    lw_call_wait wait; /* first */
    void (*go_on)(lw_api_call *call);
} plain_wait;

static void plain_over(lw_call_wait *wait, lw_wait_outcome outcome)
{
    plain_wait *plain = (plain_wait *)(void *)wait;
    if (!lw_call_wait_refuses(wait, outcome))
        plain->go_on(wait->call);
    lw_free(plain);
}

void lw_call_when_newest(lw_api_call *call, void (*go_on)(lw_api_call *call))
{
    if (!lw_consistent_read_is_needed(call->port, call->cache)) {
        go_on(call);
        return;
    }
    plain_wait *plain = lw_alloc_zero(1, sizeof(*plain));
    if (!plain) {
        lw_call_reply_nomem(call);
        return;
    }
    plain->go_on = go_on;
    plain->wait.call = call;
    plain->wait.over = plain_over;
    lw_call_wait_newest(&plain->wait);
}
