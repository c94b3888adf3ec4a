/* SPDX-License-Identifier: Apache-2.0 */
/* asker.c -- requests that wait for answers of other servers.
 *
 * Ownership: each |asked| of a request that waits holds a reference to the stream until its task
 * has run or it is cancelled; it is freed with the asker or, if it was forgotten while its task was
 * posted, by the task. */
#include "api/context/asker.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"

typedef struct asker asker;

/* One question of one request. */
typedef struct asked {
    lw_dlist_node link;     /* in asker->all; not linked: forgotten */
    lw_dlist_node in_queue; /* question->mu: in question->waiting */
    lw_question *question;
    asker *owner;
    bool is_waiting; /* the task will run, unless it is cancelled */
    lw_task task;    /* posted when the question is answered */
} asked;

struct asker {
    lw_http_companion base; /* first */
    lw_http_stream *stream;
    lw_dlist all;       /* of asked */
    size_t unanswered;  /* of |all| */
    int64_t give_up_ns; /* 0: nothing was asked yet */
    lw_timer timer;
    void (*resume)(lw_http_stream *stream, void *arg); /* NULL: nothing waits */
    void *arg;
};

uint64_t lw_question_owner(void)
{
    static atomic_uint_least64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

void lw_question_init(lw_question *question, uint64_t owner, lw_str key,
                      void (*free_question)(lw_question *question))
{
    lw_ref_init(&question->refs);
    question->owner = owner;
    question->key = key;
    question->free = free_question;
    lw_mutex_init(&question->mu);
    question->is_answered = false;
    lw_dlist_init(&question->waiting);
}

lw_question *lw_question_ref(lw_question *question)
{
    lw_ref_inc(&question->refs);
    return question;
}

void lw_question_unref(lw_question *question)
{
    if (!question || !lw_ref_dec(&question->refs))
        return;
    lw_mutex_done(&question->mu);
    question->free(question);
}

void lw_question_answered(lw_question *question)
{
    lw_dlist_node *node;
    lw_mutex_lock(&question->mu);
    question->is_answered = true;
    while ((node = lw_dlist_pop_front(&question->waiting)) != NULL) {
        asked *one = LW_DLIST_ITEM(node, asked, in_queue);
        lw_loop_post(one->owner->stream->loop, &one->task);
    }
    lw_mutex_unlock(&question->mu);
}

bool lw_question_is_answered(lw_question *question)
{
    lw_mutex_lock(&question->mu);
    bool is_answered = question->is_answered;
    lw_mutex_unlock(&question->mu);
    return is_answered;
}

bool lw_question_is_awaited(lw_question *question)
{
    lw_mutex_lock(&question->mu);
    bool is_awaited = !lw_dlist_is_empty(&question->waiting);
    lw_mutex_unlock(&question->mu);
    return is_awaited;
}

static asker *asker_of(const lw_http_stream *stream)
{
    return (asker *)(void *)stream->companion;
}

static void asked_free(asked *one)
{
    lw_question_unref(one->question);
    lw_free(one);
}

/* Ends the wait of |one|.  False: its task is posted and will run. */
static bool leave_queue(asked *one)
{
    lw_mutex_lock(&one->question->mu);
    bool is_queued = lw_dlist_node_is_linked(&one->in_queue);
    if (is_queued)
        lw_dlist_remove(&one->in_queue);
    lw_mutex_unlock(&one->question->mu);
    return is_queued;
}

/* Ends all waits; the answers that are there stay.  The caller holds a reference to the stream. */
static void stop_waiting(asker *a)
{
    LW_DLIST_FOR_EACH_SAFE(asked, one, &a->all, link)
    {
        if (!one->is_waiting)
            continue;
        one->is_waiting = false;
        if (leave_queue(one)) {
            lw_http_stream_unref(a->stream);
        } else {
            lw_dlist_remove(&one->link); /* the task frees it */
        }
    }
    a->unanswered = 0;
    lw_timer_cancel(a->stream->loop, &a->timer);
}

static void go_on(asker *a)
{
    void (*resume)(lw_http_stream * stream, void *arg) = a->resume;
    lw_timer_cancel(a->stream->loop, &a->timer);
    a->resume = NULL;
    if (resume && !a->stream->is_closed)
        resume(a->stream, a->arg);
}

static void run_answered(lw_task *task)
{
    asked *one = LW_CONTAINER_OF(task, asked, task);
    asker *a = one->owner;
    lw_http_stream *stream = a->stream;
    if (!one->is_waiting) {
        asked_free(one);
    } else {
        one->is_waiting = false;
        if (--a->unanswered == 0)
            go_on(a);
    }
    lw_http_stream_unref(stream);
}

static void run_out_of_time(lw_timer *timer)
{
    asker *a = LW_CONTAINER_OF(timer, asker, timer);
    lw_http_stream *stream = lw_http_stream_ref(a->stream);
    stop_waiting(a);
    go_on(a);
    lw_http_stream_unref(stream);
}

static void stream_closed(lw_http_companion *companion)
{
    asker *a = (asker *)(void *)companion;
    lw_http_stream *stream = lw_http_stream_ref(a->stream);
    a->resume = NULL;
    stop_waiting(a);
    lw_http_stream_unref(stream);
}

/* Nothing waits: what waits holds the stream. */
static void stream_freed(lw_http_companion *companion)
{
    asker *a = (asker *)(void *)companion;
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&a->all)) != NULL)
        asked_free(LW_DLIST_ITEM(node, asked, link));
    lw_free(a);
}

