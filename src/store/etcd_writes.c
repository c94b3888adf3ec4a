/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writes.c -- sends transactions to etcd and handles the replies.
 *
 *     submit ──▶ queue ──▶ [lease] ──▶ etcd ──▶ wait for delivery ──▶ done
 *                  └─ deadline exceeded ──▶ done (unavailable)
 *
 * A window limits the transactions at etcd; the queue limits those that wait. */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "store/etcd_internal.h"

static size_t txn_bytes(const lw_store_txn *txn)
{
    return txn->key.len + txn->value.len;
}

lw_status lw_etcd_store_submit(lw_store *base, lw_store_txn *txn)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    if (!lw_etcd_store_has_key(store, txn->key))
        return LW_ERR_INVALID;
    lw_etcd_write *write = lw_alloc_zero(1, sizeof(*write));
    if (!write)
        return LW_ERR_NOMEM;
    write->store = store;
    write->txn = txn;
    write->key = txn->key;
    write->deadline_ns =
        lw_clock_now(lw_loop_clock(store->loop)) + LW_STORE_ETCD_WAIT_S * LW_NS_PER_S;
    size_t bytes = txn_bytes(txn);
    lw_status st = LW_OK;
    lw_mutex_lock(&store->mu);
    if (store->is_closed)
        st = LW_ERR_STOPPED;
    else if (store->queue_count == LW_STORE_QUEUE_MAX ||
             store->queue_bytes + bytes > LW_STORE_QUEUE_BYTES)
        st = LW_ERR_TOO_MANY;
    if (st == LW_OK) {
        lw_dlist_push_back(&store->queue, &write->link);
        store->queue_count++;
        store->queue_bytes += bytes;
        lw_etcd_store_wake_locked(store);
    }
    lw_mutex_unlock(&store->mu);
    if (st < 0)
        lw_free(write);
    return st;
}

/* Ends the transaction: its st, revision and err are set. */
static void write_end(lw_etcd_write *write)
{
    lw_etcd_store *store = write->store;
    lw_store_txn *txn = write->txn;
    if (write->is_attached)
        (void)lw_map_remove_str(&store->attached, write->key);
    if (write->is_under_way)
        store->under_way--;
    lw_free(write);
    txn->done(txn);
    lw_mutex_lock(&store->mu);
    if (store->is_stopping || !lw_dlist_is_empty(&store->queue))
        lw_etcd_store_wake_locked(store);
    lw_mutex_unlock(&store->mu);
}

void lw_etcd_write_fail(lw_etcd_write *write, lw_status st, const char *message)
{
    lw_store_txn *txn = write->txn;
    txn->st = lw_error_set(&txn->err, st, "%s", message);
    write_end(write);
}

void lw_etcd_write_done(lw_etcd_write *write)
{
    write_end(write);
}

/* Maps the error |err| of etcd to that of the transaction.  The change was certainly not made. */
static lw_status refusal_of(const lw_error *err)
{
    switch (err->code) {
    case LW_ERR_LIMIT:
    case LW_ERR_NOMEM:
    case LW_ERR_TOO_MANY: return err->code;
    case LW_ERR_UNAVAILABLE:
    case LW_ERR_TIMEOUT: return LW_ERR_UNAVAILABLE;
    default: return LW_ERR_IO;
    }
}

static void write_failed(lw_etcd_write *write, const lw_etcd_answer *answer)
{
    lw_store_txn *txn = write->txn;
    if (answer->is_unknown)
        txn->st = lw_error_set(
            &txn->err, LW_ERR_TIMEOUT,
            "it is unknown whether the change was made: %s; read the object before you retry",
            answer->err->message);
    else
        txn->st = lw_error_set(&txn->err, refusal_of(answer->err), "%s", answer->err->message);
    write_end(write);
}

