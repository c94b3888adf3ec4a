/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.c -- the queue of events, and the thread that posts them.
 *
 *     collecting ──full, max wait, stopping──▶ sending ──2xx──▶ collecting
 *                                                │  ▲
 *                                          error ▼  │ backoff
 *                                              waiting ──too often──▶ dropped ──▶ collecting */
#include "server/audit/webhook.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"
#include "net/client/http_client.h"
#include "server/audit/sink.h"
#include "server/webhook/config.h"

enum {
    REPLY_MAX = 64 * 1024, /* nothing in it is needed */
};

#define BACKOFF_FACTOR 1.5
#define BACKOFF_JITTER 0.2

typedef enum stage {
    COLLECTING,
    SENDING,
    WAITING, /* for the next attempt */
} stage;

struct lw_audit_webhook {
    lw_audit_webhook_options options;
    lw_webhook_config config;
    lw_loop *loop;
    lw_thread thread;
    bool has_thread;
    atomic_uint_least64_t dropped, failed;

    lw_mutex mu;    /* the next four, and posting |wake| */
    lw_dlist queue; /* lw_audit_event.webhook_link */
    size_t events, bytes;
    bool is_woken; /* |wake| is posted */
    bool is_stopping;
    lw_task wake;

    /* Of the thread. */
    lw_http_client *client;
    lw_http_call *call; /* while sending */
    stage stage;
    lw_timer timer; /* while collecting and waiting */
    lw_buf batch;   /* EventList */
    size_t batch_events;
    unsigned attempts;
    int64_t collect_until_ns; /* 0: nothing is queued */
    int64_t stop_at_ns;       /* 0: not stopping */
    lw_backoff backoff;
    bool is_failing; /* the last batch failed: said once */
};

static void act(lw_audit_webhook *webhook);

static void note_result(lw_audit_webhook *webhook, const char *problem)
{
    bool was_failing = webhook->is_failing;
    webhook->is_failing = problem != NULL;
    if (problem && !was_failing)
        lw_log(webhook->options.logger, LW_LOG_ERROR, "audit",
               "audit webhook %s: %s; audit events are being lost", webhook->config.url, problem);
    else if (!problem && was_failing)
        lw_log(webhook->options.logger, LW_LOG_WARN, "audit",
               "audit webhook %s accepts events again", webhook->config.url);
}

/* Ends the batch; NULL |problem|: it was delivered. */
static void end_batch(lw_audit_webhook *webhook, const char *problem)
{
    if (problem)
        atomic_fetch_add(&webhook->failed, webhook->batch_events);
    note_result(webhook, problem);
    webhook->stage = COLLECTING;
    webhook->batch_events = 0;
    webhook->attempts = 0;
    lw_buf_done(&webhook->batch);
    lw_backoff_reset(&webhook->backoff);
}

static void set_timer(lw_audit_webhook *webhook, int64_t at_ns)
{
    if (webhook->stop_at_ns != 0 && webhook->stop_at_ns < at_ns)
        at_ns = webhook->stop_at_ns;
    /* Without memory for a timer the next event wakes the thread. */
    (void)lw_timer_set(webhook->loop, &webhook->timer, at_ns);
}

static int64_t now_ns(const lw_audit_webhook *webhook)
{
    return lw_clock_now(lw_loop_clock(webhook->loop));
}

static void attempt_failed(lw_audit_webhook *webhook, const char *problem)
{
    int64_t now = now_ns(webhook);
    bool is_last = webhook->attempts >= LW_AUDIT_WEBHOOK_ATTEMPTS || webhook->stop_at_ns != 0;
    if (is_last) {
        end_batch(webhook, problem);
        return;
    }
    webhook->stage = WAITING;
    set_timer(webhook, now + lw_backoff_next(&webhook->backoff, now));
}

static void on_done(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    (void)content_type, (void)body;
    lw_audit_webhook *webhook = arg;
    webhook->call = NULL;
    lw_error why = LW_ERROR_INIT;
    if (!err && status / 100 == 2) {
        end_batch(webhook, NULL);
    } else {
        if (!err)
            (void)lw_error_set(&why, LW_ERR_UNAVAILABLE, "status %d (%s)", status,
                               lw_http_status_text(status));
        attempt_failed(webhook, err ? err->message : why.message);
    }
    act(webhook);
}

