/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c -- changes to the file: batches, compaction, sweeping; and reading the log.
 *
 * Invariant: the state in "meta" and the data change in one transaction, so that after a crash the
 * file is as some commit left it.
 * Views of LMDB's pages are invalid after the next change in the same transaction: everything that
 * is needed later is decoded before. */
#include "store/lmdb/engine.h"

#include <assert.h>
#include <lmdb.h>

#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/format.h"
#include "store/lmdb/space.h"
#include "store/lmdb/value.h"

static lw_lmdb_engine *engine_of(lw_store_engine *engine)
{
    return (lw_lmdb_engine *)engine;
}

/* A revision as a key of the log. */
typedef struct log_key {
    unsigned char bytes[LW_LMDB_REVISION_SIZE];
    MDB_val val;
} log_key;

static MDB_val *log_key_set(log_key *key, uint64_t revision)
{
    lw_lmdb_put_number(key->bytes, revision, sizeof(key->bytes));
    key->val = (MDB_val){ sizeof(key->bytes), key->bytes };
    return &key->val;
}

static lw_status engine_begin(lw_lmdb_engine *engine, lw_error *err)
{
    lw_lmdb_env *env = engine->env;
    lw_status st = lw_lmdb_env_check_place(env, err);
    if (st == LW_OK && !env->env)
        st = lw_lmdb_env_reopen(env, err);
    if (st < 0)
        return st;
    int rc = mdb_txn_begin(env->env, NULL, 0, &engine->txn);
    if (rc == MDB_PANIC) { /* writing the first pages failed: the environment must be reopened */
        st = lw_lmdb_env_reopen(env, err);
        if (st < 0)
            return st;
        rc = mdb_txn_begin(env->env, NULL, 0, &engine->txn);
    }
    if (rc != 0) {
        engine->txn = NULL;
        return lw_lmdb_explain(env, rc, "write", err);
    }
    engine->batch = engine->engine.marks;
    return LW_OK;
}

static void engine_abort(lw_lmdb_engine *engine)
{
    if (engine->txn)
        mdb_txn_abort(engine->txn);
    engine->txn = NULL;
}

static int engine_put_state(lw_lmdb_engine *engine)
{
    unsigned char bytes[LW_LMDB_STATE_SIZE];
    MDB_val key = lw_lmdb_val(LW_STR(LW_LMDB_STATE_KEY));
    MDB_val state = { sizeof(bytes), bytes };
    lw_lmdb_state_encode(&(lw_lmdb_state){ engine->batch, mdb_txn_id(engine->txn) }, bytes);
    return mdb_put(engine->txn, engine->env->meta, &key, &state, 0);
}

/* The commit failed with |rc|.  If only its last write failed, the commit may still be in the file;
 * then it was a success. */
static lw_status engine_settle(lw_lmdb_engine *engine, int rc, lw_error *err)
{
    lw_store_marks wanted = engine->batch;
    lw_status st = lw_lmdb_explain(engine->env, rc, "write", err);
    if (engine_begin(engine, NULL) < 0)
        return st;
    lw_store_marks found;
    if (lw_lmdb_env_state(engine->env, engine->txn, &found, NULL) == LW_OK &&
        memcmp(&found, &wanted, sizeof(found)) == 0) {
        engine->engine.marks = wanted;
        st = LW_OK;
    }
    engine_abort(engine);
    return st;
}

static lw_status engine_commit(lw_lmdb_engine *engine, lw_error *err)
{
    int rc = engine_put_state(engine);
    if (rc != 0) {
        engine_abort(engine);
        return lw_lmdb_explain(engine->env, rc, "write", err);
    }
    rc = mdb_txn_commit(engine->txn);
    engine->txn = NULL;
    if (rc == MDB_MAP_FULL)
        return lw_lmdb_explain(engine->env, rc, "write", err);
    if (rc != 0)
        return engine_settle(engine, rc, err);
    /* Copying the changed pages touches about as much again. */
    size_t changed = (size_t)(engine->batch.weight - engine->engine.marks.weight);
    lw_lmdb_resident_touch(&engine->env->resident, engine->env->env, 2 * changed);
    engine->engine.marks = engine->batch;
    lw_lmdb_space_update(&engine->space, engine->env, &engine->engine.space, false);
    return LW_OK;
}

