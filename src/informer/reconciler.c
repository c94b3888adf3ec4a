/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler.c -- workers that take keys from a work queue and call the reconcile function.
 *
 *   new ──start──▶ running ──stop──▶ stopped
 *    └─────────────stop─────────────────┘
 *
 * Threads: events come from the threads that dispatch informers; workers are threads of the
 * reconciler; both use the queue.  |mu| guards state and feeds; no function of the program is
 * called while it is held. */
#include <listwatch/reconciler.h>

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "informer/reconciler_feed.h"
#include "informer/reconciler_internal.h"
#include "informer/shared_informer.h"

enum {
    WORKERS_MAX = 1024,
};

static void log_failure(const lw_reconciler *reconciler, const char *key, lw_status st,
                        const lw_error *err)
{
    lw_log(&reconciler->logger, LW_LOG_WARN, reconciler->name, "%s: %s (failed %u times)", key,
           err->message[0] ? err->message : lw_status_name(st),
           lw_workqueue_failures(reconciler->queue, key));
}

/* Adds the key again after a failure, in any case: without memory for a delay, at once. */
static void again_later(lw_reconciler *reconciler, const char *key)
{
    lw_status st = lw_workqueue_add_rate_limited(reconciler->queue, key);
    if (st < 0 && st != LW_ERR_STOPPED)
        (void)lw_workqueue_add(reconciler->queue, key);
}

static void again_after(lw_reconciler *reconciler, const char *key, int64_t delay_ns)
{
    lw_status st = lw_workqueue_add_after(reconciler->queue, key, delay_ns);
    if (st < 0 && st != LW_ERR_STOPPED)
        (void)lw_workqueue_add(reconciler->queue, key);
}

/* Calls the reconcile function with a key whose parts are NUL-terminated, for listers. */
static lw_status call(lw_reconciler *reconciler, lw_key key, lw_reconcile_result *result,
                      lw_error *err)
{
    char *ns = lw_str_dup(key.ns);
    if (!ns)
        return lw_error_nomem(err);
    key.ns.ptr = ns;
    lw_status st = reconciler->reconcile(key, result, reconciler->arg, err);
    lw_free(ns);
    return st;
}

/* Says what happens with a key after it was reconciled. */
static void settle(lw_reconciler *reconciler, const char *text, lw_status st,
                   int64_t again_after_ns, const lw_error *err)
{
    if (st == LW_ERR_STOPPED && lw_cancel_is_fired(&reconciler->stopping))
        return; /* the reconciler itself cancelled it */
    if (st < 0) {
        again_later(reconciler, text);
        log_failure(reconciler, text, st, err);
        return;
    }
    lw_workqueue_forget(reconciler->queue, text);
    if (again_after_ns > 0)
        again_after(reconciler, text, again_after_ns);
}

static void count_end(lw_reconciler *reconciler, lw_status st, int64_t again_after_ns)
{
    lw_reconcile_end end = st < 0               ? LW_RECONCILE_ERROR
                           : again_after_ns > 0 ? LW_RECONCILE_REQUEUE_AFTER
                                                : LW_RECONCILE_SUCCESS;
    lw_mutex_lock(&reconciler->mu);
    reconciler->ends[end]++;
    lw_mutex_unlock(&reconciler->mu);
}

static void count_time(lw_reconciler *reconciler, int64_t began_ns)
{
    int64_t took_ns = lw_clock_now(lw_clock_system()) - began_ns;
    lw_mutex_lock(&reconciler->mu);
    lw_histogram_add(&reconciler->time, lw_reconciler_bounds, (uint64_t)took_ns);
    lw_mutex_unlock(&reconciler->mu);
}

static void count_pending(lw_reconciler *reconciler, bool is_more)
{
    lw_mutex_lock(&reconciler->mu);
    lw_reconciler__count_pending_locked(reconciler, is_more);
    lw_mutex_unlock(&reconciler->mu);
}

void lw_reconciler__reconcile(lw_reconciler *reconciler, const char *text)
{
    lw_key key;
    lw_error err = LW_ERROR_INIT;
    lw_reconcile_result result = { .ticket = text };
    lw_status st = lw_key_parse(lw_str_of(text), &key, &err);
    if (st < 0) {
        /* A map function has added something that is not a key; a retry would not help. */
        lw_log(&reconciler->logger, LW_LOG_ERROR, reconciler->name, "\"%s\" is not a valid key: %s",
               text, err.message);
        lw_workqueue_forget(reconciler->queue, text);
        lw_workqueue_done(reconciler->queue, text);
        return;
    }
    /* Before the call: lw_reconciler_finish may be called before it returns. */
    count_pending(reconciler, true);
    int64_t began_ns = lw_clock_now(lw_clock_system());
    st = call(reconciler, key, &result, &err);
    count_time(reconciler, began_ns);
    if (st < 0 || !result.is_pending)
        lw_reconciler_finish(reconciler, text, st, result.again_after_ns, &err);
}