/* Posts the batch. */
static void attempt(lw_audit_webhook *webhook)
{
    lw_webhook_headers headers;
    lw_http_call_options options = { .reply_max = REPLY_MAX };
    lw_error err = LW_ERROR_INIT;
    int64_t deadline = now_ns(webhook) + LW_AUDIT_WEBHOOK_TIMEOUT_S * LW_NS_PER_S;
    /* A copy, because the connection may hold it longer than this attempt lasts. */
    char *copy = lw_alloc(webhook->batch.len);
    webhook->stage = SENDING;
    webhook->attempts++;
    if (!copy) {
        attempt_failed(webhook, lw_status_name(LW_ERR_NOMEM));
        return;
    }
    memcpy(copy, webhook->batch.data, webhook->batch.len);
    lw_status st = lw_webhook_config_prepare(&webhook->config, &options, &headers);
    options.body = (lw_bytes){ copy, webhook->batch.len, lw_free, copy };
    options.deadline_ns = webhook->stop_at_ns != 0 ? webhook->stop_at_ns : deadline;
    if (st == LW_OK)
        st = lw_http_client_ask(&webhook->call, webhook->client, &options, on_done, webhook, &err);
    else
        lw_free(copy);
    lw_webhook_headers_done(&headers);
    if (st < 0)
        attempt_failed(webhook, err.message[0] ? err.message : lw_status_name(st));
}

static lw_audit_event *take_event(lw_audit_webhook *webhook)
{
    lw_mutex_lock(&webhook->mu);
    lw_audit_event *event =
        LW_DLIST_ITEM(lw_dlist_pop_front(&webhook->queue), lw_audit_event, webhook_link);
    if (event) {
        webhook->events--;
        webhook->bytes -= lw_audit_event_bytes(event);
    }
    lw_mutex_unlock(&webhook->mu);
    return event;
}

/* Moves events from the queue to the batch. */
static void fill_batch(lw_audit_webhook *webhook)
{
    lw_buf *out = &webhook->batch;
    lw_buf_init(out, LW_AUDIT_WEBHOOK_BATCH_BYTES + LW_AUDIT_EVENT_MAX + 8 * LW_AUDIT_BODY_MAX);
    lw_buf_append_text(out, "{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\","
                            "\"metadata\":{},\"items\":[\n");
    while (webhook->batch_events < webhook->options.batch_max_size &&
           out->len < LW_AUDIT_WEBHOOK_BATCH_BYTES) {
        size_t before = out->len;
        lw_audit_event *event = take_event(webhook);
        if (!event)
            break;
        if (webhook->batch_events > 0)
            lw_buf_append_char(out, ',');
        if (lw_audit_event_write(event, out) == LW_OK) {
            webhook->batch_events++;
        } else {
            /* The others are as good as they were. */
            atomic_fetch_add(&webhook->failed, 1);
            out->st = LW_OK;
            lw_buf_truncate(out, before);
        }
        lw_audit_event_free(event);
    }
    lw_buf_append_text(out, "]}\n");
    webhook->collect_until_ns = 0;
}

static void drop_queue(lw_audit_webhook *webhook)
{
    for (lw_audit_event *event; (event = take_event(webhook)); lw_audit_event_free(event))
        atomic_fetch_add(&webhook->failed, 1);
}

/* The time to stop is over: drops everything. */
static void give_up(lw_audit_webhook *webhook)
{
    lw_http_call_cancel(webhook->call);
    webhook->call = NULL;
    if (webhook->stage != COLLECTING)
        end_batch(webhook, "no reply before the server stopped");
    drop_queue(webhook);
}

/* True if a batch is to be sent now; sets the timer otherwise. */
static bool is_due(lw_audit_webhook *webhook, size_t events, int64_t now)
{
    if (events == 0)
        return false;
    if (webhook->collect_until_ns == 0)
        webhook->collect_until_ns = now + webhook->options.batch_max_wait_ns;
    if (events >= webhook->options.batch_max_size || webhook->stop_at_ns != 0 ||
        now >= webhook->collect_until_ns)
        return true;
    set_timer(webhook, webhook->collect_until_ns);
    return false;
}

static void act(lw_audit_webhook *webhook)
{
    int64_t now = now_ns(webhook);
    if (webhook->stop_at_ns != 0 && now >= webhook->stop_at_ns)
        give_up(webhook);
    while (webhook->stage == COLLECTING) {
        lw_mutex_lock(&webhook->mu);
        size_t events = webhook->events;
        lw_mutex_unlock(&webhook->mu);
        if (!is_due(webhook, events, now))
            break;
        fill_batch(webhook);
        if (webhook->batch_events > 0 && webhook->batch.st == LW_OK)
            attempt(webhook);
        else
            end_batch(webhook, lw_status_name(LW_ERR_NOMEM));
    }
    if (webhook->stage == COLLECTING && webhook->stop_at_ns != 0)
        lw_loop_stop(webhook->loop);
}

static void timer_fired(lw_timer *timer)
{
    lw_audit_webhook *webhook = LW_CONTAINER_OF(timer, lw_audit_webhook, timer);
    if (webhook->stage == WAITING)
        attempt(webhook);
    act(webhook);
}

