/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c -- a bounded queue of Events that any thread fills, and asynchronous requests that
 * empty it, one Event at a time.
 *
 *   waiting ──an Event is queued──▶ correlated ──▶ writing ──▶ waiting
 *                                        └──filtered──▶ waiting
 *   writing ──server cannot be reached──▶ retry after 10 s, at most 12 times
 *
 * The dispatching thread owns what is before |mu|; the queue is behind it. */
#include <listwatch/recorder.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <listwatch/async.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/clock_waker.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/random.h"
#include "base/ring.h"
#include "base/str.h"
#include "base/sync.h"
#include "operator/event_text.h"
#include "operator/poll_set.h"
#include "operator/runner.h"

enum {
    QUEUE_DEFAULT = 1024,
    TRIES_MAX = 12,
    RETRY_S = 10,
    EVENTS_PER_DISPATCH = 64, /* that are filtered; then other parts of the loop have their turn */
};

static const char thread_name[] = "recorder";
static const char combined[] = "(combined from similar events): ";

/* An Event in the queue; the texts are behind the struct. */
typedef struct pending {
    lw_event_content content; /* its object is a reference */
    char message[LW_RECORDER_MESSAGE_SIZE];
    char texts[];
} pending;

struct lw_recorder {
    char *component, *host;
    lw_logger logger;
    const lw_clock *clock;
    lw_clock_waker waker;
    lw_async *async;
    lw_poll_set polls;
    lw_runner runner;
    lw_random random;

    lw_event_correlator *correlator;
    pending *current;       /* being written; NULL: none */
    lw_event_series series; /* of it */
    lw_event_series *place; /* of it in the correlator */
    bool is_patch;
    unsigned tries;
    lw_request *request;
    int64_t retry_ns; /* INT64_MAX: no retry is due */
    /* INT64_MAX: not closing.  On the system clock, so that a stop ends with any clock. */
    int64_t close_by_ns;
    atomic_bool is_closed;

    lw_mutex mu; /* guards what follows */
    lw_ring queue;
    lw_recorder_statistics stats;
    bool must_close;
    int close_ms;
};

static lw_gvr events(void)
{
    return lw_gvr_make("", "v1", "events");
}

static void pending_free(pending *p)
{
    if (p)
        lw_object_unref((lw_object *)(uintptr_t)p->content.object);
    lw_free(p);
}

static void count(lw_recorder *r, uint64_t *counter, uint64_t more)
{
    lw_mutex_lock(&r->mu);
    *counter += more;
    lw_mutex_unlock(&r->mu);
}

static bool is_closing(const lw_recorder *r)
{
    return r->close_by_ns != INT64_MAX;
}

static void end_current(lw_recorder *r)
{
    pending_free(r->current);
    r->current = NULL;
    r->retry_ns = INT64_MAX;
}

/* Gives up the current Event: the next equal one is created again. */
static void fail_current(lw_recorder *r, const lw_error *err)
{
    /* Its namespace may be terminating. */
    bool is_usual = err->code == LW_ERR_FORBIDDEN || err->code == LW_ERR_NOT_FOUND;
    lw_log(&r->logger, is_usual ? LW_LOG_DEBUG : LW_LOG_WARN, thread_name,
           "cannot record an event about %s/%s: %s",
           lw_object_namespace(r->current->content.object),
           lw_object_name(r->current->content.object), err->message);
    if (!r->is_patch && r->place->hash == r->series.hash)
        *r->place = (lw_event_series){ 0 };
    count(r, &r->stats.failed, 1);
    end_current(r);
}

static void send(lw_recorder *r);

static bool is_worth_a_retry(const lw_error *err)
{
    /* As in client-go: only if no server has answered. */
    return err->http_status == 0 && (err->code == LW_ERR_UNAVAILABLE ||
                                     err->code == LW_ERR_TIMEOUT || err->code == LW_ERR_IO);
}