void lw_reconciler_finish(lw_reconciler *reconciler, const char *ticket, lw_status st,
                          int64_t again_after_ns, const lw_error *err)
{
    const lw_error none = LW_ERROR_INIT;
    count_end(reconciler, st, again_after_ns);
    settle(reconciler, ticket, st, again_after_ns, err ? err : &none);
    lw_workqueue_done(reconciler->queue, ticket);
    count_pending(reconciler, false);
}

static void worker_run(void *arg)
{
    lw_reconciler *reconciler = arg;
    lw_cancel_scope scope;
    lw_cancel_enter(&scope, &reconciler->stopping);
    for (const char *key; (key = lw_workqueue_get(reconciler->queue, -1));) {
        if (lw_cancel_is_fired(&reconciler->stopping)) {
            lw_workqueue_done(reconciler->queue, key);
            break;
        }
        lw_reconciler__reconcile(reconciler, key);
    }
    lw_cancel_leave(&scope);
}

static lw_status read_options(lw_reconciler_options *o, const lw_reconciler_options *options,
                              lw_error *err)
{
    *o = (lw_reconciler_options)LW_RECONCILER_OPTIONS_INIT;
    lw_status st = lw_options_read(o, sizeof(*o), options, "lw_reconciler_options", err);
    if (st < 0)
        return st;
    if (!o->reconcile)
        return lw_error_set(err, LW_ERR_INVALID, "the reconcile function is missing");
    if (o->workers > WORKERS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "a reconciler can have at most %d workers",
                            WORKERS_MAX);
    return LW_OK;
}

lw_status lw_reconciler_new(lw_reconciler **out, const lw_reconciler_options *given, lw_error *err)
{
    lw_reconciler_options o;
    const lw_reconciler_options *options = &o;
    lw_status st = read_options(&o, given, err);
    if (st < 0)
        return st;
    lw_reconciler *reconciler = lw_alloc_zero(1, sizeof(*reconciler));
    if (!reconciler)
        return lw_error_nomem(err);
    reconciler->loop_fd = -1;
    lw_mutex_init(&reconciler->mu);
    lw_cond_init(&reconciler->is_joined);
    lw_dlist_init(&reconciler->feeds);
    reconciler->stopping = (lw_cancel)LW_CANCEL_NONE;
    reconciler->reconcile = options->reconcile;
    reconciler->arg = options->arg;
    if (options->logger)
        reconciler->logger = *options->logger;
    reconciler->worker_count = options->workers > 0 ? options->workers : 1;
    reconciler->name = lw_str_dup(lw_str_of(options->name ? options->name : "reconciler"));
    reconciler->workers = lw_alloc_zero(reconciler->worker_count, sizeof(lw_thread));
    st = reconciler->name && reconciler->workers
             ? lw_workqueue_new(&reconciler->queue, options->queue, err)
             : lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_cancel_init(&reconciler->stopping, err);
    if (st < 0) {
        lw_reconciler_free(reconciler);
        return st;
    }
    *out = reconciler;
    return LW_OK;
}

void lw_reconciler_free(lw_reconciler *reconciler)
{
    if (!reconciler)
        return;
    if (reconciler->stopping.fd >= 0)
        lw_reconciler_stop(reconciler);
    LW_DLIST_FOR_EACH_SAFE(lw_reconciler_feed, feed, &reconciler->feeds, node)
    {
        lw_informer_remove_handler(feed->informer, feed->registration);
        lw_dlist_remove(&feed->node);
        lw_free(feed);
    }
    lw_reconciler__close_loop(reconciler);
    lw_workqueue_free(reconciler->queue);
    lw_cancel_done(&reconciler->stopping);
    lw_free(reconciler->workers);
    lw_free(reconciler->name);
    lw_cond_done(&reconciler->is_joined);
    lw_mutex_done(&reconciler->mu);
    lw_free(reconciler);
}

/* Adds |feed| (NULL: memory ran out) to its informer and takes it. */
static lw_status feed_start_take(lw_reconciler *reconciler, lw_reconciler_feed *feed, lw_error *err)
{
    if (!feed)
        return lw_error_nomem(err);
    feed->queue = reconciler->queue;
    feed->logger = &reconciler->logger;
    feed->component = reconciler->name;
    const lw_handler handler = { .on_event = lw_reconciler_feed_on_event,
                                 .arg = feed,
                                 .mode = LW_HANDLER_IN_DISPATCH };
    lw_status st = lw_informer_add_handler(feed->informer, &handler, &feed->registration, err);
    if (st < 0) {
        lw_free(feed);
        return st;
    }
    lw_mutex_lock(&reconciler->mu);
    lw_dlist_push_back(&reconciler->feeds, &feed->node);
    lw_mutex_unlock(&reconciler->mu);
    return LW_OK;
}

