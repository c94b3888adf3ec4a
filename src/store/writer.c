/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c -- the thread of a store: commits batches, delivers changes to watches, limits the
 * history.
 *
 * One iteration: a batch, then the requested compactions, then a portion for each watch that is
 * behind, then one background task.  Under load, all of these run between batches.
 *
 * Threads: the engine, the history and all callbacks belong to the thread.  The lock is held
 * briefly, never during a call of the engine or a callback. */
#include "store/writer.h"

#include <assert.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/writer_internal.h"

/* A compaction that a caller waits for; on the caller's stack. */
typedef struct compaction {
    uint64_t revision;
    bool is_answered;
    lw_status st;
    lw_error err;
    lw_dlist_node link;
} compaction;

static size_t txn_bytes(const lw_store_txn *txn)
{
    return txn->key.len + txn->value.len;
}

static bool writer_is_waiting_locked(const lw_store_writer *writer)
{
    return writer->is_held && !writer->is_stopping && writer->queue_count < LW_STORE_BATCH_MAX;
}

static void writer_take_batch(lw_store_writer *writer, lw_dlist *batch)
{
    size_t count = 0;
    size_t bytes = 0;
    lw_mutex_lock(&writer->mu);
    bool is_waiting = writer_is_waiting_locked(writer);
    while (!is_waiting && count < LW_STORE_BATCH_MAX && bytes < LW_STORE_BATCH_BYTES) {
        lw_dlist_node *node = lw_dlist_pop_front(&writer->queue);
        if (!node)
            break;
        lw_dlist_push_back(batch, node);
        bytes += txn_bytes(LW_DLIST_ITEM(node, lw_store_txn, link));
        count++;
    }
    writer->queue_count -= count;
    writer->queue_bytes -= bytes;
    lw_mutex_unlock(&writer->mu);
}

/* True if |st| refuses one transaction and not its batch. */
static bool is_refusal(lw_status st)
{
    return st == LW_ERR_CONFLICT || st == LW_ERR_NOMEM || st == LW_ERR_NO_SPACE;
}

/* Commits the batch or nothing of it.  LW_OK also if single changes were refused: their
 * transactions have the status.  |put_err|: refuse all puts because of it, unless NULL. */
static lw_status writer_try(lw_store_writer *writer, lw_dlist *batch, const lw_error *put_err,
                            lw_error *err)
{
    lw_store_engine *engine = writer->engine;
    uint64_t revision = engine->marks.current;
    lw_status st = engine->ops->begin(engine, err);
    if (st < 0)
        return st;
    LW_DLIST_FOR_EACH(lw_store_txn, txn, batch, link)
    {
        if (put_err && txn->op == LW_STORE_PUT) {
            txn->st = put_err->code;
            txn->err = *put_err;
            continue;
        }
        txn->err = (lw_error)LW_ERROR_INIT;
        txn->st = engine->ops->apply(engine, txn, revision + 1, &txn->err);
        if (txn->st == LW_OK) {
            txn->revision = ++revision;
        } else if (!is_refusal(txn->st)) {
            engine->ops->abort(engine);
            if (err)
                *err = txn->err;
            return txn->st;
        }
    }
    if (revision == engine->marks.current) {
        engine->ops->abort(engine); /* nothing to commit: no revision, no disk write */
        return LW_OK;
    }
    return engine->ops->commit(engine, err);
}

/* Commits the batch, with more space if it needs it and there is some. */
static lw_status writer_commit(lw_store_writer *writer, lw_dlist *batch, const lw_error *put_err,
                               lw_error *err)
{
    lw_store_engine *engine = writer->engine;
    lw_status st = writer_try(writer, batch, put_err, err);
    while (st == LW_ERR_LIMIT && engine->ops->make_room) {
        st = engine->ops->make_room(engine, err);
        if (st == LW_OK)
            st = writer_try(writer, batch, put_err, err);
    }
    return st;
}

static void writer_tell(lw_store_writer *writer, lw_dlist *batch, uint64_t base)
{
    size_t count = 0;
    LW_DLIST_FOR_EACH(lw_store_txn, txn, batch, link)
    {
        if (txn->st < 0)
            continue;
        bool is_delete = txn->op == LW_STORE_DELETE;
        writer->watches.events[count++] = (lw_store_event){
            .key = txn->key,
            .value = is_delete ? lw_str_make(NULL, 0) : txn->value,
            .revision = txn->revision,
            .is_delete = is_delete,
            .attachment = txn->attachment,
        };
    }
    lw_store_watches_tell(&writer->watches, count, base, writer->engine->marks.current);
}

static bool has_delete(const lw_dlist *batch)
{
    LW_DLIST_FOR_EACH(lw_store_txn, txn, batch, link)
    {
        if (txn->op == LW_STORE_DELETE)
            return true;
    }
    return false;
}