/* Runs compact or sweep in a transaction of its own. */
static lw_status engine_run(lw_lmdb_engine *engine,
                            lw_status (*work)(lw_lmdb_engine *engine, uint64_t arg, lw_error *err),
                            uint64_t arg, lw_error *err)
{
    for (;;) {
        lw_status st = engine_begin(engine, err);
        if (st < 0)
            return st;
        st = work(engine, arg, err);
        if (st == LW_OK)
            st = engine_commit(engine, err);
        else
            engine_abort(engine);
        if (st != LW_ERR_LIMIT)
            return st;
        st = lw_lmdb_env_grow(engine->env, err);
        if (st < 0)
            return st;
    }
}

static lw_status lmdb_begin(lw_store_engine *base, lw_error *err)
{
    return engine_begin(engine_of(base), err);
}

static lw_status lmdb_commit(lw_store_engine *base, lw_error *err)
{
    return engine_commit(engine_of(base), err);
}

static void lmdb_abort(lw_store_engine *base)
{
    lw_lmdb_engine *engine = engine_of(base);
    engine_abort(engine);
    lw_lmdb_space_update(&engine->space, engine->env, &base->space, false);
}

static lw_status lmdb_make_room(lw_store_engine *base, lw_error *err)
{
    return lw_lmdb_env_grow(engine_of(base)->env, err);
}

/* Gets the entry of |key|; all zero if there is none. */
static lw_status engine_find(lw_lmdb_engine *engine, lw_str key, lw_lmdb_entry *entry,
                             lw_error *err)
{
    MDB_val wanted = lw_lmdb_val(key);
    MDB_val found;
    *entry = (lw_lmdb_entry){ .revision = 0 };
    int rc = mdb_get(engine->txn, engine->env->keys, &wanted, &found);
    if (rc == MDB_NOTFOUND)
        return LW_OK;
    if (rc != 0)
        return lw_lmdb_explain(engine->env, rc, "read", err);
    return lw_lmdb_entry_decode(entry, key, LW_LMDB_FORMAT, lw_lmdb_str(found))
               ? LW_OK
               : lw_lmdb_damaged(engine->env, key, "the checksum of its entry is wrong", err);
}

/* Writes the record directly into the page. */
static int engine_append(lw_lmdb_engine *engine, uint64_t revision, const lw_lmdb_record *record)
{
    log_key key;
    MDB_val room = { lw_lmdb_record_size(record), NULL };
    int rc = mdb_put(engine->txn, engine->env->log, log_key_set(&key, revision), &room,
                     MDB_RESERVE | MDB_APPEND);
    if (rc == 0)
        lw_lmdb_record_encode(record, revision, room.mv_data);
    return rc;
}

static int engine_put_entry(lw_lmdb_engine *engine, lw_str key, const lw_lmdb_entry *entry)
{
    unsigned char bytes[LW_LMDB_ENTRY_SIZE];
    MDB_val wanted = lw_lmdb_val(key);
    MDB_val value = { sizeof(bytes), bytes };
    lw_lmdb_entry_encode(entry, key, bytes);
    return mdb_put(engine->txn, engine->env->keys, &wanted, &value, 0);
}