static lw_status check_watch(const lw_reconciler_watch_options *o, lw_error *err)
{
    const unsigned known = LW_CHANGE_OF_GENERATION | LW_CHANGE_OF_LABELS | LW_CHANGE_OF_ANNOTATIONS;
    if (o->owners && o->map)
        return lw_error_set(err, LW_ERR_INVALID,
                            "a watch has either owners or a map function, not both");
    if (o->changes & ~known)
        return lw_error_set(err, LW_ERR_INVALID, "unknown changes 0x%x", o->changes & ~known);
    if (o->owners && !o->owners->host.provider->ops->type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "the source of \"%s\" does not report the kind of its objects; use "
                            "lw_reconciler_watch_mapped",
                            o->owners->key.spec.resource);
    return LW_OK;
}

lw_status lw_reconciler_watch_with(lw_reconciler *reconciler, lw_informer *informer,
                                   const lw_reconciler_watch_options *options, lw_error *err)
{
    lw_reconciler_watch_options o = LW_RECONCILER_WATCH_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_reconciler_watch_options", err);
    if (st == LW_OK)
        st = check_watch(&o, err);
    if (st < 0)
        return st;
    lw_reconciler_feed *feed = lw_alloc_zero(1, sizeof(*feed));
    if (feed) {
        feed->informer = informer;
        feed->owners = o.owners;
        feed->map = o.map;
        feed->map_arg = o.map_arg;
        feed->changes = o.changes;
        feed->filter = o.filter;
        feed->filter_arg = o.filter_arg;
    }
    return feed_start_take(reconciler, feed, err);
}

lw_status lw_reconciler_watch(lw_reconciler *reconciler, lw_informer *informer, lw_error *err)
{
    return lw_reconciler_watch_with(reconciler, informer, NULL, err);
}

lw_status lw_reconciler_watch_owned(lw_reconciler *reconciler, lw_informer *informer,
                                    lw_informer *owners, lw_error *err)
{
    lw_reconciler_watch_options options = LW_RECONCILER_WATCH_OPTIONS_INIT;
    options.owners = owners;
    return lw_reconciler_watch_with(reconciler, informer, &options, err);
}

lw_status lw_reconciler_watch_mapped(lw_reconciler *reconciler, lw_informer *informer,
                                     lw_reconcile_map_fn map, void *arg, lw_error *err)
{
    lw_reconciler_watch_options options = LW_RECONCILER_WATCH_OPTIONS_INIT;
    options.map = map;
    options.map_arg = arg;
    return lw_reconciler_watch_with(reconciler, informer, &options, err);
}

lw_status lw_reconciler_add(lw_reconciler *reconciler, lw_key key)
{
    return lw_reconciler_enqueue(reconciler->queue, key);
}

static lw_status start_workers_locked(lw_reconciler *reconciler, lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && reconciler->started < reconciler->worker_count) {
        st = lw_thread_start(&reconciler->workers[reconciler->started], reconciler->name,
                             worker_run, reconciler, err);
        reconciler->started += st == LW_OK;
    }
    return st;
}

lw_status lw_reconciler_start(lw_reconciler *reconciler, lw_error *err)
{
    lw_mutex_lock(&reconciler->mu);
    lw_reconciler_state was = reconciler->state;
    lw_status st = LW_OK;
    if (was == RECONCILER_NEW) {
        reconciler->state = RECONCILER_RUNNING;
        st = start_workers_locked(reconciler, err);
    }
    lw_mutex_unlock(&reconciler->mu);
    if (was == RECONCILER_RUNNING)
        return lw_error_set(err, LW_ERR_EXISTS, "the reconciler is already running");
    if (was == RECONCILER_STOPPED)
        return lw_error_set(err, LW_ERR_STOPPED, "the reconciler was stopped");
    if (st < 0)
        lw_reconciler_stop(reconciler);
    return st;
}

static bool is_worker_locked(const lw_reconciler *reconciler)
{
    for (unsigned i = reconciler->joined; i < reconciler->started; i++) {
        if (lw_thread_is_self(&reconciler->workers[i]))
            return true;
    }
    return false;
}

/* Joins the workers, or waits for the thread that does. */
static void join_locked(lw_reconciler *reconciler)
{
    while (reconciler->is_joining)
        lw_cond_wait(&reconciler->is_joined, &reconciler->mu);
    reconciler->is_joining = true;
    while (reconciler->joined < reconciler->started) {
        lw_thread *worker = &reconciler->workers[reconciler->joined];
        lw_mutex_unlock(&reconciler->mu);
        lw_thread_join(worker);
        lw_mutex_lock(&reconciler->mu);
        reconciler->joined++;
    }
    reconciler->is_joining = false;
    lw_cond_broadcast(&reconciler->is_joined);
}

void lw_reconciler_stop(lw_reconciler *reconciler)
{
    lw_cancel_fire(&reconciler->stopping);
    lw_workqueue_shut_down(reconciler->queue);
    lw_mutex_lock(&reconciler->mu);
    reconciler->state = RECONCILER_STOPPED;
    if (!is_worker_locked(reconciler))
        join_locked(reconciler);
    lw_mutex_unlock(&reconciler->mu);
}
