/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.c -- the etcd store: opening, its thread, closing. */
#include "store/etcd.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "store/etcd_internal.h"

static void job_task(lw_task *task)
{
    lw_etcd_job *job = LW_DLIST_ITEM(&task->link, lw_etcd_job, task.link);
    job->run(job);
}

void lw_etcd_job_run(lw_etcd_store *store, lw_etcd_job *job, void (*run)(lw_etcd_job *job))
{
    job->task = (lw_task){ .run = job_task };
    job->store = store;
    job->run = run;
    job->is_ended = false;
    lw_mutex_init(&job->mu);
    lw_cond_init(&job->ended);
    lw_loop_post(store->loop, &job->task);
    lw_mutex_lock(&job->mu);
    while (!job->is_ended)
        lw_cond_wait(&job->ended, &job->mu);
    lw_mutex_unlock(&job->mu);
    lw_cond_done(&job->ended);
    lw_mutex_done(&job->mu);
}

void lw_etcd_job_end(lw_etcd_job *job)
{
    lw_mutex_lock(&job->mu);
    job->is_ended = true;
    lw_cond_signal(&job->ended);
    lw_mutex_unlock(&job->mu);
}

bool lw_etcd_store_has_key(const lw_etcd_store *store, lw_str key)
{
    return key.len <= LW_STORE_KEY_MAX && lw_str_starts_with(key, store->prefix);
}

void lw_etcd_store_wake_locked(lw_etcd_store *store)
{
    if (store->is_woken)
        return;
    store->is_woken = true;
    lw_loop_post(store->loop, &store->wake);
}

void lw_etcd_store_wake(lw_etcd_store *store)
{
    lw_mutex_lock(&store->mu);
    lw_etcd_store_wake_locked(store);
    lw_mutex_unlock(&store->mu);
}

/* Ends the thread if the store is being closed and nothing is in progress. */
static void stop_if_idle(lw_etcd_store *store)
{
    lw_mutex_lock(&store->mu);
    bool is_idle = lw_dlist_is_empty(&store->queue) && store->question_count == 0;
    lw_mutex_unlock(&store->mu);
    if (store->is_stopping && is_idle && store->under_way == 0)
        lw_loop_stop(store->loop);
}

static void woken(lw_task *task)
{
    lw_etcd_store *store = LW_DLIST_ITEM(&task->link, lw_etcd_store, wake.link);
    lw_mutex_lock(&store->mu);
    store->is_woken = false;
    lw_mutex_unlock(&store->mu);
    lw_etcd_writes_pump(store);
    lw_etcd_confirms_pump(store);
    lw_etcd_feeds_sweep(store);
    stop_if_idle(store);
}

static void revisions(lw_store *base, uint64_t *current, uint64_t *compacted)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    *current = lw_etcd_store_told(store);
    *compacted = atomic_load(&store->compacted);
}

static size_t bytes(lw_store *base)
{
    return atomic_load_explicit(&lw_etcd_store_of(base)->bytes, memory_order_relaxed);
}

/* Frees all parts of |store|; its thread has ended. */
static void store_done(lw_etcd_store *store)
{
    lw_error stopped = LW_ERROR_INIT;
    (void)lw_error_set(&stopped, LW_ERR_STOPPED, "the store is closed");
    lw_etcd_watches_end(store, &stopped);
    lw_etcd_watches_free(store);
    if (store->loop) {
        lw_etcd_feed_close(&store->main);
        lw_timer_cancel(store->loop, &store->tick);
        lw_timer_cancel(store->loop, &store->progress);
        lw_timer_cancel(store->loop, &store->compact_timer);
        lw_timer_cancel(store->loop, &store->status_timer);
    }
    lw_etcd_free(store->etcd);
    lw_loop_free(store->loop);
    lw_map_done(&store->attached);
    lw_free(store->events);
    lw_free(store->chosen);
    lw_free(store->prefix_text);
    lw_free(store->prefix_end_text);
    lw_mutex_done(&store->mu);
    lw_free(store);
}

static void stop_on_thread(lw_etcd_job *job)
{
    job->store->is_stopping = true;
    lw_etcd_job_end(job);
    lw_etcd_store_wake(job->store);
}

static void store_free(lw_store *base)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    lw_mutex_lock(&store->mu);
    store->is_closed = true;
    lw_mutex_unlock(&store->mu);
    if (store->is_started) {
        lw_etcd_job stop;
        lw_etcd_job_run(store, &stop, stop_on_thread);
        lw_thread_join(&store->thread);
    }
    store_done(store);
}

static const lw_store_ops ops = {
    .submit = lw_etcd_store_submit,
    .range = lw_etcd_store_range,
    .watch = lw_etcd_store_watch,
    .unwatch = lw_etcd_store_unwatch,
    .compact = lw_etcd_store_compact,
    .revisions = revisions,
    .bytes = bytes,
    .confirm = lw_etcd_store_confirm,
    .free = store_free,
};

static void run_loop(void *arg)
{
    lw_etcd_store *store = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_loop_run(store->loop, &err) < 0)
        lw_log(store->logger, LW_LOG_ERROR, "store", "the store thread failed: %s", err.message);
}

static lw_status set_prefix(lw_etcd_store *store, const char *prefix, lw_error *err)
{
    lw_str given = lw_str_of(prefix ? prefix : "/registry/");
    if (given.len > LW_STORE_KEY_MAX / 2)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the key prefix is too long; the limit is %d bytes",
                            LW_STORE_KEY_MAX / 2);
    store->prefix_text = lw_str_dup(given);
    store->prefix_end_text = lw_str_dup(given);
    if (!store->prefix_text || !store->prefix_end_text)
        return lw_error_nomem(err);
    store->prefix = lw_str_make(store->prefix_text, given.len);
    lw_store_prefix_end(store->prefix, store->prefix_end_text, &store->prefix_end);
    return LW_OK;
}

