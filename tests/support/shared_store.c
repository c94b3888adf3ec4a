/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store.c -- an in-memory store whose watches can be held back. */
#include "support/shared_store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "store/memory.h"

typedef struct shared_store shared_store;

/* A batch that is held back; its events and their bytes are malloc'd. */
typedef struct held {
    lw_dlist_node link;
    struct lw_store_watch *watch;
    lw_store_event *events;
    size_t count;
    uint64_t revision;
} held;

struct lw_store_watch {
    shared_store *store;
    lw_store_sink sink;
    lw_store_watch *inner;
    lw_dlist_node link;
    bool is_over;
};

/* An open transaction, with the callback of its owner. */
typedef struct passing {
    shared_store *store;
    void (*done)(lw_store_txn *txn);
    void *arg;
} passing;

struct shared_store {
    lw_store base;
    lw_store *inner;
    lw_mutex mu; /* guards the fields below; held while sinks are called */
    lw_dlist watches;
    lw_dlist batches;
    lw_dlist questions;
    size_t question_count;
    bool is_holding;
    lw_cond unblocked;
    bool is_blocked;
    atomic_int failure, read_failure;
    atomic_int_least64_t last_ttl;
};

static shared_store *shared_of(lw_store *store)
{
    return (shared_store *)(void *)store;
}

static char *copy_bytes(lw_str bytes)
{
    char *copy = malloc(bytes.len + 1);
    if (!copy)
        abort();
    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    return copy;
}

static void hold_batch(lw_store_watch *watch, const lw_store_event *events, size_t count,
                       uint64_t revision)
{
    held *batch = calloc(1, sizeof(*batch));
    if (!batch || !(batch->events = calloc(count + 1, sizeof(*events))))
        abort();
    for (size_t i = 0; i < count; i++) {
        batch->events[i] = events[i];
        batch->events[i].key.ptr = copy_bytes(events[i].key);
        batch->events[i].value.ptr = copy_bytes(events[i].value);
        batch->events[i].attachment = NULL;
    }
    batch->watch = watch;
    batch->count = count;
    batch->revision = revision;
    lw_dlist_push_back(&watch->store->batches, &batch->link);
}

static void batch_free(held *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        free((void *)(uintptr_t)batch->events[i].key.ptr);
        free((void *)(uintptr_t)batch->events[i].value.ptr);
    }
    free(batch->events);
    free(batch);
}

static void let_through_locked(shared_store *store)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&store->batches));) {
        held *batch = LW_DLIST_ITEM(node, held, link);
        if (!batch->watch->is_over)
            batch->watch->sink.on_events(batch->events, batch->count, batch->revision,
                                         batch->watch->sink.arg);
        batch_free(batch);
    }
}

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    lw_store_watch *watch = arg;
    lw_mutex_lock(&watch->store->mu);
    if (watch->store->is_holding)
        hold_batch(watch, events, count, revision);
    else if (!watch->is_over)
        watch->sink.on_events(events, count, revision, watch->sink.arg);
    lw_mutex_unlock(&watch->store->mu);
}

static void on_compacted(uint64_t revision, void *arg)
{
    lw_store_watch *watch = arg;
    lw_mutex_lock(&watch->store->mu);
    if (!watch->is_over && watch->sink.on_compacted)
        watch->sink.on_compacted(revision, watch->sink.arg);
    lw_mutex_unlock(&watch->store->mu);
}

static void end_locked(lw_store_watch *watch, lw_status st)
{
    lw_error err = LW_ERROR_INIT;
    if (watch->is_over)
        return;
    watch->is_over = true;
    (void)lw_error_set(&err, st, "the watch is over");
    if (watch->sink.on_end)
        watch->sink.on_end(&err, watch->sink.arg);
}

static void on_end(const lw_error *err, void *arg)
{
    lw_store_watch *watch = arg;
    lw_mutex_lock(&watch->store->mu);
    end_locked(watch, err->code);
    lw_mutex_unlock(&watch->store->mu);
}