static int engine_change(lw_lmdb_engine *engine, const lw_store_txn *txn, uint64_t revision,
                         const lw_lmdb_entry *old)
{
    bool is_delete = txn->op == LW_STORE_DELETE;
    bool was_alive = old->create_revision > 0;
    lw_lmdb_record record = {
        .is_delete = is_delete,
        .create_revision = was_alive ? old->create_revision : revision,
        .previous = old->revision,
        .key = txn->key,
        .value = is_delete ? LW_STR("") : txn->value,
    };
    lw_lmdb_entry entry = { .revision = revision,
                            .create_revision = is_delete ? 0 : record.create_revision,
                            .bytes = (uint32_t)(record.key.len + record.value.len) };
    record.weight = engine->batch.weight + entry.bytes + (was_alive ? old->bytes : 0);
    int rc = engine_append(engine, revision, &record);
    if (rc == 0)
        rc = engine_put_entry(engine, txn->key, &entry);
    if (rc == 0) {
        engine->batch.current = revision;
        engine->batch.weight = record.weight;
        engine->batch.keys += !is_delete;
        engine->batch.keys -= was_alive;
    }
    return rc;
}

static lw_status lmdb_apply(lw_store_engine *base, lw_store_txn *txn, uint64_t revision,
                            lw_error *err)
{
    lw_lmdb_engine *engine = engine_of(base);
    lw_lmdb_entry old;
    lw_status st = engine_find(engine, txn->key, &old, err);
    if (st == LW_OK) {
        uint64_t found = old.create_revision > 0 ? old.revision : 0;
        if (found != txn->expected || (txn->op == LW_STORE_DELETE && found == 0)) {
            txn->revision = found;
            return LW_ERR_CONFLICT;
        }
        st = lw_store_space_admit(base, txn, lw_lmdb_space_cost(txn, old.revision == 0),
                                  found > 0 ? old.bytes : 0, err);
        if (st < 0)
            return st;
        int rc = engine_change(engine, txn, revision, &old);
        if (rc != 0)
            st = lw_lmdb_explain(engine->env, rc, "write", err);
    }
    /* When LMDB runs out of memory, the transaction is lost, and with it the whole batch. */
    return st == LW_ERR_NOMEM ? lw_error_set(err, LW_ERR_UNAVAILABLE, "out of memory while writing")
                              : st;
}

static lw_status engine_record(lw_lmdb_engine *engine, MDB_txn *txn, uint64_t revision,
                               lw_lmdb_record *record, lw_error *err)
{
    log_key key;
    MDB_val found;
    int rc = mdb_get(txn, engine->env->log, log_key_set(&key, revision), &found);
    if (rc != 0 && rc != MDB_NOTFOUND)
        return lw_lmdb_explain(engine->env, rc, "read", err);
    if (rc == MDB_NOTFOUND)
        return lw_lmdb_damaged_change(engine->env, revision, "the change is missing", err);
    if (!lw_lmdb_record_decode(record, revision, LW_LMDB_FORMAT, lw_lmdb_str(found)))
        return lw_lmdb_damaged(engine->env, record->key, "the checksum of its value is wrong", err);
    return LW_OK;
}

static lw_status compact_work(lw_lmdb_engine *engine, uint64_t revision, lw_error *err)
{
    lw_lmdb_record record;
    lw_status st = engine_record(engine, engine->txn, revision, &record, err);
    if (st == LW_OK) {
        engine->batch.compacted = revision;
        engine->batch.compacted_weight = record.weight;
    }
    return st;
}

static lw_status lmdb_compact(lw_store_engine *base, uint64_t revision, lw_error *err)
{
    return engine_run(engine_of(base), compact_work, revision, err);
}