static lw_status make_client(lw_etcd_store *store, const lw_store_etcd_options *options,
                             lw_error *err)
{
    const lw_etcd_options wanted = {
        .endpoints = options->endpoints,
        .ca_file = options->ca_file,
        .cert_file = options->cert_file,
        .key_file = options->key_file,
        .user = options->user,
        .password = options->password,
        .request_timeout_ms = options->request_timeout_ms,
        .logger = options->logger,
    };
    lw_status st = lw_loop_new(&store->loop, NULL, err);
    if (st == LW_OK)
        st = lw_etcd_new(&store->etcd, store->loop, &wanted, err);
    if (st == LW_OK)
        st = lw_etcd_feed_init(&store->main, store, NULL);
    return st;
}

static lw_status store_new(lw_etcd_store **out, const lw_store_etcd_options *options, lw_error *err)
{
    static const lw_map_type by_key = LW_MAP_STR_TYPE(lw_etcd_write, key);
    lw_etcd_store *store = lw_alloc_zero(1, sizeof(*store));
    if (!store)
        return lw_error_nomem(err);
    store->base.ops = &ops;
    store->logger = options->logger;
    store->compact_s = options->compact_s == 0 ? LW_STORE_ETCD_COMPACT_S : options->compact_s;
    atomic_init(&store->told, 0);
    atomic_init(&store->compacted, 0);
    atomic_init(&store->bytes, 0);
    lw_mutex_init(&store->mu);
    lw_dlist_init(&store->queue);
    lw_dlist_init(&store->questions);
    lw_dlist_init(&store->asking);
    lw_dlist_init(&store->confirmed);
    lw_dlist_init(&store->watches);
    store->wake.run = woken;
    lw_map_init(&store->attached, &by_key, lw_hash_seed_random(), LW_STORE_ETCD_WINDOW);
    lw_etcd_waits_init(store);
    lw_etcd_leases_init(store);
    lw_status st = set_prefix(store, options->prefix, err);
    if (st == LW_OK)
        st = make_client(store, options, err);
    if (st < 0) {
        store_done(store);
        return st;
    }
    *out = store;
    return LW_OK;
}

/* Sets the first revision on the store's thread. */
typedef struct begin_job {
    lw_etcd_job job;
    uint64_t revision;
} begin_job;

static void begin_on_thread(lw_etcd_job *job)
{
    lw_etcd_store *store = job->store;
    store->main.told = ((begin_job *)(void *)job)->revision;
    atomic_store(&store->told, store->main.told);
    lw_etcd_feed_open(&store->main);
    lw_etcd_compact_start(store);
    lw_etcd_status_start(store);
    lw_etcd_job_end(job);
}

static lw_status ignore_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)record;
    (void)arg;
    (void)err;
    return LW_OK;
}

/* Checks whether etcd can be read at |*revision|; 0: the latest, which is then set. */
static lw_status read_at(lw_etcd_store *store, uint64_t *revision, lw_error *err)
{
    const lw_store_range one = { .start = store->prefix, .revision = *revision, .limit = 1 };
    lw_store_range_result result;
    lw_status st = lw_etcd_store_range(&store->base, &one, ignore_record, NULL, &result, err);
    if (st == LW_OK)
        *revision = result.revision;
    return st;
}

/* Gets the version, the revision and the compacted revision of the cluster. */
static lw_status store_start(lw_etcd_store *store, lw_error *err)
{
    lw_status st = lw_thread_start(&store->thread, "lw-etcd", run_loop, store, err);
    if (st < 0)
        return st;
    store->is_started = true;
    begin_job begin = { .revision = 0 };
    st = lw_etcd_probe_version(store, err);
    if (st == LW_OK)
        st = read_at(store, &begin.revision, err);
    if (st < 0)
        return st;
    lw_etcd_job_run(store, &begin.job, begin_on_thread);
    uint64_t first = 1;
    /* If it is compacted, this finds the oldest available revision. */
    st = read_at(store, &first, err);
    return st == LW_ERR_EXPIRED ? LW_OK : st;
}

/* Returns the error for a cluster that does not respond at the start. */
static lw_status start_error(lw_error *err, lw_status st, const char *endpoints)
{
    lw_error why = LW_ERROR_INIT;
    if (!err)
        return st == LW_ERR_TIMEOUT ? LW_ERR_UNAVAILABLE : st;
    why = *err;
    if (st == LW_ERR_UNAVAILABLE || st == LW_ERR_TIMEOUT)
        return lw_error_set(
            err, LW_ERR_UNAVAILABLE,
            "cannot reach etcd at %s: %s; check that it is running and that the address is correct",
            endpoints, why.message);
    return st;
}

lw_status lw_store_etcd_open(lw_store **out, const lw_store_etcd_options *options, lw_error *err)
{
    lw_etcd_store *store = NULL;
    lw_error own = LW_ERROR_INIT;
    lw_status st = store_new(&store, options, &own);
    if (st == LW_OK) {
        st = store_start(store, &own);
        if (st < 0) {
            st = start_error(&own, st, options->endpoints);
            store_free(&store->base);
        }
    }
    if (st == LW_OK)
        *out = &store->base;
    else if (err)
        *err = own;
    return st;
}
