/* SPDX-License-Identifier: Apache-2.0 */
/* range.c -- reads a range of keys at a revision.
 *
 * A read transaction is a snapshot of the file.  The entry of each key leads to its latest record,
 * and each record to the previous one: the first that is not newer than the revision is the result.
 * A link may lead to a record that was swept: then the key did not exist at that revision, or the
 * revision is before the compacted one, which is refused. */
#include <lmdb.h>

#include "base/str.h"
#include "store/lmdb/engine.h"
#include "store/lmdb/format.h"
#include "store/lmdb/value.h"

typedef struct walk {
    lw_lmdb_env *env;
    MDB_txn *txn;
    const lw_store_range *range;
    lw_store_range_result result;
    size_t reported;
    size_t bytes; /* bytes reported since lw_lmdb_resident_touch was last called */
    lw_store_record_fn fn;
    void *arg;
} walk;

/* The state of a key at the revision of the walk. */
typedef struct sighting {
    bool is_there;
    uint64_t revision;
    bool is_read; /* the record has already been read */
    lw_lmdb_record record;
} sighting;

/* Sets |*is_found| to whether there is a record of |revision|, and finds its bytes. */
static lw_status walk_find(walk *w, uint64_t revision, MDB_val *found, bool *is_found,
                           lw_error *err)
{
    unsigned char bytes[LW_LMDB_REVISION_SIZE];
    MDB_val key = { sizeof(bytes), bytes };
    lw_lmdb_put_number(bytes, revision, sizeof(bytes));
    int rc = mdb_get(w->txn, w->env->log, &key, found);
    *is_found = rc == 0;
    return rc == 0 || rc == MDB_NOTFOUND ? LW_OK : lw_lmdb_explain(w->env, rc, "read", err);
}

static lw_status walk_decode(walk *w, uint64_t revision, MDB_val found, lw_lmdb_record *record,
                             lw_error *err)
{
    if (!lw_lmdb_record_decode(record, revision, LW_LMDB_FORMAT, lw_lmdb_str(found)))
        return lw_lmdb_damaged(w->env, record->key, "the checksum of its value is wrong", err);
    return LW_OK;
}

/* Sets |*is_found| to whether there is a record of |revision|, and reads it. */
static lw_status walk_record(walk *w, uint64_t revision, lw_lmdb_record *record, bool *is_found,
                             lw_error *err)
{
    MDB_val found;
    lw_status st = walk_find(w, revision, &found, is_found, err);
    return st < 0 || !*is_found ? st : walk_decode(w, revision, found, record, err);
}

/* Asks the caller for the value in |found|; a record that seems to be damaged is read, so that the
 * damage is reported. */
static bool walk_is_known(const walk *w, lw_str key, uint64_t revision, MDB_val found)
{
    lw_store_head head = { .mod_revision = revision };
    return w->range->has && lw_lmdb_record_head(lw_lmdb_str(found), &head.key, &head.checksum) &&
           lw_str_equal(head.key, key) && w->range->has(&head, w->arg);
}

/* Follows the links from |revision|, which is too new, to the first one that is not. */
static lw_status walk_back(walk *w, uint64_t revision, sighting *seen, lw_error *err)
{
    bool is_found = true;
    *seen = (sighting){ .revision = revision };
    while (seen->revision > w->result.revision) {
        lw_status st = walk_record(w, seen->revision, &seen->record, &is_found, err);
        if (st < 0)
            return st;
        if (!is_found || seen->record.previous >= seen->revision)
            return lw_lmdb_damaged_change(w->env, revision, "the change is missing", err);
        seen->revision = seen->record.previous;
    }
    if (seen->revision == 0)
        return LW_OK;
    lw_status st = walk_record(w, seen->revision, &seen->record, &is_found, err);
    seen->is_read = is_found;
    seen->is_there = st == LW_OK && is_found && !seen->record.is_delete;
    return st;
}

static lw_status walk_see(walk *w, lw_str key, MDB_val value, sighting *seen, lw_error *err)
{
    lw_lmdb_entry entry;
    if (!lw_lmdb_entry_decode(&entry, key, LW_LMDB_FORMAT, lw_lmdb_str(value)))
        return lw_lmdb_damaged(w->env, key, "the checksum of its entry is wrong", err);
    if (entry.revision > w->result.revision)
        return walk_back(w, entry.revision, seen, err);
    *seen = (sighting){ .is_there = entry.create_revision > 0, .revision = entry.revision };
    return LW_OK;
}