static void on_written(const lw_result *result, void *arg)
{
    lw_recorder *r = arg;
    r->request = NULL;
    if (result->st == LW_OK) {
        count(r, r->is_patch ? &r->stats.patched : &r->stats.created, 1);
        end_current(r);
    } else if (result->st == LW_ERR_NOT_FOUND && r->is_patch) {
        r->is_patch = false; /* it has expired: create it again, with its count */
        send(r);
    } else if (is_worth_a_retry(result->err) && ++r->tries < TRIES_MAX && !is_closing(r)) {
        /* The first delay is random, so that not all programs write at once. */
        double share = r->tries == 1 ? lw_random_unit(&r->random) : 1.0;
        r->retry_ns = lw_clock_now(r->clock) + (int64_t)(share * RETRY_S * (double)LW_NS_PER_S);
    } else {
        fail_current(r, result->err);
    }
}

static lw_status start_create(lw_recorder *r, lw_error *err)
{
    lw_object *event = NULL;
    lw_status st = lw_event_object(&event, &r->current->content, &r->series, err);
    if (st == LW_OK)
        st = lw_async_create(r->async, events(), event, NULL, on_written, r, &r->request, err);
    lw_object_unref(event);
    return st;
}

static lw_status start_patch(lw_recorder *r, lw_error *err)
{
    char name[LW_EVENT_NAME_SIZE];
    const lw_object *about = r->current->content.object;
    lw_document *doc = NULL;
    lw_str patch;
    lw_status st = lw_event_patch(&doc, &r->current->content, &r->series, err);
    if (st == LW_OK)
        st = lw_document_json(doc, NULL, &patch, err);
    lw_event_name(name, about, r->series.first_wall_ns);
    if (st == LW_OK)
        st = lw_async_patch(r->async, events(), lw_event_namespace(about), name, patch, NULL,
                            on_written, r, &r->request, err);
    lw_document_free(doc);
    return st;
}

static void send(lw_recorder *r)
{
    lw_error err = LW_ERROR_INIT;
    r->retry_ns = INT64_MAX;
    if ((r->is_patch ? start_patch(r, &err) : start_create(r, &err)) < 0)
        fail_current(r, &err);
}

static pending *take(lw_recorder *r)
{
    pending *p = NULL;
    lw_mutex_lock(&r->mu);
    (void)lw_ring_pop(&r->queue, &p);
    lw_mutex_unlock(&r->mu);
    return p;
}

static void combine(pending *p)
{
    /* There is room for the prefix: see make_pending. */
    size_t len = strlen(p->message), room = sizeof(p->message) - sizeof(combined);
    if (len > room)
        len = room;
    memmove(p->message + sizeof(combined) - 1, p->message, len);
    memcpy(p->message, combined, sizeof(combined) - 1);
    p->message[sizeof(combined) - 1 + len] = '\0';
}

/* Takes Events from the queue until one is being written, or there are no more. */
static void work(lw_recorder *r)
{
    for (int i = 0; i < EVENTS_PER_DISPATCH && !r->current; i++) {
        pending *p = take(r);
        if (!p)
            return;
        lw_event_verdict verdict =
            lw_event_correlate(r->correlator, &p->content, lw_clock_now(r->clock));
        if (verdict.is_filtered) {
            count(r, &r->stats.filtered, 1);
            pending_free(p);
            continue;
        }
        if (verdict.is_combined)
            combine(p);
        r->current = p;
        r->place = verdict.series;
        r->series = *verdict.series;
        r->is_patch = r->series.count > 1;
        r->tries = 0;
        send(r);
    }
}

static bool has_queued(const lw_recorder *r)
{
    /* Reading changes only the lock. */
    lw_mutex *mu = &((lw_recorder *)(uintptr_t)r)->mu;
    lw_mutex_lock(mu);
    bool has = lw_ring_count(&r->queue) > 0;
    lw_mutex_unlock(mu);
    return has;
}

static void end_closing(lw_recorder *r)
{
    lw_request_cancel(r->request);
    r->request = NULL;
    uint64_t dropped = r->current != NULL;
    end_current(r);
    for (pending *p; (p = take(r)); dropped++)
        pending_free(p);
    count(r, &r->stats.dropped, dropped);
    atomic_store(&r->is_closed, true);
}