static int engine_remove_record(lw_lmdb_engine *engine, uint64_t revision)
{
    log_key key;
    int rc = mdb_del(engine->txn, engine->env->log, log_key_set(&key, revision), NULL);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

/* Removes a delete that is no longer visible, and its key if it is still deleted. */
static lw_status engine_remove_delete(lw_lmdb_engine *engine, uint64_t revision, lw_str key,
                                      lw_error *err)
{
    lw_lmdb_entry entry;
    lw_status st = engine_find(engine, key, &entry, err);
    if (st < 0)
        return st;
    int rc = engine_remove_record(engine, revision);
    if (rc == 0 && entry.revision == revision) {
        MDB_val wanted = lw_lmdb_val(key);
        rc = mdb_del(engine->txn, engine->env->keys, &wanted, NULL);
    }
    return rc == 0 ? LW_OK : lw_lmdb_explain(engine->env, rc, "write", err);
}

static lw_status engine_sweep_one(lw_lmdb_engine *engine, uint64_t revision, lw_error *err)
{
    lw_lmdb_record record;
    lw_status st = engine_record(engine, engine->txn, revision, &record, err);
    if (st < 0)
        return st;
    char copy[LW_STORE_KEY_MAX]; /* copied, because the record moves when others are removed */
    memcpy(copy, record.key.ptr, record.key.len);
    int rc = record.previous > 0 ? engine_remove_record(engine, record.previous) : 0;
    if (rc != 0)
        return lw_lmdb_explain(engine->env, rc, "write", err);
    if (record.is_delete)
        st = engine_remove_delete(engine, revision, lw_str_make(copy, record.key.len), err);
    return st;
}

static lw_status sweep_work(lw_lmdb_engine *engine, uint64_t max, lw_error *err)
{
    lw_status st = LW_OK;
    for (; st == LW_OK && max > 0 && engine->batch.swept < engine->batch.compacted; max--)
        st = engine_sweep_one(engine, ++engine->batch.swept, err);
    return st;
}

static lw_status lmdb_sweep(lw_store_engine *base, size_t max, lw_error *err)
{
    lw_lmdb_engine *engine = engine_of(base);
    lw_status st = engine_run(engine, sweep_work, max, err);
    lw_lmdb_space_update(&engine->space, engine->env, &base->space,
                         base->marks.swept == base->marks.compacted);
    return st;
}

/* Writes the state once more. */
static lw_status probe_work(lw_lmdb_engine *engine, uint64_t arg, lw_error *err)
{
    (void)engine;
    (void)arg;
    (void)err;
    return LW_OK;
}

static lw_status lmdb_probe(lw_store_engine *base, lw_error *err)
{
    lw_lmdb_engine *engine = engine_of(base);
    lw_status st = engine_run(engine, probe_work, 0, err);
    lw_lmdb_space_update(&engine->space, engine->env, &base->space, true);
    return st;
}

/* Returns records from |after| + 1 on; the cursor's transaction stays open. */
static lw_status engine_show(lw_lmdb_engine *engine, MDB_cursor *cursor, uint64_t after,
                             lw_store_event *events, size_t max, size_t *count, lw_error *err)
{
    log_key key;
    MDB_val at = *log_key_set(&key, after + 1);
    MDB_val found;
    size_t shown = 0;
    int rc = mdb_cursor_get(cursor, &at, &found, MDB_SET_RANGE);
    for (; rc == 0 && shown < max; rc = mdb_cursor_get(cursor, &at, &found, MDB_NEXT)) {
        uint64_t revision = after + 1 + shown;
        lw_lmdb_record record;
        if (at.mv_size != LW_LMDB_REVISION_SIZE ||
            lw_lmdb_get_number(at.mv_data, LW_LMDB_REVISION_SIZE) != revision)
            return lw_lmdb_damaged_change(engine->env, revision, "the change is missing", err);
        if (!lw_lmdb_record_decode(&record, revision, LW_LMDB_FORMAT, lw_lmdb_str(found)))
            return lw_lmdb_damaged(engine->env, record.key, "the checksum of its value is wrong",
                                   err);
        events[shown++] = (lw_store_event){ .key = record.key,
                                            .value = record.value,
                                            .revision = revision,
                                            .is_delete = record.is_delete };
    }
    if (rc != 0 && rc != MDB_NOTFOUND)
        return lw_lmdb_explain(engine->env, rc, "read", err);
    if (shown == 0)
        return lw_lmdb_damaged_change(engine->env, after + 1, "the change is missing", err);
    *count = shown;
    return LW_OK;
}

static lw_status engine_begin_reading(lw_lmdb_engine *engine, MDB_txn **txn, lw_error *err)
{
    if (!engine->env->env)
        return lw_lmdb_explain(engine->env, MDB_PANIC, "read", err);
    int rc = mdb_txn_begin(engine->env->env, NULL, MDB_RDONLY, txn);
    return rc == 0 ? LW_OK : lw_lmdb_explain(engine->env, rc, "read", err);
}

static void lmdb_replay_end(lw_store_engine *base)
{
    lw_lmdb_engine *engine = engine_of(base);
    mdb_txn_abort(engine->replay);
    engine->replay = NULL;
    lw_lmdb_resident_touch(&engine->env->resident, engine->env->env, engine->replayed);
    engine->replayed = 0;
}

static lw_status lmdb_replay(lw_store_engine *base, uint64_t after, lw_store_event *events,
                             size_t max, size_t *count, lw_error *err)
{
    lw_lmdb_engine *engine = engine_of(base);
    lw_status st = engine_begin_reading(engine, &engine->replay, err);
    if (st < 0)
        return st;
    MDB_cursor *cursor = NULL;
    int rc = mdb_cursor_open(engine->replay, engine->env->log, &cursor);
    if (rc == 0) {
        st = engine_show(engine, cursor, after, events, max, count, err);
        mdb_cursor_close(cursor);
        for (size_t i = 0; st == LW_OK && i < *count; i++)
            engine->replayed += events[i].value.len;
    } else {
        st = lw_lmdb_explain(engine->env, rc, "read", err);
    }
    if (st < 0)
        lmdb_replay_end(base);
    return st;
}

static const lw_store_engine_ops lmdb_engine_ops = {
    .begin = lmdb_begin,
    .apply = lmdb_apply,
    .commit = lmdb_commit,
    .abort = lmdb_abort,
    .make_room = lmdb_make_room,
    .replay = lmdb_replay,
    .replay_end = lmdb_replay_end,
    .compact = lmdb_compact,
    .sweep = lmdb_sweep,
    .probe = lmdb_probe,
};

lw_status lw_lmdb_engine_init(lw_lmdb_engine *engine, lw_lmdb_env *env, lw_error *err)
{
    *engine = (lw_lmdb_engine){ .engine = { .ops = &lmdb_engine_ops }, .env = env };
    MDB_txn *txn = NULL;
    lw_status st = engine_begin_reading(engine, &txn, err);
    if (st < 0)
        return st;
    st = lw_lmdb_env_state(env, txn, &engine->engine.marks, err);
    mdb_txn_abort(txn);
    if (st == LW_OK) {
        engine->engine.space.limit = env->limit_bytes;
        lw_lmdb_space_update(&engine->space, env, &engine->engine.space, true);
    }
    return st;
}

lw_status lw_lmdb_engine_recall(lw_lmdb_engine *engine, lw_history *history, int64_t now_ns,
                                lw_error *err)
{
    const lw_store_marks *marks = &engine->engine.marks;
    uint64_t changes = marks->current - marks->compacted;
    uint64_t steps = changes < LW_HISTORY_BYTE_STEPS ? changes : LW_HISTORY_BYTE_STEPS;
    MDB_txn *txn = NULL;
    lw_status st = engine_begin_reading(engine, &txn, err);
    if (st < 0)
        return st;
    for (uint64_t i = 1; st == LW_OK && i <= steps; i++) {
        uint64_t revision = marks->compacted + changes / steps * i;
        if (i == steps)
            revision = marks->current;
        lw_lmdb_record record;
        st = engine_record(engine, txn, revision, &record, err);
        if (st == LW_OK)
            lw_history_note(history, revision, record.weight, now_ns);
    }
    mdb_txn_abort(txn);
    return st;
}