static asker *asker_for(lw_http_stream *stream)
{
    if (stream->companion)
        return asker_of(stream);
    asker *a = lw_alloc_zero(1, sizeof(*a));
    if (!a)
        return NULL;
    a->base.closed = stream_closed;
    a->base.freed = stream_freed;
    a->stream = stream;
    a->timer.fire = run_out_of_time;
    lw_dlist_init(&a->all);
    stream->companion = &a->base;
    return a;
}

lw_status lw_asker_ask(lw_http_stream *stream, lw_question *question)
{
    asker *a = asker_for(stream);
    asked *one = a ? lw_alloc_zero(1, sizeof(*one)) : NULL;
    if (!one)
        return LW_ERR_NOMEM;
    one->question = lw_question_ref(question);
    one->owner = a;
    one->task.run = run_answered;
    lw_dlist_push_back(&a->all, &one->link);
    if (stream->is_closed)
        return LW_OK;
    lw_mutex_lock(&question->mu);
    one->is_waiting = !question->is_answered;
    if (one->is_waiting) {
        (void)lw_http_stream_ref(stream);
        a->unanswered++;
        lw_dlist_push_back(&question->waiting, &one->in_queue);
    }
    lw_mutex_unlock(&question->mu);
    return LW_OK;
}

lw_question *lw_asker_find(const lw_http_stream *stream, uint64_t owner, lw_str key)
{
    const asker *a = asker_of(stream);
    if (!a)
        return NULL;
    LW_DLIST_FOR_EACH(asked, one, &a->all, link)
    {
        if (one->question->owner == owner && lw_str_equal(one->question->key, key))
            return one->question;
    }
    return NULL;
}

bool lw_asker_is_waiting(const lw_http_stream *stream)
{
    return stream->companion && asker_of(stream)->unanswered > 0;
}

void lw_asker_wait(lw_http_stream *stream, void (*resume)(lw_http_stream *stream, void *arg),
                   void *arg)
{
    asker *a = asker_of(stream);
    if (stream->is_closed)
        return;
    if (!a || a->unanswered == 0) {
        resume(stream, arg);
        return;
    }
    a->resume = resume;
    a->arg = arg;
    if (a->give_up_ns == 0)
        a->give_up_ns = lw_loop_now(stream->loop) + LW_ASKER_WAIT_S * LW_NS_PER_S;
    /* Without memory for the timer, the time limits of the calls still hold. */
    (void)lw_timer_set(stream->loop, &a->timer, a->give_up_ns);
}

void lw_asker_forget(lw_http_stream *stream)
{
    asker *a = asker_of(stream);
    lw_dlist_node *node;
    if (!a)
        return;
    (void)lw_http_stream_ref(stream);
    a->resume = NULL;
    stop_waiting(a);
    a->give_up_ns = 0;
    while ((node = lw_dlist_pop_front(&a->all)) != NULL)
        asked_free(LW_DLIST_ITEM(node, asked, link));
    lw_http_stream_unref(stream);
}