static void check_closing(lw_recorder *r)
{
    lw_mutex_lock(&r->mu);
    bool must_close = r->must_close;
    int close_ms = r->close_ms;
    lw_mutex_unlock(&r->mu);
    if (!must_close)
        return;
    if (!is_closing(r)) {
        r->close_by_ns = lw_clock_now(lw_clock_system()) + close_ms * LW_NS_PER_MS;
        if (r->retry_ns != INT64_MAX)
            r->retry_ns = 0; /* once more, now */
    }
    if (lw_clock_now(lw_clock_system()) >= r->close_by_ns || (!r->current && !has_queued(r)))
        end_closing(r);
}

void lw_recorder_dispatch(lw_recorder *r)
{
    if (r->is_closed)
        return;
    lw_poll_set_clear(&r->polls);
    lw_async_dispatch(r->async);
    check_closing(r);
    if (r->is_closed)
        return;
    if (r->current && lw_clock_now(r->clock) >= r->retry_ns)
        send(r);
    work(r);
}

int lw_recorder_fd(const lw_recorder *r)
{
    return r->polls.fd;
}

int lw_recorder_timeout_ms(const lw_recorder *r)
{
    if (r->is_closed)
        return -1;
    if (!r->current && (has_queued(r) || is_closing(r)))
        return 0;
    int ms = lw_timeout_min(lw_timeout_until(r->retry_ns, lw_clock_now(r->clock)),
                            lw_timeout_until(r->close_by_ns, lw_clock_now(lw_clock_system())));
    return lw_timeout_min(lw_async_timeout_ms(r->async), ms);
}

static int fd_of(const void *self)
{
    return lw_recorder_fd(self);
}

static int timeout_of(const void *self)
{
    return lw_recorder_timeout_ms(self);
}

static void dispatch(void *self)
{
    lw_recorder_dispatch(self);
}

static bool is_closed(const void *self)
{
    return lw_recorder_is_closed(self);
}

static const lw_runner_type runner_type = { thread_name, fd_of, timeout_of, dispatch, is_closed };

static lw_status open_parts(lw_recorder *r, const lw_recorder_options *o, lw_error *err)
{
    r->component = lw_str_dup(lw_str_of(o->component));
    r->host = lw_str_dup(lw_str_of(o->host));
    r->correlator = lw_alloc_zero(1, sizeof(*r->correlator));
    if (!r->component || !r->host || !r->correlator)
        return lw_error_nomem(err);
    lw_event_correlator_init(r->correlator);
    lw_status st = lw_poll_set_init(&r->polls, err);
    if (st == LW_OK)
        st = lw_async_new(&r->async, o->client, err);
    if (st == LW_OK)
        st = lw_poll_set_add(&r->polls, lw_async_fd(r->async), err);
    return st;
}

static void clock_was_advanced(void *arg)
{
    lw_poll_set_wake(&((lw_recorder *)arg)->polls);
}

lw_status lw_recorder_new(lw_recorder **out, const lw_recorder_options *given, lw_error *err)
{
    lw_recorder_options o = LW_RECORDER_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), given, "lw_recorder_options", err);
    if (st < 0)
        return st;
    if (!o.client || !o.component || !o.component[0])
        return lw_error_set(err, LW_ERR_INVALID, "a recorder needs a client and a component");
    lw_recorder *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return lw_error_nomem(err);
    r->clock = o.clock ? o.clock : lw_clock_system();
    if (o.logger)
        r->logger = *o.logger;
    r->polls = (lw_poll_set)LW_POLL_SET_NONE;
    r->retry_ns = r->close_by_ns = INT64_MAX;
    lw_mutex_init(&r->mu);
    lw_runner_init(&r->runner, &runner_type, r);
    lw_random_init_from_os(&r->random);
    lw_ring_init(&r->queue, sizeof(pending *), o.max_queued ? o.max_queued : QUEUE_DEFAULT, 0);
    st = open_parts(r, &o, err);
    if (st < 0) {
        atomic_store(&r->is_closed, true);
        lw_recorder_free(r);
        return st;
    }
    r->waker = (lw_clock_waker){ .wake = clock_was_advanced, .arg = r };
    lw_clock_add_waker(r->clock, &r->waker);
    *out = r;
    return LW_OK;
}

