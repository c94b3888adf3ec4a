/* SPDX-License-Identifier: Apache-2.0 */
/* fault_effect.c -- what becomes of a request that a fault applies to.
 *
 *   matched ──no delay──▶ answered, cut or passed on
 *      └──delay──▶ held ──time, cleared──▶ the same
 *                    └────client gone────▶ forgotten
 *
 * Threads: a held request belongs to the loop of its stream; the lock guards only the list and
 * |is_posted|, so that another thread can release it. */
#include "base/alloc.h"
#include "base/str.h"
#include "net/loop.h"
#include "object/api_errors.h"
#include "server/faults/faults.h"

typedef struct held {
    lw_dlist_node link; /* in faults->held */
    lw_faults *faults;
    lw_api *api;
    lw_http_stream *stream;
    lw_faults_pass_fn pass;
    void *arg;
    lw_fault_effect effect;
    lw_timer timer;
    lw_task task;
    bool is_posted; /* faults->mu */
    bool is_gone;   /* the client has disconnected; the task frees it */
} held;

void lw_faults_status(lw_api_status *out, const lw_fault_effect *effect,
                      const lw_request_info *info)
{
    const lw_str why = LW_STR("a fault of the test");
    const lw_gvr gvr = { info->group, info->version, info->resource };
    bool is_create = lw_str_equal(info->verb, LW_STR("create"));
    switch (effect->status) {
    case 404: lw_api_status_not_found(out, gvr, info->name); break;
    case 409:
        if (is_create)
            lw_api_status_already_exists(out, gvr, info->name);
        else
            lw_api_status_modified(out, gvr, info->name);
        break;
    case 410:
        lw_api_status_expired(out, LW_STR("too old resource version: a fault of the test"));
        break;
    case 429: lw_api_status_too_many(out, why, 1); break;
    case 500: lw_api_status_internal(out, why); break;
    case 503: lw_api_status_unavailable(out, why); break;
    case 504: lw_api_status_timeout(out, why, 0); break;
    default: lw_api_status_generic(out, effect->status, why); break;
    }
    if (effect->retry_after_s > 0)
        out->retry_after_s = effect->retry_after_s;
}

/* Does what the fault says.  False: the request is to be served. */
static bool apply(lw_api *api, lw_http_stream *stream, const lw_fault_effect *effect)
{
    lw_request_info info;
    lw_api_status status;
    if (effect->is_cut) {
        lw_http_abort(stream);
        return true;
    }
    if (effect->status == 0)
        return false;
    lw_request_info_read(&info, &stream->request);
    lw_faults_status(&status, effect, &info);
    lw_api_refuse_with(api, stream, &status);
    return true;
}

static void held_free(held *h)
{
    lw_http_stream_unref(h->stream);
    lw_free(h);
}

/* The delay is over. */
static void go_on(held *h)
{
    h->stream->on_closed = NULL;
    h->stream->arg = NULL;
    if (!apply(h->api, h->stream, &h->effect))
        h->pass(h->stream, h->arg);
    held_free(h);
}

/* Takes |h| off the list.  False: another thread has posted its task, which goes on with it. */
static bool leave(held *h)
{
    lw_mutex_lock(&h->faults->mu);
    bool is_posted = h->is_posted;
    if (!is_posted)
        lw_dlist_remove(&h->link);
    lw_mutex_unlock(&h->faults->mu);
    return !is_posted;
}

static void on_timer(lw_timer *timer)
{
    held *h = LW_HEAP_ITEM(&timer->node, held, timer.node);
    if (leave(h))
        go_on(h);
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    held *h = arg;
    stream->on_closed = NULL;
    lw_timer_cancel(stream->loop, &h->timer);
    if (leave(h))
        held_free(h);
    else
        h->is_gone = true;
}

/* Posted by a thread that has cleared the faults. */
static void on_released(lw_task *task)
{
    held *h = LW_DLIST_ITEM(&task->link, held, task.link);
    lw_timer_cancel(h->stream->loop, &h->timer);
    if (h->is_gone)
        held_free(h);
    else
        go_on(h);
}

/* Holds the request.  False: memory ran out. */
static bool hold(lw_faults *faults, lw_api *api, lw_http_stream *stream,
                 const lw_fault_effect *effect, lw_faults_pass_fn pass, void *arg)
{
    held *h = lw_alloc_zero(1, sizeof(*h));
    if (!h)
        return false;
    *h = (held){ .faults = faults, .api = api, .pass = pass, .arg = arg, .effect = *effect };
    h->timer.fire = on_timer;
    h->task.run = on_released;
    if (effect->delay_ms > 0 &&
        lw_timer_set(stream->loop, &h->timer,
                     lw_loop_now(stream->loop) + effect->delay_ms * LW_NS_PER_MS) < 0) {
        lw_free(h);
        return false;
    }
    h->stream = lw_http_stream_ref(stream);
    stream->on_closed = on_closed;
    stream->arg = h;
    lw_mutex_lock(&faults->mu);
    lw_dlist_push_back(&faults->held, &h->link);
    lw_mutex_unlock(&faults->mu);
    return true;
}

bool lw_faults_take(lw_faults *faults, lw_api *api, lw_http_stream *stream, lw_faults_pass_fn pass,
                    void *arg)
{
    lw_request_info info;
    lw_fault_effect effect;
    if (atomic_load_explicit(&faults->rule_count, memory_order_relaxed) == 0)
        return false;
    lw_request_info_read(&info, &stream->request);
    if (!lw_faults_match(faults, &stream->request, &info, &effect))
        return false;
    if (effect.delay_ms != 0 && hold(faults, api, stream, &effect, pass, arg))
        return true;
    return apply(api, stream, &effect);
}

void lw_faults_clear(lw_faults *faults)
{
    lw_faults_forget_rules(faults);
    lw_mutex_lock(&faults->mu);
    LW_DLIST_FOR_EACH_SAFE(held, h, &faults->held, link)
    {
        lw_dlist_remove(&h->link);
        h->is_posted = true;
        lw_loop_post(h->stream->loop, &h->task);
    }
    lw_mutex_unlock(&faults->mu);
}
