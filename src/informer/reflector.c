/* SPDX-License-Identifier: Apache-2.0 */
/* reflector.c -- life cycle and timers of a reflector.
 *
 *                begin_sync
 *   WAITING ──────┬──────────▶ STREAMING ──bookmark──┐
 *     ▲ ▲ ▲       │ begin_list    │ failed           ▼
 *     │ │ │       └──────────▶ LISTING ──end──▶ WATCHING
 *     │ │ └── next page, failed ──┘                │
 *     │ └── ended, failed, 410 ... ────────────────┤
 *     └── recover ── BLOCKED ◀── queue is full ────┘
 *
 * Every action goes through WAITING: a callback sets the step and the time, and the next tick
 * executes it. */
#include "informer/reflector.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "base/sync.h"
#include "informer/reflector_internal.h"
#include "object/object.h"

/* Initialises a backoff that begins earlier than |others| and stays shorter. */
static void init_brief(lw_reflector *r, lw_backoff *backoff, int max_s,
                       const lw_backoff_options *others)
{
    lw_backoff_options brief = *others;
    brief.base_ns = LW_REFLECTOR_RECONNECT_MS * LW_NS_PER_MS;
    if (brief.cap_ns > max_s * LW_NS_PER_S)
        brief.cap_ns = max_s * LW_NS_PER_S;
    if (brief.base_ns > brief.cap_ns)
        brief.base_ns = brief.cap_ns;
    lw_status st = lw_backoff_init(backoff, &brief, lw_random_next(&r->random));
    assert(st == LW_OK);
    (void)st;
}

/* Delays are reset only by the behaviour of the server, not by time. */
static void init_backoffs(lw_reflector *r)
{
    lw_backoff_options backoff = LW_BACKOFF_OPTIONS_INIT;
    backoff.reset_after_ns = 0;
    if (r->options.backoff_min_ms > 0)
        backoff.base_ns = r->options.backoff_min_ms * LW_NS_PER_MS;
    if (r->options.backoff_max_ms > 0)
        backoff.cap_ns = r->options.backoff_max_ms * LW_NS_PER_MS;
    if (backoff.cap_ns < backoff.base_ns)
        backoff.cap_ns = backoff.base_ns;
    lw_status st = lw_backoff_init(&r->backoff, &backoff, lw_random_next(&r->random));
    assert(st == LW_OK);
    init_brief(r, &r->reconnect, LW_REFLECTOR_RECONNECT_MAX_S, &backoff);
    init_brief(r, &r->resume, LW_REFLECTOR_RESUME_MAX_S, &backoff);
    (void)st;
}

lw_status lw_reflector_new(lw_reflector **out, const lw_reflector_options *options, lw_error *err)
{
    uint64_t seed = options->seed;
    lw_reflector *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return lw_error_nomem(err);
    if (seed == 0)
        lw_entropy_seed(&seed, 1);
    r->options = *options;
    if (!r->options.clock)
        r->options.clock = lw_clock_system();
    if (r->options.min_watch_timeout_s < LW_REFLECTOR_MIN_TIMEOUT_S)
        r->options.min_watch_timeout_s = LW_REFLECTOR_MIN_TIMEOUT_S;
    lw_random_init(&r->random, seed);
    init_backoffs(r);
    r->resync_due_ns = LW_NEVER_NS;
    r->trouble_ns = LW_NEVER_NS;
    r->last_byte_ns = -1;
    r->stats.sync_ns = -1;
    lw_reflector__join_health(r);
    *out = r;
    return LW_OK;
}

void lw_reflector_free(lw_reflector *r)
{
    if (!r)
        return;
    lw_reflector_stop(r);
    if (r->options.health)
        lw_server_health_leave(r->options.health, &r->member);
    lw_free(r);
}

/* Functions for the other files. */

int64_t lw_reflector__now(const lw_reflector *r)
{
    return lw_clock_now(r->options.clock);
}

void lw_reflector__schedule(lw_reflector *r, lw_reflector_step step, int64_t delay_ns)
{
    int64_t now = lw_reflector__now(r);
    r->state = LW_REFLECTOR_WAITING;
    r->step = step;
    r->due_ns = now > INT64_MAX - delay_ns ? INT64_MAX : now + delay_ns;
}