lw_status lw_recorder_start(lw_recorder *r, lw_error *err)
{
    return lw_runner_start(&r->runner, err);
}

void lw_recorder_close(lw_recorder *r, int timeout_ms)
{
    lw_mutex_lock(&r->mu);
    if (!r->must_close)
        r->close_ms = timeout_ms;
    r->must_close = true;
    lw_mutex_unlock(&r->mu);
    lw_poll_set_wake(&r->polls);
}

bool lw_recorder_is_closed(const lw_recorder *r)
{
    return r->is_closed;
}

void lw_recorder_stop(lw_recorder *r, int timeout_ms)
{
    lw_recorder_close(r, timeout_ms);
    lw_runner_finish(&r->runner);
}

void lw_recorder_free(lw_recorder *r)
{
    if (!r)
        return;
    lw_clock_remove_waker(r->clock, &r->waker);
    if (!r->is_closed || r->runner.has_thread)
        lw_recorder_stop(r, 0);
    if (r->stats.dropped > 0)
        lw_log(&r->logger, LW_LOG_WARN, thread_name, "%llu events were dropped",
               (unsigned long long)r->stats.dropped);
    lw_async_free(r->async);
    lw_poll_set_done(&r->polls);
    lw_ring_done(&r->queue);
    lw_runner_done(&r->runner);
    lw_mutex_done(&r->mu);
    lw_free(r->correlator);
    lw_free(r->component);
    lw_free(r->host);
    lw_free(r);
}

/* Appends a copy of |text| and advances. */
static const char *put_text(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

static pending *make_pending(const lw_recorder *r, const char *component, const lw_object *object,
                             const char *type, const char *reason, const char *format, va_list args)
    LW_PRINTF(6, 0);

static pending *make_pending(const lw_recorder *r, const char *component, const lw_object *object,
                             const char *type, const char *reason, const char *format, va_list args)
{
    pending *p = lw_alloc(sizeof(*p) + strlen(component) + strlen(type) + strlen(reason) + 3);
    if (!p)
        return NULL;
    char *at = p->texts;
    p->content = (lw_event_content){
        .object = lw_object_ref(object),
        .component = put_text(&at, component),
        .host = r->host,
        .type = put_text(&at, type),
        .reason = put_text(&at, reason),
        .message = p->message,
        .wall_ns = lw_clock_wall(r->clock),
    };
    (void)lw_line_format(p->message, sizeof(p->message), format, args);
    return p;
}

static void enqueue_take(lw_recorder *r, pending *p)
{
    lw_mutex_lock(&r->mu);
    bool is_queued = p && !r->must_close && lw_ring_push(&r->queue, &p, NULL) == LW_OK;
    bool is_first = is_queued && lw_ring_count(&r->queue) == 1;
    r->stats.dropped += !is_queued;
    lw_mutex_unlock(&r->mu);
    if (!is_queued)
        pending_free(p);
    if (is_first)
        lw_poll_set_wake(&r->polls);
}

void lw_recorder_event(lw_recorder *r, const lw_object *object, const char *type,
                       const char *reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enqueue_take(r, make_pending(r, r->component, object, type, reason, format, args));
    va_end(args);
}

void lw_recorder_event_from(lw_recorder *r, const char *component, const lw_object *object,
                            const char *type, const char *reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enqueue_take(r, make_pending(r, component, object, type, reason, format, args));
    va_end(args);
}

void lw_recorder_stats(const lw_recorder *r, lw_recorder_statistics *stats)
{
    /* Reading changes only the lock. */
    lw_mutex *mu = &((lw_recorder *)(uintptr_t)r)->mu;
    lw_mutex_lock(mu);
    *stats = r->stats;
    stats->queued = lw_ring_count(&r->queue);
    lw_mutex_unlock(mu);
}