static void writer_complete(lw_dlist *batch, lw_status st, const lw_error *err)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(batch));) {
        lw_store_txn *txn = LW_DLIST_ITEM(node, lw_store_txn, link);
        if (st < 0) {
            txn->st = st;
            txn->err = *err;
        }
        txn->done(txn);
    }
}

static void writer_write(lw_store_writer *writer, lw_dlist *batch)
{
    lw_store_engine *engine = writer->engine;
    lw_error err = LW_ERROR_INIT;
    uint64_t base = engine->marks.current;
    lw_status st = writer_commit(writer, batch, NULL, &err);
    if (st < 0 || engine->marks.current > base)
        lw_store_writer__report(writer, st, &err);
    if ((st == LW_ERR_IO || st == LW_ERR_NO_SPACE) && has_delete(batch)) {
        /* The disk may be full: deletes need little, and are what makes space. */
        lw_error put_err = err;
        st = writer_commit(writer, batch, &put_err, &err);
    }
    lw_store_writer__publish(writer);
    if (st == LW_OK && engine->marks.current > base) {
        lw_history_note(&writer->history, engine->marks.current, engine->marks.weight,
                        lw_clock_now(writer->clock));
        writer_tell(writer, batch, base);
    }
    writer_complete(batch, st, &err);
}

/* |request| belongs to the waiting caller as soon as it is answered. */
static void compaction_answer(lw_store_writer *writer, compaction *request, lw_status st)
{
    lw_mutex_lock(&writer->mu);
    request->st = st;
    request->is_answered = true;
    lw_cond_broadcast(&writer->answered);
    lw_mutex_unlock(&writer->mu);
}

static compaction *writer_take_compaction(lw_store_writer *writer)
{
    lw_mutex_lock(&writer->mu);
    lw_dlist_node *node = lw_dlist_pop_front(&writer->compactions);
    lw_mutex_unlock(&writer->mu);
    return LW_DLIST_ITEM(node, compaction, link);
}

static void writer_compact_asked(lw_store_writer *writer)
{
    for (compaction *request; (request = writer_take_compaction(writer));)
        compaction_answer(writer, request,
                          lw_store_writer__compact_to(writer, request->revision, &request->err));
}

static bool writer_has_work_locked(lw_store_writer *writer)
{
    if ((!lw_dlist_is_empty(&writer->queue) && !writer_is_waiting_locked(writer)) ||
        !lw_dlist_is_empty(&writer->compactions))
        return true;
    if (writer->is_stopping && writer->finishes_sweep && lw_store_writer__has_to_sweep(writer) &&
        lw_store_writer__has_chore(writer))
        return true;
    return !writer->is_stopping &&
           (lw_store_watches_is_behind(&writer->watches, writer->engine->marks.current) ||
            lw_store_writer__has_chore(writer));
}

/* Waits for work.  False: the store is being closed and nothing is left. */
static bool writer_wait(lw_store_writer *writer)
{
    bool has_work = true;
    lw_mutex_lock(&writer->mu);
    while (!writer_has_work_locked(writer)) {
        if (writer->is_stopping) {
            has_work = false;
            break;
        }
        (void)lw_cond_wait_until(&writer->work, &writer->mu, lw_store_writer__deadline(writer));
    }
    lw_mutex_unlock(&writer->mu);
    return has_work;
}

static void writer_run(void *arg)
{
    lw_store_writer *writer = arg;
    lw_dlist batch;
    lw_dlist_init(&batch);
    while (writer_wait(writer)) {
        writer_take_batch(writer, &batch);
        if (!lw_dlist_is_empty(&batch))
            writer_write(writer, &batch);
        writer_compact_asked(writer);
        lw_store_watches_replay(&writer->watches, writer->engine);
        lw_store_writer__do_chore(writer);
    }
    lw_error over = LW_ERROR_INIT;
    (void)lw_error_set(&over, LW_ERR_STOPPED, "the store was closed");
    lw_store_watches_end(&writer->watches, &over);
}

lw_status lw_store_writer_init(lw_store_writer *writer, const lw_store_writer_options *options)
{
    lw_status st = lw_store_watches_init(&writer->watches);
    if (st < 0)
        return st;
    const lw_store_marks *marks = &options->engine->marks;
    writer->store.ops = options->ops;
    writer->engine = options->engine;
    writer->clock = options->clock ? options->clock : lw_clock_system();
    writer->logger = options->logger;
    writer->finishes_sweep = options->finishes_sweep;
    lw_history_init(&writer->history, &options->history, marks->compacted_weight);
    writer->retry_ns = INT64_MIN;
    writer->probe_ns = INT64_MIN;
    writer->shortage_ns = INT64_MIN;
    lw_mutex_init(&writer->mu);
    lw_cond_init(&writer->work);
    lw_cond_init(&writer->answered);
    lw_dlist_init(&writer->queue);
    lw_dlist_init(&writer->compactions);
    writer->queue_count = 0;
    writer->queue_bytes = 0;
    writer->current = marks->current;
    writer->compacted = marks->compacted;
    writer->condition = (lw_store_condition){ .used = options->engine->space.used,
                                              .limit = options->engine->space.limit,
                                              .keys = marks->keys };
    writer->is_stopping = false;
    writer->is_held = false;
    return LW_OK;
}

