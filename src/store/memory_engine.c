/* SPDX-License-Identifier: Apache-2.0 */
/* memory_engine.c -- versions of keys in memory.
 *
 *  keys: [ "/a" ]   [ "/b" ]          sorted
 *            │          │
 *           r9         r7 (deleted)   newest first; older versions are needed to read older states
 *            │          │
 *           r5         r6
 *
 * Invariant: a key has at least one version; versions above the swept revision are in the log.
 * The lock is held for a whole batch, so readers see all of it or nothing. */
#include "store/memory_engine.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

enum {
    KEYS_AT_FIRST = 16,
};

typedef struct version version;

struct version {
    lw_memory_key *key;
    version *older;
    version *newer;
    uint64_t revision;
    uint64_t create_revision;
    uint64_t weight; /* weight of all changes up to this one */
    bool is_delete;
    size_t value_len;
    char value[];
};

struct lw_memory_key {
    version *newest;
    size_t len;
    char bytes[];
};

static lw_str key_str(const lw_memory_key *key)
{
    return lw_str_make(key->bytes, key->len);
}

static lw_memory_engine *engine_of(lw_store_engine *engine)
{
    return (lw_memory_engine *)engine;
}

/* Returns the position of the first key that is not less than |key|. */
static size_t engine_find(const lw_memory_engine *engine, lw_str key)
{
    size_t low = 0;
    size_t high = engine->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lw_str_compare(key_str(engine->keys[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool engine_has_at(const lw_memory_engine *engine, size_t at, lw_str key)
{
    return at < engine->count && lw_str_equal(key_str(engine->keys[at]), key);
}

static bool is_alive(const version *found)
{
    return found && !found->is_delete;
}

static size_t version_size(const version *of)
{
    return sizeof(*of) + of->value_len;
}

static size_t key_size(const lw_memory_key *key)
{
    return sizeof(*key) + key->len;
}

/* Returns the size of key and value, as the history counts it. */
static size_t version_weight(const version *of)
{
    return of->key->len + of->value_len;
}

static lw_status engine_reserve_key(lw_memory_engine *engine)
{
    if (engine->count < engine->slots)
        return LW_OK;
    size_t slots = engine->slots ? engine->slots * 2 : KEYS_AT_FIRST;
    void *keys = lw_realloc_array(engine->keys, slots, sizeof(engine->keys[0]));
    if (!keys)
        return LW_ERR_NOMEM;
    engine->keys = keys;
    engine->slots = slots;
    return LW_OK;
}

static lw_memory_key *key_new(lw_str bytes)
{
    lw_memory_key *key = lw_alloc(sizeof(*key) + bytes.len);
    if (!key)
        return NULL;
    key->newest = NULL;
    key->len = bytes.len;
    memcpy(key->bytes, bytes.ptr, bytes.len);
    return key;
}

static void engine_insert_key(lw_memory_engine *engine, size_t at, lw_memory_key *key)
{
    memmove(engine->keys + at + 1, engine->keys + at,
            (engine->count - at) * sizeof(engine->keys[0]));
    engine->keys[at] = key;
    engine->count++;
    engine->bytes += key_size(key);
}

static void engine_remove_key(lw_memory_engine *engine, lw_memory_key *key)
{
    size_t at = engine_find(engine, key_str(key));
    assert(engine->keys[at] == key);
    engine->count--;
    memmove(engine->keys + at, engine->keys + at + 1,
            (engine->count - at) * sizeof(engine->keys[0]));
    engine->bytes -= key_size(key);
    lw_free(key);
}

static version *version_new(const lw_store_txn *txn, uint64_t revision)
{
    bool is_delete = txn->op == LW_STORE_DELETE;
    size_t len = is_delete ? 0 : txn->value.len;
    version *made = lw_alloc(sizeof(*made) + len);
    if (!made)
        return NULL;
    *made = (version){
        .revision = revision, .create_revision = revision, .is_delete = is_delete, .value_len = len
    };
    if (len > 0)
        memcpy(made->value, txn->value.ptr, len);
    return made;
}

/* Adds |made| as the newest version of |key|; cannot fail. */
static void engine_link(lw_memory_engine *engine, lw_memory_key *key, version *made)
{
    version *older = key->newest;
    made->key = key;
    made->older = older;
    if (older)
        older->newer = made;
    if (is_alive(older) && !made->is_delete)
        made->create_revision = older->create_revision;
    key->newest = made;
    engine->bytes += version_size(made);
    engine->batch.weight += version_weight(made) + (is_alive(older) ? version_weight(older) : 0);
    engine->batch.current = made->revision;
    made->weight = engine->batch.weight;
    engine->batch.keys += !made->is_delete;
    engine->batch.keys -= is_alive(older);
}

/* Everything that can fail happens before the first change. */
static lw_status engine_change(lw_memory_engine *engine, size_t at, const lw_store_txn *txn,
                               uint64_t revision)
{
    bool is_known = engine_has_at(engine, at, txn->key);
    lw_memory_key *key = is_known ? engine->keys[at] : key_new(txn->key);
    version *made = version_new(txn, revision);
    lw_status st = key && made ? engine_reserve_key(engine) : LW_ERR_NOMEM;
    if (st == LW_OK)
        st = lw_ring_push(&engine->log, &made, NULL);
    if (st < 0) {
        lw_free(made);
        if (!is_known)
            lw_free(key);
        return st;
    }
    if (!is_known)
        engine_insert_key(engine, at, key);
    engine_link(engine, key, made);
    return LW_OK;
}

static lw_status memory_apply(lw_store_engine *base, lw_store_txn *txn, uint64_t revision,
                              lw_error *err)
{
    lw_memory_engine *engine = engine_of(base);
    assert(lw_ring_next_seq(&engine->log) == revision);
    size_t at = engine_find(engine, txn->key);
    const version *newest = engine_has_at(engine, at, txn->key) ? engine->keys[at]->newest : NULL;
    uint64_t found = is_alive(newest) ? newest->revision : 0;
    if (found != txn->expected || (txn->op == LW_STORE_DELETE && found == 0)) {
        txn->revision = found;
        return LW_ERR_CONFLICT;
    }
    size_t cost = sizeof(*newest) + (txn->op == LW_STORE_PUT ? txn->value.len : 0) +
                  (newest ? 0 : sizeof(lw_memory_key) + txn->key.len + sizeof(engine->keys[0]));
    lw_status st =
        lw_store_space_admit(base, txn, cost, is_alive(newest) ? version_weight(newest) : 0, err);
    if (st < 0)
        return st;
    st = engine_change(engine, at, txn, revision);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status memory_begin(lw_store_engine *base, lw_error *err)
{
    (void)err;
    lw_memory_engine *engine = engine_of(base);
    lw_rwlock_write(&engine->lock);
    engine->batch = base->marks;
    return LW_OK;
}

static lw_status memory_commit(lw_store_engine *base, lw_error *err)
{
    (void)err;
    lw_memory_engine *engine = engine_of(base);
    base->marks = engine->batch;
    lw_store_space_measured(&base->space, engine->bytes);
    lw_rwlock_unlock(&engine->lock);
    return LW_OK;
}

/* A refused change has changed nothing, so there is nothing to undo. */
static void memory_abort(lw_store_engine *base)
{
    lw_memory_engine *engine = engine_of(base);
    assert(engine->batch.current == base->marks.current);
    lw_store_space_measured(&base->space, engine->bytes);
    lw_rwlock_unlock(&engine->lock);
}

/* Only this thread changes versions, so they can be returned without the lock. */
static lw_status memory_replay(lw_store_engine *base, uint64_t after, lw_store_event *events,
                               size_t max, size_t *count, lw_error *err)
{
    (void)err;
    const lw_memory_engine *engine = engine_of(base);
    size_t found = 0;
    for (; found < max; found++) {
        version *const *at = lw_ring_at(&engine->log, after + 1 + found);
        if (!at)
            break;
        events[found] = (lw_store_event){
            .key = key_str((*at)->key),
            .value = lw_str_make((*at)->value, (*at)->value_len),
            .revision = (*at)->revision,
            .is_delete = (*at)->is_delete,
        };
    }
    *count = found;
    return LW_OK;
}

static void memory_replay_end(lw_store_engine *base)
{
    (void)base;
}

static lw_status memory_compact(lw_store_engine *base, uint64_t revision, lw_error *err)
{
    (void)err;
    lw_memory_engine *engine = engine_of(base);
    version *const *at = lw_ring_at(&engine->log, revision);
    assert(at);
    lw_rwlock_write(&engine->lock);
    base->marks.compacted = revision;
    base->marks.compacted_weight = (*at)->weight;
    lw_rwlock_unlock(&engine->lock);
    return LW_OK;
}

static void engine_free_version(lw_memory_engine *engine, version *gone)
{
    engine->bytes -= version_size(gone);
    lw_free(gone);
}

/* Removes |swept| from the log: the version that it superseded is no longer needed, nor is |swept|
 * itself if it is a delete. */
static void engine_sweep_one(lw_memory_engine *engine, version *swept)
{
    if (swept->older) {
        engine_free_version(engine, swept->older);
        swept->older = NULL;
    }
    if (!swept->is_delete)
        return;
    if (swept->newer)
        swept->newer->older = NULL;
    else
        engine_remove_key(engine, swept->key);
    engine_free_version(engine, swept);
}

static lw_status memory_sweep(lw_store_engine *base, size_t max, lw_error *err)
{
    (void)err;
    lw_memory_engine *engine = engine_of(base);
    lw_rwlock_write(&engine->lock);
    for (; max > 0 && base->marks.swept < base->marks.compacted; max--) {
        version *swept = NULL;
        (void)lw_ring_pop(&engine->log, &swept);
        engine_sweep_one(engine, swept);
        base->marks.swept++;
    }
    lw_store_space_measured(&base->space, engine->bytes);
    lw_rwlock_unlock(&engine->lock);
    return LW_OK;
}

static const lw_store_engine_ops memory_engine_ops = {
    .begin = memory_begin,
    .apply = memory_apply,
    .commit = memory_commit,
    .abort = memory_abort,
    .replay = memory_replay,
    .replay_end = memory_replay_end,
    .compact = memory_compact,
    .sweep = memory_sweep,
};

void lw_memory_engine_init(lw_memory_engine *engine)
{
    *engine = (lw_memory_engine){ .engine = { .ops = &memory_engine_ops } };
    lw_rwlock_init(&engine->lock);
    lw_ring_init(&engine->log, sizeof(version *), LW_MEMORY_LOG_MAX, 1);
}

void lw_memory_engine_done(lw_memory_engine *engine)
{
    for (size_t i = 0; i < engine->count; i++) {
        for (version *at = engine->keys[i]->newest, *older; at; at = older) {
            older = at->older;
            lw_free(at);
        }
        lw_free(engine->keys[i]);
    }
    lw_free(engine->keys);
    lw_ring_done(&engine->log);
    lw_rwlock_done(&engine->lock);
}

/* Returns the newest version of |key| at |revision|; NULL: it did not exist. */
static const version *key_version_at(const lw_memory_key *key, uint64_t revision)
{
    const version *at = key->newest;
    while (at && at->revision > revision)
        at = at->older;
    return is_alive(at) ? at : NULL;
}

static lw_status engine_range_locked(const lw_memory_engine *engine, const lw_store_range *range,
                                     lw_store_record_fn fn, void *arg,
                                     lw_store_range_result *result, lw_error *err)
{
    size_t reported = 0;
    for (size_t at = engine_find(engine, range->start); at < engine->count; at++) {
        const lw_memory_key *key = engine->keys[at];
        if (range->end.len > 0 && lw_str_compare(key_str(key), range->end) >= 0)
            break;
        const version *found = key_version_at(key, result->revision);
        if (!found)
            continue;
        lw_store_range_step step = lw_store_range_next(range, &reported, result);
        if (step == LW_STORE_RANGE_STOP)
            break;
        if (step == LW_STORE_RANGE_COUNT)
            continue;
        lw_store_record record = { .key = key_str(key),
                                   .value = lw_str_make(found->value, found->value_len),
                                   .create_revision = found->create_revision,
                                   .mod_revision = found->revision };
        lw_status st = fn(&record, arg, err);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

lw_status lw_memory_engine_range(lw_memory_engine *engine, const lw_store_range *range,
                                 lw_store_record_fn fn, void *arg, lw_store_range_result *result,
                                 lw_error *err)
{
    lw_store_range_result found = { .has_more = false };
    lw_rwlock_read(&engine->lock);
    lw_status st = lw_store_range_revision(range, engine->engine.marks.current,
                                           engine->engine.marks.compacted, &found.revision, err);
    if (st == LW_OK)
        st = engine_range_locked(engine, range, fn, arg, &found, err);
    lw_rwlock_unlock(&engine->lock);
    if (st == LW_OK)
        *result = found;
    return st;
}

size_t lw_memory_engine_bytes(lw_memory_engine *engine)
{
    lw_rwlock_read(&engine->lock);
    size_t bytes = engine->bytes + engine->slots * sizeof(engine->keys[0]);
    lw_rwlock_unlock(&engine->lock);
    return bytes;
}
