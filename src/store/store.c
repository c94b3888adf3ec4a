/* SPDX-License-Identifier: Apache-2.0 */
/* store.c -- the functions that are the same for every backend. */
#include "store/store.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"

lw_status lw_store_submit(lw_store *store, lw_store_txn *txn)
{
    assert(txn->done);
    if (txn->key.len == 0 || txn->key.len > LW_STORE_KEY_MAX || txn->value.len > LW_STORE_VALUE_MAX)
        return LW_ERR_LIMIT;
    return store->ops->submit(store, txn);
}

void lw_store_hold(lw_store *store, bool is_held)
{
    if (store->ops->hold)
        store->ops->hold(store, is_held);
}

/* A thread that waits for its transaction. */
typedef struct wait_for_txn {
    lw_mutex mu;
    lw_cond changed;
    bool is_done; /* guarded by mu */
} wait_for_txn;

static void commit_done(lw_store_txn *txn)
{
    wait_for_txn *wait = txn->arg;
    lw_mutex_lock(&wait->mu);
    wait->is_done = true;
    lw_cond_signal(&wait->changed);
    lw_mutex_unlock(&wait->mu);
}

lw_status lw_store_commit(lw_store *store, lw_store_txn *txn)
{
    wait_for_txn wait = { .is_done = false };
    lw_mutex_init(&wait.mu);
    lw_cond_init(&wait.changed);
    txn->done = commit_done;
    txn->arg = &wait;
    lw_status st = lw_store_submit(store, txn);
    if (st == LW_OK) {
        lw_mutex_lock(&wait.mu);
        while (!wait.is_done)
            lw_cond_wait(&wait.changed, &wait.mu);
        lw_mutex_unlock(&wait.mu);
        st = txn->st;
    }
    lw_cond_done(&wait.changed);
    lw_mutex_done(&wait.mu);
    return st;
}

lw_status lw_store_read(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err)
{
    return store->ops->range(store, range, fn, arg, result, err);
}

typedef struct single_get {
    lw_buf *value;
    lw_store_record *record;
    bool is_found;
} single_get;

static lw_status get_record(const lw_store_record *record, void *arg, lw_error *err)
{
    single_get *get = arg;
    lw_buf_append_str(get->value, record->value);
    if (get->value->st < 0)
        return lw_error_set(err, get->value->st, "cannot copy the value");
    if (get->record) {
        *get->record = *record;
        get->record->key = (lw_str)LW_STR_INIT("");
        get->record->value = (lw_str)LW_STR_INIT("");
    }
    get->is_found = true;
    return LW_OK;
}

lw_status lw_store_get(lw_store *store, lw_str key, uint64_t revision, lw_buf *value,
                       lw_store_record *record, lw_error *err)
{
    if (key.len > LW_STORE_KEY_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the key is too long; the limit is %d bytes",
                            LW_STORE_KEY_MAX);
    char after[LW_STORE_KEY_MAX + 1]; /* the smallest key after |key|: |key| and a NUL */
    if (key.len > 0)
        memcpy(after, key.ptr, key.len);
    after[key.len] = '\0';
    lw_store_range range = {
        .start = key, .end = { after, key.len + 1 }, .revision = revision, .limit = 1
    };
    single_get get = { .value = value, .record = record };
    lw_store_range_result result;
    lw_status st = lw_store_read(store, &range, get_record, &get, &result, err);
    if (st == LW_OK && !get.is_found)
        st = lw_error_set(err, LW_ERR_NOT_FOUND, "key %.*s not found", LW_STR_ARG(key));
    return st;
}

lw_status lw_store_watch_open(lw_store *store, lw_str prefix, uint64_t after,
                              const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    return store->ops->watch(store, prefix, after, sink, out, err);
}

void lw_store_watch_close(lw_store *store, lw_store_watch *watch)
{
    if (watch)
        store->ops->unwatch(store, watch);
}

lw_status lw_store_compact(lw_store *store, uint64_t revision, lw_error *err)
{
    return store->ops->compact(store, revision, err);
}

void lw_store_revisions(lw_store *store, uint64_t *current, uint64_t *compacted)
{
    store->ops->revisions(store, current, compacted);
}

bool lw_store_is_shared(const lw_store *store)
{
    return store->ops->confirm != NULL;
}

bool lw_store_has_checksums(const lw_store *store)
{
    return store->ops->has_checksums;
}

lw_status lw_store_confirm(lw_store *store, lw_store_confirmation *confirmation)
{
    assert(lw_store_is_shared(store));
    return store->ops->confirm(store, confirmation);
}

size_t lw_store_bytes(lw_store *store)
{
    return store->ops->bytes(store);
}

void lw_store_check_condition(lw_store *store, lw_store_condition *condition)
{
    *condition = (lw_store_condition){ .limit = 0 };
    if (store->ops->condition)
        store->ops->condition(store, condition);
}

lw_status lw_store_backup(lw_store *store, int fd, const atomic_bool *is_cancelled, lw_error *err)
{
    if (!store->ops->backup)
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "this server keeps its objects in memory or in etcd: only a store in a "
                            "data directory has backups");
    return store->ops->backup(store, fd, is_cancelled, err);
}

void lw_store_free(lw_store *store)
{
    if (store)
        store->ops->free(store);
}

void lw_store_prefix_end(lw_str prefix, char *storage, lw_str *end)
{
    size_t len = prefix.len;
    if (len > 0)
        memcpy(storage, prefix.ptr, len);
    while (len > 0 && (unsigned char)storage[len - 1] == 0xff)
        len--;
    if (len > 0)
        storage[len - 1] = (char)((unsigned char)storage[len - 1] + 1);
    *end = (lw_str){ storage, len };
}