static void txn_done(lw_store_txn *txn)
{
    passing *own = txn->arg;
    lw_mutex_lock(&own->store->mu);
    let_through_locked(own->store);
    lw_mutex_unlock(&own->store->mu);
    txn->done = own->done;
    txn->arg = own->arg;
    free(own);
    txn->done(txn);
}

static lw_status submit(lw_store *base, lw_store_txn *txn)
{
    shared_store *store = shared_of(base);
    lw_status failure = (lw_status)atomic_load(&store->failure);
    atomic_store(&store->last_ttl, txn->ttl_s);
    if (failure < 0) {
        txn->st = lw_error_set(&txn->err, failure, "the store says no");
        txn->done(txn);
        return LW_OK;
    }
    passing *own = malloc(sizeof(*own));
    if (!own)
        abort();
    *own = (passing){ store, txn->done, txn->arg };
    txn->done = txn_done;
    txn->arg = own;
    lw_status st = lw_store_submit(store->inner, txn);
    if (st < 0)
        free(own);
    return st;
}

static lw_status range(lw_store *base, const lw_store_range *wanted, lw_store_record_fn fn,
                       void *arg, lw_store_range_result *result, lw_error *err)
{
    shared_store *store = shared_of(base);
    lw_mutex_lock(&store->mu);
    while (store->is_blocked)
        lw_cond_wait(&store->unblocked, &store->mu);
    lw_mutex_unlock(&store->mu);
    lw_status failure = (lw_status)atomic_load(&store->read_failure);
    if (failure < 0)
        return lw_error_set(err, failure, "the store cannot be read");
    return lw_store_read(store->inner, wanted, fn, arg, result, err);
}

static lw_status watch_open(lw_store *base, lw_str prefix, uint64_t after,
                            const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    shared_store *store = shared_of(base);
    lw_store_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        abort();
    watch->store = store;
    watch->sink = *sink;
    lw_mutex_lock(&store->mu);
    lw_dlist_push_back(&store->watches, &watch->link);
    lw_mutex_unlock(&store->mu);
    const lw_store_sink own = { on_events, on_compacted, on_end, watch };
    lw_status st = lw_store_watch_open(store->inner, prefix, after, &own, &watch->inner, err);
    if (st < 0) {
        lw_mutex_lock(&store->mu);
        lw_dlist_remove(&watch->link);
        lw_mutex_unlock(&store->mu);
        free(watch);
        return st;
    }
    *out = watch;
    return LW_OK;
}

static void unwatch(lw_store *base, lw_store_watch *watch)
{
    shared_store *store = shared_of(base);
    lw_store_watch_close(store->inner, watch->inner);
    lw_mutex_lock(&store->mu);
    LW_DLIST_FOR_EACH_SAFE(held, batch, &store->batches, link)
    {
        if (batch->watch != watch)
            continue;
        lw_dlist_remove(&batch->link);
        batch_free(batch);
    }
    lw_dlist_remove(&watch->link);
    lw_mutex_unlock(&store->mu);
    free(watch);
}

static lw_status compact(lw_store *base, uint64_t revision, lw_error *err)
{
    return lw_store_compact(shared_of(base)->inner, revision, err);
}

static void revisions(lw_store *base, uint64_t *current, uint64_t *compacted)
{
    lw_store_revisions(shared_of(base)->inner, current, compacted);
}

static size_t bytes(lw_store *base)
{
    return lw_store_bytes(shared_of(base)->inner);
}

static lw_status confirm(lw_store *base, lw_store_confirmation *confirmation)
{
    shared_store *store = shared_of(base);
    lw_mutex_lock(&store->mu);
    lw_dlist_push_back(&store->questions, &confirmation->link);
    store->question_count++;
    lw_mutex_unlock(&store->mu);
    return LW_OK;
}