/* |bytes| of the map were read, or came into memory together with a page that was. */
static void walk_touched(walk *w, size_t bytes)
{
    w->bytes += bytes;
    if (w->bytes > LW_LMDB_RESIDENT_BYTES / 8) {
        lw_lmdb_resident_touch(&w->env->resident, w->env->env, w->bytes);
        w->bytes = 0;
    }
}

static lw_status walk_report(walk *w, lw_str key, sighting *seen, lw_error *err)
{
    if (!seen->is_read) {
        MDB_val found;
        lw_status st = walk_find(w, seen->revision, &found, &seen->is_read, err);
        if (st == LW_OK && seen->is_read) {
            if (walk_is_known(w, key, seen->revision, found)) {
                walk_touched(w, found.mv_size);
                return LW_OK;
            }
            st = walk_decode(w, seen->revision, found, &seen->record, err);
        }
        if (st < 0)
            return st;
    }
    if (!seen->is_read || !lw_str_equal(seen->record.key, key))
        return lw_lmdb_damaged(w->env, key, "its value is missing", err);
    lw_store_record record = { .key = seen->record.key,
                               .value = seen->record.value,
                               .create_revision = seen->record.create_revision,
                               .mod_revision = seen->revision };
    lw_status st = w->fn(&record, w->arg, err);
    walk_touched(w, record.value.len);
    return st;
}

/* Sets |*goes_on| to false after the last key of interest. */
static lw_status walk_key(walk *w, lw_str key, MDB_val value, bool *goes_on, lw_error *err)
{
    *goes_on = w->range->end.len == 0 || lw_str_compare(key, w->range->end) < 0;
    if (!*goes_on)
        return LW_OK;
    sighting seen;
    lw_status st = walk_see(w, key, value, &seen, err);
    if (st < 0 || !seen.is_there)
        return st;
    lw_store_range_step step = lw_store_range_next(w->range, &w->reported, &w->result);
    if (step == LW_STORE_RANGE_REPORT)
        return walk_report(w, key, &seen, err);
    *goes_on = step == LW_STORE_RANGE_COUNT;
    return LW_OK;
}

static lw_status walk_keys(walk *w, MDB_cursor *cursor, lw_error *err)
{
    char start[LW_STORE_KEY_MAX + 1]; /* truncation changes nothing: no key is that long */
    size_t len = w->range->start.len < sizeof(start) ? w->range->start.len : sizeof(start);
    if (len > 0)
        memcpy(start, w->range->start.ptr, len);
    MDB_val key = { len, start };
    MDB_val value;
    int rc = mdb_cursor_get(cursor, &key, &value, len > 0 ? MDB_SET_RANGE : MDB_FIRST);
    while (rc == 0) {
        bool goes_on = true;
        lw_status st = walk_key(w, lw_str_make(key.mv_data, key.mv_size), value, &goes_on, err);
        if (st < 0 || !goes_on)
            return st;
        rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    return rc == MDB_NOTFOUND ? LW_OK : lw_lmdb_explain(w->env, rc, "read", err);
}

static lw_status walk_run(walk *w, lw_error *err)
{
    lw_store_marks marks;
    lw_status st = lw_lmdb_env_state(w->env, w->txn, &marks, err);
    if (st == LW_OK)
        st = lw_store_range_revision(w->range, marks.current, marks.compacted, &w->result.revision,
                                     err);
    if (st < 0)
        return st;
    MDB_cursor *cursor = NULL;
    int rc = mdb_cursor_open(w->txn, w->env->keys, &cursor);
    if (rc != 0)
        return lw_lmdb_explain(w->env, rc, "read", err);
    st = walk_keys(w, cursor, err);
    mdb_cursor_close(cursor);
    return st;
}

static lw_status range_locked(walk *w, lw_error *err)
{
    int rc = w->env->env ? mdb_txn_begin(w->env->env, NULL, MDB_RDONLY, &w->txn) : MDB_PANIC;
    if (rc != 0)
        return lw_lmdb_explain(w->env, rc, "read", err);
    lw_status st = walk_run(w, err);
    mdb_txn_abort(w->txn);
    lw_lmdb_resident_touch(&w->env->resident, w->env->env, w->bytes);
    return st;
}

lw_status lw_lmdb_range(lw_lmdb_env *env, const lw_store_range *range, lw_store_record_fn fn,
                        void *arg, lw_store_range_result *result, lw_error *err)
{
    walk w = { .env = env, .range = range, .fn = fn, .arg = arg };
    lw_rwlock_read(&env->lock);
    lw_status st = range_locked(&w, err);
    lw_rwlock_unlock(&env->lock);
    if (st == LW_OK)
        *result = w.result;
    return st;
}