void lw_reflector__abandon_call(lw_reflector *r)
{
    r->is_call_abandoned = r->call != NULL;
}

bool lw_reflector__set_text(char *dst, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > LW_REFLECTOR_RV_SIZE)
        return false;
    memmove(dst, text, size);
    return true;
}

void lw_reflector__count_bytes(lw_reflector *r, const lw_object *obj)
{
    r->last_byte_ns = lw_reflector__now(r);
    r->is_answered = true;
    r->open_tries = 0;
    r->refusals = 0;
    lw_backoff_reset(&r->reconnect);
    if (obj)
        r->stats.bytes_received += lw_object__body_len(obj);
    lw_reflector__note_answer(r);
}

/* Callbacks of the source.  After a failure that the reflector noticed first, they are ignored. */

static void on_object(const lw_object *obj, void *arg)
{
    lw_reflector *r = arg;
    lw_reflector__count_bytes(r, obj);
    if (r->state == LW_REFLECTOR_LISTING && !r->is_call_abandoned)
        lw_reflector__list_object(r, obj);
}

static void on_list_end(const lw_list_metadata *list, void *arg)
{
    lw_reflector *r = arg;
    lw_reflector__count_bytes(r, NULL);
    bool is_ours = r->state == LW_REFLECTOR_LISTING && !r->is_call_abandoned;
    r->call = NULL;
    r->is_call_abandoned = false;
    if (is_ours)
        lw_reflector__list_end(r, list);
}

static void note_open(lw_reflector *r)
{
    if (r->is_open)
        return;
    r->is_open = true;
    r->opened_ns = lw_reflector__now(r);
    r->progress_ns = r->opened_ns;
    if (r->state == LW_REFLECTOR_WATCHING)
        lw_reflector__forget_error(r);
    r->warm_due_ns = r->opened_ns + LW_REFLECTOR_ACCEPTED_MS * LW_NS_PER_MS;
}

/* The saved objects are those of another cluster: nothing that is known of it is asked for. */
static void leave_cluster(lw_reflector *r)
{
    lw_error err;
    lw_replacement_free(r->warm);
    r->warm = NULL;
    r->rv[0] = '\0';
    (void)lw_error_set(&err, LW_ERR_EXPIRED,
                       "the server is another cluster than the one that the cache was saved from");
    lw_reflector__relist(r, LW_RELIST_EXPIRED, &err);
}

static void on_open(void *arg)
{
    lw_reflector *r = arg;
    lw_reflector__count_bytes(r, NULL);
    if (r->is_call_abandoned)
        return;
    bool must_check = r->is_cluster_unchecked && r->options.is_same_cluster;
    r->is_cluster_unchecked = false;
    if (must_check && !r->options.is_same_cluster(r->options.arg)) {
        leave_cluster(r);
        return;
    }
    /* A streaming list becomes a watch when its initial events are complete. */
    r->stats.watches += r->state == LW_REFLECTOR_WATCHING;
    note_open(r);
}

static void count_event(lw_reflector *r, const lw_watch_event *event)
{
    r->events += event->type != LW_WATCH_ERROR;
    switch (event->type) {
    case LW_WATCH_ADDED: r->stats.adds++; break;
    case LW_WATCH_MODIFIED: r->stats.updates++; break;
    case LW_WATCH_DELETED: r->stats.deletes++; break;
    case LW_WATCH_BOOKMARK: r->stats.bookmarks++; break;
    case LW_WATCH_ERROR: break; /* counted when it is reported */
    }
}

static void on_event(const lw_watch_event *event, void *arg)
{
    lw_reflector *r = arg;
    int64_t silent_ns = r->is_open ? lw_reflector__now(r) - r->last_byte_ns : 0;
    lw_reflector__count_bytes(r, event->object);
    if (r->is_call_abandoned)
        return;
    note_open(r);
    if (event->type == LW_WATCH_BOOKMARK)
        lw_reflector__note_bookmark(r, silent_ns);
    count_event(r, event);
    if (r->state == LW_REFLECTOR_STREAMING)
        lw_reflector__stream_event(r, event);
    else if (r->state == LW_REFLECTOR_WATCHING)
        lw_reflector__watch_event(r, event);
}