static void store_free(lw_store *base)
{
    shared_store *store = shared_of(base);
    lw_store_free(store->inner);
    LW_DLIST_FOR_EACH_SAFE(held, batch, &store->batches, link)
    {
        lw_dlist_remove(&batch->link);
        batch_free(batch);
    }
    LW_DLIST_FOR_EACH_SAFE(lw_store_watch, watch, &store->watches, link)
    {
        lw_dlist_remove(&watch->link);
        free(watch);
    }
    lw_cond_done(&store->unblocked);
    lw_mutex_done(&store->mu);
    free(store);
}

lw_status shared_store_new(lw_store **out, lw_error *err)
{
    static const lw_store_ops ops = { .submit = submit,
                                      .range = range,
                                      .watch = watch_open,
                                      .unwatch = unwatch,
                                      .compact = compact,
                                      .revisions = revisions,
                                      .bytes = bytes,
                                      .confirm = confirm,
                                      .free = store_free };
    shared_store *store = calloc(1, sizeof(*store));
    if (!store)
        abort();
    store->base.ops = &ops;
    lw_mutex_init(&store->mu);
    lw_cond_init(&store->unblocked);
    lw_dlist_init(&store->watches);
    lw_dlist_init(&store->batches);
    lw_dlist_init(&store->questions);
    lw_status st = lw_memory_store_new(&store->inner, NULL, err);
    if (st < 0)
        store_free(&store->base);
    else
        *out = &store->base;
    return st;
}

lw_store *shared_store_inner(lw_store *store)
{
    return shared_of(store)->inner;
}

void shared_store_hold(lw_store *store)
{
    lw_mutex_lock(&shared_of(store)->mu);
    shared_of(store)->is_holding = true;
    lw_mutex_unlock(&shared_of(store)->mu);
}

void shared_store_let_through(lw_store *store)
{
    lw_mutex_lock(&shared_of(store)->mu);
    shared_of(store)->is_holding = false;
    let_through_locked(shared_of(store));
    lw_mutex_unlock(&shared_of(store)->mu);
}

size_t shared_store_questions(lw_store *store)
{
    lw_mutex_lock(&shared_of(store)->mu);
    size_t count = shared_of(store)->question_count;
    lw_mutex_unlock(&shared_of(store)->mu);
    return count;
}

void shared_store_answer_with(lw_store *base, lw_status st)
{
    shared_store *store = shared_of(base);
    lw_dlist asked;
    uint64_t current, compacted;
    lw_dlist_init(&asked);
    lw_store_revisions(store->inner, &current, &compacted);
    lw_mutex_lock(&store->mu);
    lw_dlist_append_all(&asked, &store->questions);
    store->question_count = 0;
    lw_mutex_unlock(&store->mu);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&asked));) {
        lw_store_confirmation *question = LW_DLIST_ITEM(node, lw_store_confirmation, link);
        question->st = st;
        question->revision = current;
        if (st < 0)
            (void)lw_error_set(&question->err, st, "nobody answers");
        question->done(question);
    }
}

void shared_store_answer(lw_store *store)
{
    shared_store_let_through(store);
    shared_store_answer_with(store, LW_OK);
}

void shared_store_fail(lw_store *store, lw_status st)
{
    atomic_store(&shared_of(store)->failure, st);
}

void shared_store_fail_reads(lw_store *store, lw_status st)
{
    atomic_store(&shared_of(store)->read_failure, st);
}

void shared_store_cut(lw_store *store)
{
    lw_mutex_lock(&shared_of(store)->mu);
    LW_DLIST_FOR_EACH(lw_store_watch, watch, &shared_of(store)->watches, link)
    end_locked(watch, LW_ERR_EXPIRED);
    lw_mutex_unlock(&shared_of(store)->mu);
}

void shared_store_block_reads(lw_store *store, bool is_blocked)
{
    lw_mutex_lock(&shared_of(store)->mu);
    shared_of(store)->is_blocked = is_blocked;
    lw_cond_broadcast(&shared_of(store)->unblocked);
    lw_mutex_unlock(&shared_of(store)->mu);
}

int64_t shared_store_last_ttl(lw_store *store)
{
    return atomic_load(&shared_of(store)->last_ttl);
}