static void on_wake(lw_task *task)
{
    lw_audit_webhook *webhook = LW_DLIST_ITEM(&task->link, lw_audit_webhook, wake.link);
    lw_mutex_lock(&webhook->mu);
    webhook->is_woken = false;
    bool is_stopping = webhook->is_stopping;
    lw_mutex_unlock(&webhook->mu);
    if (is_stopping && webhook->stop_at_ns == 0) {
        webhook->stop_at_ns = now_ns(webhook) + LW_AUDIT_WEBHOOK_STOP_S * LW_NS_PER_S;
        set_timer(webhook, webhook->stop_at_ns);
        if (webhook->stage == WAITING)
            attempt(webhook);
    }
    act(webhook);
}

/* Wakes the thread.  The caller holds webhook->mu. */
static void wake_locked(lw_audit_webhook *webhook)
{
    if (!webhook->is_woken)
        lw_loop_post(webhook->loop, &webhook->wake);
    webhook->is_woken = true;
}

static void run(void *arg)
{
    lw_audit_webhook *webhook = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_loop_run(webhook->loop, &err) < 0)
        lw_log(webhook->options.logger, LW_LOG_ERROR, "audit", "audit webhook: %s", err.message);
}

static lw_status open_all(lw_audit_webhook *webhook, lw_error *err)
{
    const lw_backoff_options backoff = { .base_ns = webhook->options.initial_backoff_ns,
                                         .cap_ns = INT64_MAX / 4,
                                         .factor = BACKOFF_FACTOR,
                                         .jitter = BACKOFF_JITTER };
    uint64_t seed;
    lw_entropy_seed(&seed, 1);
    lw_status st = lw_webhook_config_read(&webhook->config, webhook->options.config_file, err);
    if (st == LW_OK && lw_backoff_init(&webhook->backoff, &backoff, seed) < 0)
        st = lw_error_set(err, LW_ERR_INVALID,
                          "the initial backoff of the audit webhook is invalid");
    if (st == LW_OK)
        st = lw_loop_new(&webhook->loop, NULL, err);
    if (st == LW_OK)
        st = lw_http_client_new(&webhook->client, webhook->loop, err);
    if (st == LW_OK)
        st = lw_thread_start(&webhook->thread, "lw-audit-hook", run, webhook, err);
    webhook->has_thread = st == LW_OK;
    return st;
}

lw_status lw_audit_webhook_new(lw_audit_webhook **out, const lw_audit_webhook_options *options,
                               lw_error *err)
{
    lw_audit_webhook *webhook = lw_alloc_zero(1, sizeof(*webhook));
    if (!webhook)
        return lw_error_nomem(err);
    webhook->options = *options;
    webhook->wake.run = on_wake;
    webhook->timer.fire = timer_fired;
    atomic_init(&webhook->dropped, 0);
    atomic_init(&webhook->failed, 0);
    lw_mutex_init(&webhook->mu);
    lw_dlist_init(&webhook->queue);
    lw_status st = open_all(webhook, err);
    if (st < 0)
        lw_audit_webhook_free(webhook);
    else
        *out = webhook;
    return st;
}

void lw_audit_webhook_free(lw_audit_webhook *webhook)
{
    if (!webhook)
        return;
    if (webhook->has_thread) {
        lw_mutex_lock(&webhook->mu);
        webhook->is_stopping = true;
        wake_locked(webhook);
        lw_mutex_unlock(&webhook->mu);
        lw_thread_join(&webhook->thread);
    }
    drop_queue(webhook); /* if the loop has failed */
    lw_http_client_free(webhook->client);
    if (webhook->loop)
        lw_timer_cancel(webhook->loop, &webhook->timer);
    lw_loop_free(webhook->loop);
    lw_buf_done(&webhook->batch);
    lw_webhook_config_done(&webhook->config);
    lw_mutex_done(&webhook->mu);
    lw_free(webhook);
}

lw_status lw_audit_webhook_send_take(lw_audit_webhook *webhook, lw_audit_event *event)
{
    size_t bytes = lw_audit_event_bytes(event);
    lw_mutex_lock(&webhook->mu);
    bool has_room = webhook->events < webhook->options.buffer_size &&
                    webhook->bytes + bytes <= LW_AUDIT_QUEUE_BYTES;
    if (has_room) {
        lw_dlist_push_back(&webhook->queue, &event->webhook_link);
        webhook->events++;
        webhook->bytes += bytes;
        if (webhook->events == 1 || webhook->events == webhook->options.batch_max_size)
            wake_locked(webhook);
    }
    lw_mutex_unlock(&webhook->mu);
    if (has_room)
        return LW_OK;
    atomic_fetch_add(&webhook->dropped, 1);
    lw_audit_event_free(event);
    return LW_ERR_LIMIT;
}

void lw_audit_webhook_read_stats(lw_audit_webhook *webhook, lw_audit_webhook_stats *stats)
{
    stats->dropped = atomic_load(&webhook->dropped);
    stats->failed = atomic_load(&webhook->failed);
}