static void call_failed(lw_reflector *r, const lw_error *err)
{
    lw_error broken;
    if (!err && r->state == LW_REFLECTOR_LISTING) {
        (void)lw_error_set(&broken, LW_ERR_INTERNAL,
                           "the source ended the list before it was complete");
        err = &broken;
    }
    if (err && err->http_status > 0)
        lw_backoff_reset(&r->reconnect);
    lw_reflector__note_failure(r, err);
    switch (r->state) {
    case LW_REFLECTOR_LISTING: lw_reflector__list_failed(r, err); break;
    case LW_REFLECTOR_STREAMING: lw_reflector__stream_failed(r, err); break;
    case LW_REFLECTOR_WATCHING: lw_reflector__watch_failed(r, err); break;
    default: break;
    }
}

static void on_fail(const lw_error *err, void *arg)
{
    lw_reflector *r = arg;
    bool is_ours = !r->is_call_abandoned;
    r->call = NULL;
    r->is_call_abandoned = false;
    if (is_ours)
        call_failed(r, err);
}

void lw_reflector__begin_call(lw_reflector *r, lw_reflector_state state,
                              const lw_source_request *request)
{
    const lw_source_sink sink = { on_object, on_list_end, on_open, on_event, on_fail, r };
    const lw_source_ops *ops = r->options.source->ops;
    lw_error err = LW_ERROR_INIT;
    assert(!r->call);
    r->state = state;
    r->is_answered = false;
    r->is_open = false;
    r->events = 0;
    r->asked_ns = lw_reflector__now(r);
    r->progress_ns = r->asked_ns;
    r->overdue_ns =
        r->asked_ns + ((int64_t)request->timeout_s + LW_REFLECTOR_OVERDUE_S) * LW_NS_PER_S;
    lw_status st =
        (state == LW_REFLECTOR_LISTING ? ops->list : ops->watch)(r->options.source, request, &sink,
                                                                 &r->call, &err);
    if (st < 0) {
        r->call = NULL;
        err.code = st;
        call_failed(r, &err);
    }
}

/* Life. */

static void cancel_call(lw_reflector *r)
{
    lw_source_call *call = r->call;
    r->call = NULL;
    r->is_call_abandoned = false;
    if (call)
        r->options.source->ops->cancel(r->options.source, call);
}

void lw_reflector_set_warm_take(lw_reflector *r, lw_replacement *objects, const char *rv,
                                bool is_at_once)
{
    assert(r->state == LW_REFLECTOR_IDLE && !r->warm && strlen(rv) < LW_REFLECTOR_RV_SIZE);
    r->warm = objects;
    r->is_warm_at_once = is_at_once;
    r->is_cluster_unchecked = true;
    (void)lw_reflector__set_text(r->rv, rv);
}

void lw_reflector_start(lw_reflector *r)
{
    assert(r->state == LW_REFLECTOR_IDLE);
    r->started_ns = lw_reflector__now(r);
    lw_reflector__schedule(r, r->warm ? LW_STEP_WATCH : LW_STEP_SYNC, 0);
    if (r->is_warm_at_once)
        lw_reflector__queue_warm(r);
    lw_reflector_tick(r);
}

void lw_reflector_stop(lw_reflector *r)
{
    cancel_call(r);
    lw_replacement_free(r->replacement);
    r->replacement = NULL;
    lw_replacement_free(r->warm);
    r->warm = NULL;
    lw_free(r->continue_token);
    r->continue_token = NULL;
    r->state = LW_REFLECTOR_STOPPED;
}

void lw_reflector_recover(lw_reflector *r)
{
    bool is_watching = r->state == LW_REFLECTOR_WATCHING ||
                       (r->state == LW_REFLECTOR_WAITING && r->step == LW_STEP_WATCH);
    if (is_watching) {
        lw_error err;
        (void)lw_error_set(&err, LW_ERR_NOMEM,
                           "a change could not be applied to the cache: out of memory");
        lw_reflector__relist(r, LW_RELIST_STORE, &err);
    } else if (r->state == LW_REFLECTOR_BLOCKED) {
        lw_reflector__schedule(r, LW_STEP_SYNC, lw_backoff_next(&r->backoff, lw_reflector__now(r)));
    }
    /* In all other states the whole state is being received, or the reflector is stopped. */
}