lw_status lw_store_writer_start(lw_store_writer *writer, lw_error *err)
{
    /* Compact now, before any caller can depend on the history.  If it fails, it is tried again
     * later. */
    uint64_t target = lw_history_target(&writer->history, lw_clock_now(writer->clock));
    if (target > 0)
        (void)lw_store_writer__compact_to(writer, target, NULL);
    return lw_thread_start(&writer->thread, "lw-store", writer_run, writer, err);
}

void lw_store_writer_stop(lw_store_writer *writer)
{
    lw_mutex_lock(&writer->mu);
    writer->is_stopping = true;
    lw_cond_signal(&writer->work);
    lw_mutex_unlock(&writer->mu);
    lw_thread_join(&writer->thread);
}

void lw_store_writer_done(lw_store_writer *writer)
{
    lw_store_watches_done(&writer->watches);
    lw_cond_done(&writer->answered);
    lw_cond_done(&writer->work);
    lw_mutex_done(&writer->mu);
}

static lw_store_writer *writer_of(lw_store *store)
{
    return (lw_store_writer *)store;
}

lw_status lw_store_writer_submit(lw_store *store, lw_store_txn *txn)
{
    lw_store_writer *writer = writer_of(store);
    lw_status st = LW_OK;
    lw_mutex_lock(&writer->mu);
    if (writer->is_stopping) {
        st = LW_ERR_STOPPED;
    } else if (writer->queue_count == LW_STORE_QUEUE_MAX ||
               writer->queue_bytes + txn_bytes(txn) > LW_STORE_QUEUE_BYTES) {
        st = LW_ERR_TOO_MANY;
    } else {
        lw_dlist_push_back(&writer->queue, &txn->link);
        writer->queue_count++;
        writer->queue_bytes += txn_bytes(txn);
        lw_cond_signal(&writer->work);
    }
    lw_mutex_unlock(&writer->mu);
    return st;
}

void lw_store_writer_hold(lw_store *store, bool is_held)
{
    lw_store_writer *writer = writer_of(store);
    lw_mutex_lock(&writer->mu);
    writer->is_held = is_held;
    lw_cond_signal(&writer->work);
    lw_mutex_unlock(&writer->mu);
}

lw_status lw_store_writer_watch(lw_store *store, lw_str prefix, uint64_t after,
                                const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    lw_store_writer *writer = writer_of(store);
    uint64_t compacted = 0;
    lw_store_writer_revisions(store, NULL, &compacted);
    if (after < compacted)
        return lw_error_set(err, LW_ERR_EXPIRED,
                            "cannot watch from revision %llu: the oldest available change is %llu",
                            (unsigned long long)after, (unsigned long long)compacted + 1);
    lw_status st = lw_store_watches_add(&writer->watches, prefix, after, sink, out, err);
    if (st < 0)
        return st;
    lw_mutex_lock(&writer->mu);
    lw_cond_signal(&writer->work); /* the new watch may be behind */
    lw_mutex_unlock(&writer->mu);
    return LW_OK;
}

void lw_store_writer_unwatch(lw_store *store, lw_store_watch *watch)
{
    lw_store_writer *writer = writer_of(store);
    assert(!lw_thread_is_self(&writer->thread));
    lw_store_watches_remove(&writer->watches, watch);
}

lw_status lw_store_writer_compact(lw_store *store, uint64_t revision, lw_error *err)
{
    lw_store_writer *writer = writer_of(store);
    compaction request = { .revision = revision, .err = LW_ERROR_INIT };
    lw_mutex_lock(&writer->mu);
    if (writer->is_stopping) {
        request.st = lw_error_set(&request.err, LW_ERR_STOPPED, "the store was closed");
    } else {
        lw_dlist_push_back(&writer->compactions, &request.link);
        lw_cond_signal(&writer->work);
        while (!request.is_answered)
            lw_cond_wait(&writer->answered, &writer->mu);
    }
    lw_mutex_unlock(&writer->mu);
    if (request.st < 0 && err)
        *err = request.err;
    return request.st;
}

void lw_store_writer_revisions(lw_store *store, uint64_t *current, uint64_t *compacted)
{
    lw_store_writer *writer = writer_of(store);
    lw_mutex_lock(&writer->mu);
    if (current)
        *current = writer->current;
    if (compacted)
        *compacted = writer->compacted;
    lw_mutex_unlock(&writer->mu);
}

void lw_store_writer_condition(lw_store *store, lw_store_condition *condition)
{
    lw_store_writer *writer = writer_of(store);
    lw_mutex_lock(&writer->mu);
    *condition = writer->condition;
    lw_mutex_unlock(&writer->mu);
}
