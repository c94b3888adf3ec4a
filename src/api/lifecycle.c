/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle.c -- follows all kinds and tells those who care.
 *
 *     resting ──begin──▶ following ──overtaken, no memory──▶ resting (a second) */
#include "api/lifecycle.h"

#include "api/core.h"
#include "api/event_expiry.h"
#include "api/gc.h"
#include "api/namespaces.h"
#include "api/terminating.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

enum {
    BATCH = 256, /* changes taken in one turn of the loop */
};

#define REST_NS LW_NS_PER_S

/* One kind that is followed. */
typedef struct followed {
    const lw_kind *kind;
    lw_watcher *watcher; /* NULL while resting */
} followed;

struct lw_lifecycle {
    lw_api_port *port;
    const lw_kind *namespaces;
    lw_cache_filter all;
    lw_gc *gc;
    lw_terminating *terminating;
    lw_event_expiry *expiry; /* NULL: the store does it */
    followed *followed;
    size_t count;
    lw_task turn; /* posted while is_posted; counts as under way on the port */
    bool is_posted;
    bool is_following;
    bool is_stopped;
    lw_timer rest;
};

static void begin(lw_lifecycle *lc);

/* Has take_turn run in a turn of its own. */
static void post_turn(void *arg)
{
    lw_lifecycle *lc = arg;
    if (lc->is_posted || lc->is_stopped)
        return;
    lc->is_posted = true;
    lc->port->under_way++;
    lw_loop_post(lc->port->loop, &lc->turn);
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    post_turn(arg);
}

static void close_watchers(lw_lifecycle *lc)
{
    for (size_t i = 0; i < lc->count; i++) {
        lw_watcher_close(lc->followed[i].watcher);
        lc->followed[i].watcher = NULL;
    }
    lc->is_following = false;
}

static void rest_over(lw_timer *timer)
{
    begin(LW_HEAP_ITEM(&timer->node, lw_lifecycle, rest.node));
}

static void rest(lw_lifecycle *lc)
{
    close_watchers(lc);
    lw_gc_forget(lc->gc);
    lw_terminating_forget(lc->terminating);
    lw_event_expiry_forget(lc->expiry);
    lc->rest.fire = rest_over;
    if (!lc->is_stopped &&
        lw_timer_set(lc->port->loop, &lc->rest, lw_loop_now(lc->port->loop) + REST_NS) < 0)
        lw_log(lc->port->api->logger, LW_LOG_ERROR, "lifecycle",
               "no memory even for a timer: nothing is collected until the server starts again");
}

static lw_status tell(lw_lifecycle *lc, const lw_kind *kind, const lw_cache_event *event)
{
    lw_status st = lw_gc_observe(lc->gc, kind, event);
    if (st == LW_OK && kind == lc->namespaces)
        st = lw_terminating_observe(lc->terminating, event);
    else if (st == LW_OK && kind->is_namespaced && event->type == LW_WATCH_DELETED)
        lw_terminating_removed(lc->terminating, lw_str_of(lw_object_namespace(event->object)));
    if (st == LW_OK)
        st = lw_event_expiry_observe(lc->expiry, kind, event);
    return st;
}

/* Takes what one watcher has, |*budget| changes at most.  False: it is over. */
static bool pull(lw_lifecycle *lc, const followed *f, size_t *budget)
{
    lw_cache_event event = { .object = NULL };
    while (*budget > 0) {
        lw_status st = LW_OK;
        switch (lw_watcher_next(f->watcher, &event)) {
        case LW_WATCH_IDLE: return true;
        case LW_WATCH_SYNCED: continue;
        case LW_WATCH_EVENT:
            st = tell(lc, f->kind, &event);
            lw_object_unref(event.object);
            break;
        case LW_WATCH_EXPIRED:
        case LW_WATCH_FAILED: return false;
        }
        if (st < 0)
            return false;
        --*budget;
    }
    return true;
}

/* Takes what there is.  False: it has stopped following. */
static bool pull_all(lw_lifecycle *lc, size_t *budget)
{
    for (size_t i = 0; i < lc->count && lc->is_following; i++) {
        if (!pull(lc, &lc->followed[i], budget))
            rest(lc);
    }
    return lc->is_following;
}

/* For a decision: as new as the cache is now, whatever that takes. */
static bool catch_up(void *arg)
{
    size_t budget = SIZE_MAX;
    return pull_all(arg, &budget);
}

static void take_turn(lw_task *task)
{
    lw_lifecycle *lc = LW_LIST_ITEM(&task->link, lw_lifecycle, turn.link);
    size_t budget = BATCH;
    lc->is_posted = false;
    lc->port->under_way--;
    if (lc->is_stopped || !pull_all(lc, &budget))
        return;
    if (budget == 0)
        post_turn(lc);
    lw_gc_pump(lc->gc);
    lw_terminating_pump(lc->terminating);
}

static void begin(lw_lifecycle *lc)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < lc->count && st == LW_OK; i++) {
        const lw_watcher_options options = {
            .port = lc->port->cache,
            .resource = lc->port->api->served[i].resource,
            .filter = &lc->all,
            .start = LW_WATCH_STATE,
            .on_ready = on_ready,
            .arg = lc,
            .is_uncounted = true,
        };
        st = lw_watcher_open(&lc->followed[i].watcher, &options, NULL);
    }
    lc->is_following = st == LW_OK;
    if (lc->is_following)
        post_turn(lc);
    else
        rest(lc);
}

static lw_status make_parts(lw_lifecycle *lc)
{
    const lw_gc_options gc = {
        .port = lc->port, .catch_up = catch_up, .again = post_turn, .arg = lc
    };
    const lw_api *api = lc->port->api;
    lw_status st = lw_gc_new(&lc->gc, &gc);
    if (st == LW_OK)
        st = lw_terminating_new(&lc->terminating, lc->port);
    /* A shared store lets them go by itself: see lw_store_txn.ttl_s. */
    if (st == LW_OK && !lw_store_is_shared(api->store) && api->event_ttl_s > 0)
        st = lw_event_expiry_new(&lc->expiry, lc->port, api->event_ttl_s);
    return st;
}

lw_status lw_lifecycle_start(lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_lifecycle *lc = lw_alloc_zero(1, sizeof(*lc));
    if (!lc)
        return lw_error_nomem(err);
    lc->port = lw_loop_data(loop);
    lc->turn.run = take_turn;
    lc->namespaces = lw_namespace_kind(api);
    lc->followed = lw_alloc_zero(api->served_count, sizeof(lc->followed[0]));
    lw_status st = lc->followed ? make_parts(lc) : LW_ERR_NOMEM;
    if (st < 0) {
        lw_lifecycle_free(lc);
        return lw_error_nomem(err);
    }
    lc->count = api->served_count;
    for (size_t i = 0; i < lc->count; i++)
        lc->followed[i] = (followed){ .kind = api->served[i].kind };
    lc->port->lifecycle = lc;
    begin(lc);
    return LW_OK;
}

void lw_lifecycle_stop(lw_lifecycle *lc)
{
    if (!lc || lc->is_stopped)
        return;
    lc->is_stopped = true;
    lw_timer_cancel(lc->port->loop, &lc->rest);
    close_watchers(lc);
    lw_gc_stop(lc->gc);
    lw_terminating_stop(lc->terminating);
    lw_event_expiry_stop(lc->expiry);
}

void lw_lifecycle_free(lw_lifecycle *lc)
{
    if (!lc)
        return;
    lw_gc_free(lc->gc);
    lw_terminating_free(lc->terminating);
    lw_event_expiry_free(lc->expiry);
    lw_free(lc->followed);
    lw_free(lc);
}