/* The changes that did not fit are listed as soon as the queue is empty. */
static bool has_room_again(const lw_reflector *r)
{
    return r->state == LW_REFLECTOR_BLOCKED && lw_delta_fifo_count(r->options.fifo) == 0;
}

/* Timers. */

/* A watch from the saved revision is open, but not known to be accepted. */
static bool is_warm_open(const lw_reflector *r)
{
    return r->warm && r->state == LW_REFLECTOR_WATCHING && r->is_open;
}

int64_t lw_reflector_deadline_ns(const lw_reflector *r)
{
    if (r->state == LW_REFLECTOR_IDLE || r->state == LW_REFLECTOR_STOPPED)
        return LW_NEVER_NS;
    if (r->is_call_abandoned || has_room_again(r))
        return 0;
    if (is_warm_open(r) && r->warm_due_ns < r->resync_due_ns)
        return r->warm_due_ns;
    int64_t deadline = r->state == LW_REFLECTOR_WAITING ? r->due_ns : lw_reflector__silence_ns(r);
    return r->resync_due_ns < deadline ? r->resync_due_ns : deadline;
}

static void resync_if_due(lw_reflector *r, int64_t now)
{
    if (now < r->resync_due_ns)
        return;
    /* If the queue is full, the handlers are busy anyway; the next period resyncs. */
    (void)lw_delta_fifo_resync(r->options.fifo);
    r->resync_due_ns = now + (int64_t)r->options.resync_s * LW_NS_PER_S;
}

static void do_step(lw_reflector *r)
{
    switch (r->step) {
    case LW_STEP_SYNC: lw_reflector__begin_sync(r); break;
    case LW_STEP_STREAM: lw_reflector__begin_stream(r); break;
    case LW_STEP_LIST: lw_reflector__begin_list(r); break;
    case LW_STEP_PAGE: lw_reflector__begin_page(r); break;
    case LW_STEP_WATCH: lw_reflector__begin_watch(r); break;
    }
}

void lw_reflector_tick(lw_reflector *r)
{
    int64_t now = lw_reflector__now(r);
    if (r->state == LW_REFLECTOR_IDLE || r->state == LW_REFLECTOR_STOPPED)
        return;
    if (r->is_call_abandoned)
        cancel_call(r);
    resync_if_due(r, now);
    if (is_warm_open(r) && now >= r->warm_due_ns)
        lw_reflector__queue_warm(r);
    lw_reflector__give_up_if_silent(r, now);
    if (r->is_call_abandoned)
        cancel_call(r);
    if (has_room_again(r))
        lw_reflector_recover(r);
    if (r->state == LW_REFLECTOR_WAITING && now >= r->due_ns && lw_reflector__may_act(r, now))
        do_step(r);
}

/* Questions. */

void lw_reflector_stats(const lw_reflector *r, lw_informer_statistics *stats)
{
    stats->lists = r->stats.lists;
    stats->relists = r->stats.relists;
    stats->watches = r->stats.watches;
    stats->last_relist_reason = r->stats.last_relist_reason;
    stats->adds = r->stats.adds;
    stats->updates = r->stats.updates;
    stats->deletes = r->stats.deletes;
    stats->bookmarks = r->stats.bookmarks;
    stats->errors = r->stats.errors;
    stats->bytes_received = r->stats.bytes_received;
    stats->sync_ns = r->stats.sync_ns;
    stats->last_byte_age_ns = r->last_byte_ns < 0 ? -1 : lw_reflector__now(r) - r->last_byte_ns;
    stats->queue_depth = lw_delta_fifo_count(r->options.fifo);
}

lw_status lw_reflector_last_error(const lw_reflector *r, lw_error *err)
{
    if (r->last_error.code < 0 && err)
        *err = r->last_error;
    return r->last_error.code;
}

const char *lw_reflector_resource_version(const lw_reflector *r)
{
    return r->rv;
}