static void write_answered(const lw_etcd_txn_answer *answer, void *arg)
{
    lw_etcd_write *write = arg;
    lw_store_txn *txn = write->txn;
    if (answer->base.err) {
        write_failed(write, &answer->base);
        return;
    }
    /* Deleting an absent key changes nothing, but in etcd its guard succeeds. */
    bool is_made = answer->is_done && !(txn->op == LW_STORE_DELETE && txn->expected == 0);
    txn->st = is_made ? LW_OK : LW_ERR_CONFLICT;
    txn->revision = is_made ? answer->base.revision : answer->kv ? answer->kv->mod_revision : 0;
    /* After a conflict, too: a caller that reads again must find the change that caused it. */
    write->wait_for = answer->base.revision;
    if (write->wait_for <= lw_etcd_told_to_all(write->store))
        lw_etcd_write_done(write);
    else
        lw_etcd_wait_told(write);
}

/* Lets the event find the parsed object by its key.  Without memory the object is parsed again. */
static void attach(lw_etcd_write *write)
{
    lw_etcd_store *store = write->store;
    void *replaced = NULL;
    if (write->txn->op != LW_STORE_PUT || !write->txn->attachment ||
        lw_map_get_str(&store->attached, write->key))
        return;
    write->is_attached = lw_map_put(&store->attached, &write->key, write, &replaced) == LW_OK;
}

void *lw_etcd_attachment(lw_etcd_store *store, const lw_etcd_event *event)
{
    const lw_etcd_write *write =
        event->is_delete ? NULL : lw_map_get_str(&store->attached, event->kv.key);
    /* Equal bytes are the same object, regardless of who wrote them. */
    if (!write || !lw_str_equal(write->txn->value, event->kv.value))
        return NULL;
    return write->txn->attachment;
}

void lw_etcd_write_send(lw_etcd_write *write, int64_t lease)
{
    const lw_store_txn *txn = write->txn;
    const lw_etcd_txn_request request = {
        .op = txn->op == LW_STORE_PUT ? LW_ETCD_PUT : LW_ETCD_DELETE,
        .key = txn->key,
        .value = txn->op == LW_STORE_PUT ? txn->value : LW_STR(""),
        .lease = lease,
        .expected = txn->expected,
    };
    attach(write);
    lw_status st = lw_etcd_txn(write->store->etcd, &request, write_answered, write, NULL);
    if (st < 0)
        lw_etcd_write_fail(write, st, lw_status_name(st));
}

/* Removes the first transaction from the queue; NULL: none, or its deadline is after |until_ns|. */
static lw_etcd_write *take(lw_etcd_store *store, int64_t until_ns)
{
    lw_mutex_lock(&store->mu);
    lw_etcd_write *write = LW_DLIST_ITEM(lw_dlist_first(&store->queue), lw_etcd_write, link);
    if (write && write->deadline_ns > until_ns)
        write = NULL;
    if (write) {
        lw_dlist_remove(&write->link);
        store->queue_count--;
        store->queue_bytes -= txn_bytes(write->txn);
    }
    lw_mutex_unlock(&store->mu);
    return write;
}

void lw_etcd_writes_pump(lw_etcd_store *store)
{
    while (store->under_way < LW_STORE_ETCD_WINDOW) {
        lw_etcd_write *write = take(store, INT64_MAX);
        if (!write)
            return;
        store->under_way++;
        write->is_under_way = true;
        if (write->txn->op == LW_STORE_PUT && write->txn->ttl_s > 0)
            lw_etcd_lease_send(write);
        else
            lw_etcd_write_send(write, 0);
    }
    lw_etcd_tick_start(store);
}

void lw_etcd_writes_expire(lw_etcd_store *store, int64_t now_ns)
{
    for (lw_etcd_write *write; (write = take(store, now_ns));)
        lw_etcd_write_fail(write, LW_ERR_UNAVAILABLE,
                           "etcd is slow or unavailable: the change was not sent in time");
    LW_DLIST_FOR_EACH_SAFE(lw_etcd_write, write, &store->told_waits, link)
    {
        if (write->deadline_ns > now_ns)
            continue;
        lw_dlist_remove(&write->link);
        lw_store_txn *txn = write->txn;
        txn->st = lw_error_set(
            &txn->err, LW_ERR_TIMEOUT,
            "etcd replied at revision %" PRIu64
            ", but this server has not received the change yet; read the object before you retry",
            write->wait_for);
        write_end(write);
    }
}
