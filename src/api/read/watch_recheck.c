/* SPDX-License-Identifier: Apache-2.0 */
/* watch_recheck.c -- asks the authorizers again about open watches. */
#include "api/read/watch_recheck.h"

#include <stdatomic.h>

#include "api/authz/forbidden.h"
#include "api/context/asker.h"
#include "api/read/watch_stream.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

enum {
    TURN = 256, /* watches that are checked before others get their turn */
};

#define PAUSE_NS (100 * LW_NS_PER_MS) /* after a pass, so that many changes cost few passes */

typedef struct lw_watch_recheck {
    lw_port_worker worker; /* first */
    lw_dlist_node link;    /* rechecks->mu: in rechecks->all */
    lw_watch_rechecks *rechecks;
    lw_api_port *port;
    atomic_bool is_posted; /* the task will run */
    lw_task task;
    lw_timer pause;  /* set: a pass was not long ago */
    bool is_due;     /* another pass is to follow */
    size_t left;     /* watches of the port that this pass has not checked; 0: no pass */
    bool is_stopped; /* checks nothing any more */
} lw_watch_recheck;

void lw_watch_rechecks_init(lw_watch_rechecks *rechecks)
{
    lw_mutex_init(&rechecks->mu);
    lw_dlist_init(&rechecks->all);
}

void lw_watch_rechecks_done(lw_watch_rechecks *rechecks)
{
    lw_mutex_done(&rechecks->mu);
}

void lw_watch_recheck_all(lw_watch_rechecks *rechecks)
{
    lw_mutex_lock(&rechecks->mu);
    LW_DLIST_FOR_EACH(lw_watch_recheck, recheck, &rechecks->all, link)
    {
        if (!atomic_exchange(&recheck->is_posted, true))
            lw_loop_post(recheck->port->loop, &recheck->task);
    }
    lw_mutex_unlock(&rechecks->mu);
}

static void check_again(lw_http_stream *stream, void *arg);

/* Ends |watch| if its user may no longer have it; or later, if a webhook must be asked. */
static void check_with_answers(lw_watch_stream *watch)
{
    lw_http_stream *stream = lw_watch_stream_http(watch);
    const lw_api_port *port = lw_loop_data(stream->loop);
    lw_authz_attributes attributes;
    lw_api_status status;
    lw_buf scratch;
    lw_buf_init(&scratch, 3 * LW_HTTP_HEAD_MAX);
    if (lw_authz_read_request(&attributes, &stream->request, stream->caller, &scratch) < 0) {
        lw_watch_stream_end(watch); /* the client comes again and is checked then */
        lw_buf_done(&scratch);
        return;
    }
    attributes.stream = stream;
    lw_authz_decision decision = lw_authz_decide(port->api->authz, &attributes, NULL);
    if (decision == LW_AUTHZ_PENDING) {
        lw_asker_wait(stream, check_again, watch);
    } else if (decision != LW_AUTHZ_ALLOW) {
        lw_authz_forbid(&status, &attributes, LW_STR(""));
        lw_watch_stream_end_with(watch, &status);
    }
    lw_buf_done(&scratch);
}

/* The watch has not ended: then its stream would have been told to forget (watch_stream.c). */
static void check_again(lw_http_stream *stream, void *arg)
{
    (void)stream;
    check_with_answers(arg);
}

/* Checks |watch| with the answers of now. */
static void check(lw_watch_stream *watch)
{
    lw_http_stream *stream = lw_watch_stream_http(watch);
    if (!stream->caller)
        return;
    lw_asker_forget(stream);
    check_with_answers(watch);
}

/* Checks some watches.  Each moves to the end of the list, so that a pass sees every one. */
static void check_some(lw_watch_recheck *recheck)
{
    lw_dlist *watches = &recheck->port->watches;
    for (size_t i = 0; i < TURN && recheck->left > 0; i++, recheck->left--) {
        lw_dlist_node *node = lw_dlist_pop_front(watches);
        if (!node) {
            recheck->left = 0;
            return;
        }
        lw_dlist_push_back(watches, node);
        check(lw_watch_stream_of(node));
    }
}

static void post_turn(lw_watch_recheck *recheck)
{
    if (!atomic_exchange(&recheck->is_posted, true))
        lw_loop_post(recheck->port->loop, &recheck->task);
}

static void pause_over(lw_timer *timer)
{
    lw_watch_recheck *recheck = LW_HEAP_ITEM(&timer->node, lw_watch_recheck, pause.node);
    if (recheck->is_due)
        post_turn(recheck);
}

/* Begins a pass; during the pause, later. */
static void begin(lw_watch_recheck *recheck)
{
    recheck->is_due = lw_heap_node_is_in(&recheck->pause.node);
    if (recheck->is_due)
        return;
    for (lw_dlist_node *node = lw_dlist_first(&recheck->port->watches); node;
         node = lw_dlist_next(&recheck->port->watches, node))
        recheck->left++;
    /* Without memory for the timer there is no pause. */
    (void)lw_timer_set(recheck->port->loop, &recheck->pause,
                       lw_loop_now(recheck->port->loop) + PAUSE_NS);
}

/* Posted by a change of permissions, by a pass that goes on, or when a pause is over. */
static void take_turn(lw_task *task)
{
    lw_watch_recheck *recheck = LW_DLIST_ITEM(&task->link, lw_watch_recheck, task.link);
    atomic_store(&recheck->is_posted, false);
    if (recheck->is_stopped)
        return;
    if (recheck->left > 0)
        recheck->is_due = true; /* some were checked before the change: once more for all */
    else
        begin(recheck);
    check_some(recheck);
    if (recheck->left > 0)
        post_turn(recheck);
}

static void recheck_stop(lw_port_worker *worker)
{
    lw_watch_recheck *recheck = (lw_watch_recheck *)(void *)worker;
    if (recheck->is_stopped)
        return;
    recheck->is_stopped = true;
    lw_mutex_lock(&recheck->rechecks->mu);
    lw_dlist_remove(&recheck->link);
    lw_mutex_unlock(&recheck->rechecks->mu);
    lw_timer_cancel(recheck->port->loop, &recheck->pause);
}

static void recheck_free(lw_port_worker *worker)
{
    lw_watch_recheck *recheck = (lw_watch_recheck *)(void *)worker;
    recheck_stop(worker);
    /* Nobody posts it any more; what was posted before must have run. */
    while (atomic_load(&recheck->is_posted) &&
           lw_loop_turn(recheck->port->loop, 0, NULL) == LW_OK) {
    }
    lw_free(recheck);
}

lw_status lw_watch_recheck_add(lw_watch_rechecks *rechecks, lw_api_port *port)
{
    lw_watch_recheck *recheck = lw_alloc_zero(1, sizeof(*recheck));
    if (!recheck)
        return LW_ERR_NOMEM;
    recheck->worker.stop = recheck_stop;
    recheck->worker.free = recheck_free;
    recheck->rechecks = rechecks;
    recheck->port = port;
    recheck->task.run = take_turn;
    recheck->pause.fire = pause_over;
    lw_port_add_worker(port, &recheck->worker);
    lw_mutex_lock(&rechecks->mu);
    lw_dlist_push_back(&rechecks->all, &recheck->link);
    lw_mutex_unlock(&rechecks->mu);
    return LW_OK;
}
