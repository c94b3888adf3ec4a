/* SPDX-License-Identifier: Apache-2.0 */
/* store_scenarios.c -- src/store, with each allocation failing in turn.  Whole stores have a
 * thread; it allocates only while the scenario waits for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oom/oom.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/check_folder.h"
#include "store/lmdb/lmdb.h"
#include "store/lmdb/new.h"
#include "store/lmdb/restore.h"
#include "store/memory.h"
#include "store/memory_engine.h"
#include "store/watches.h"

enum {
    MANY = 40,
};

/* Checks the result of a scenario without a failure. */
static lw_status demand(bool is_right)
{
    return is_right ? LW_OK : LW_ERR_INTERNAL;
}

static lw_status count_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    ++*(size_t *)arg;
    return demand(lw_str_equal(record->key, record->value));
}

/* Puts, then deletes every other key; a refused change leaves the batch unchanged. */
static lw_status change_many(lw_memory_engine *engine, lw_store_op op, size_t *alive)
{
    const lw_store_engine_ops *ops = engine->engine.ops;
    uint64_t revision = engine->engine.marks.current;
    lw_status first = ops->begin(&engine->engine, NULL);
    for (int i = 0; first == LW_OK && i < MANY; i += op == LW_STORE_PUT ? 1 : 2) {
        char key[16];
        (void)snprintf(key, sizeof(key), "/%d", i);
        lw_store_txn txn = { .op = op,
                             .key = lw_str_of(key),
                             .value = lw_str_of(key),
                             .expected = op == LW_STORE_PUT ? 0 : (uint64_t)i + 1 };
        lw_status st = ops->apply(&engine->engine, &txn, revision + 1, NULL);
        if (st == LW_OK) {
            revision++;
            *alive += op == LW_STORE_PUT ? 1 : (size_t)-1;
        }
        first = st;
    }
    if (revision == engine->engine.marks.current)
        ops->abort(&engine->engine);
    else if (ops->commit(&engine->engine, NULL) < 0)
        return LW_ERR_INTERNAL;
    return first;
}

static lw_status keeps_and_sweeps_versions(lw_error *err)
{
    (void)err;
    lw_memory_engine engine;
    lw_memory_engine_init(&engine);
    size_t alive = 0;
    lw_status st = change_many(&engine, LW_STORE_PUT, &alive);
    if (st == LW_OK)
        st = change_many(&engine, LW_STORE_DELETE, &alive);
    uint64_t current = engine.engine.marks.current;
    if (current > 0) {
        (void)engine.engine.ops->compact(&engine.engine, current, NULL);
        (void)engine.engine.ops->sweep(&engine.engine, SIZE_MAX, NULL);
    }
    size_t seen = 0;
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    lw_status read = lw_memory_engine_range(&engine, &all, count_record, &seen, &result, NULL);
    if (read < 0 || seen != alive)
        st = LW_ERR_INTERNAL;
    lw_memory_engine_done(&engine);
    return st;
}

static void ignore_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    (void)events;
    (void)count;
    (void)revision;
    (void)arg;
}

static lw_status adds_and_removes_watches(lw_error *err)
{
    lw_store_watches watches;
    lw_status st = lw_store_watches_init(&watches);
    if (st < 0)
        return lw_error_nomem(err);
    lw_store_sink sink = { .on_events = ignore_events };
    lw_store_watch *first = NULL;
    lw_store_watch *second = NULL;
    st = lw_store_watches_add(&watches, LW_STR("/a"), 0, &sink, &first, err);
    if (st == LW_OK)
        st = lw_store_watches_add(&watches, LW_STR(""), 0, &sink, &second, err);
    if (st == LW_OK)
        lw_store_watches_remove(&watches, second);
    lw_store_watches_done(&watches);
    return st;
}

static lw_status put_and_get(lw_store *store, lw_error *err)
{
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = LW_STR("/a"), .value = LW_STR("value") };
    lw_status st = lw_store_commit(store, &txn);
    if (st < 0) {
        if (err)
            *err = txn.err;
        return st;
    }
    lw_buf value;
    lw_buf_init(&value, 100);
    st = lw_store_get(store, txn.key, 0, &value, NULL, err);
    if (st == LW_OK)
        st = demand(lw_str_equal(lw_buf_view(&value), txn.value));
    lw_buf_done(&value);
    return st;
}

static lw_status use_store(lw_store *store, lw_error *err)
{
    lw_store_sink sink = { .on_events = ignore_events };
    lw_store_watch *watch = NULL;
    lw_status st = lw_store_watch_open(store, LW_STR("/"), 0, &sink, &watch, err);
    if (st == LW_OK)
        st = put_and_get(store, err);
    lw_store_watch_close(store, watch);
    return st;
}

static lw_status lives_in_memory(lw_error *err)
{
    lw_store *store = NULL;
    lw_status st = lw_memory_store_new(&store, NULL, err);
    if (st == LW_OK)
        st = use_store(store, err);
    lw_store_free(store);
    return st;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = { "data.mdb", "data.mdb.new", "data.mdb.damaged", "lock.mdb",
                                         "owner.lock" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static lw_status lives_on_the_disk(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-XXXXXX";
    if (!mkdtemp(folder))
        return LW_ERR_IO;
    lw_lmdb_store_options options = { .folder = folder };
    lw_store *store = NULL;
    lw_status st = lw_lmdb_store_open(&store, &options, err);
    if (st == LW_OK)
        st = use_store(store, err);
    lw_store_free(store);
    remove_folder(folder);
    return st;
}

/* A store that is filled without failures, for those that read it. */
static lw_status make_store(char *folder)
{
    if (!mkdtemp(folder))
        return LW_ERR_IO;
    lw_lmdb_store_options options = { .folder = folder };
    lw_store *store = NULL;
    lw_status st = lw_lmdb_store_open(&store, &options, NULL);
    if (st == LW_OK)
        st = put_and_get(store, NULL);
    lw_store_free(store);
    return st;
}

static lw_status is_checked(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-XXXXXX";
    lw_lmdb_findings findings = { .on_damage = NULL };
    lw_status st = make_store(folder);
    if (st == LW_OK)
        st = lw_lmdb_check_folder(folder, &findings, err);
    if (st == LW_OK)
        st = demand(findings.keys == 1 && findings.damages == 0);
    remove_folder(folder);
    return st;
}

static lw_status is_backed_up_and_restored(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-XXXXXX", other[] = "/tmp/lw-oom-XXXXXX";
    lw_lmdb_backup_facts facts;
    FILE *file = tmpfile();
    lw_status st = file ? make_store(folder) : LW_ERR_IO;
    if (st == LW_OK && !mkdtemp(other))
        st = LW_ERR_IO;
    if (st == LW_OK)
        st = lw_lmdb_backup_folder(folder, fileno(file), (lw_lmdb_progress){ NULL, NULL }, &facts,
                                   err);
    if (st == LW_OK && lseek(fileno(file), 0, SEEK_SET) == 0)
        st = lw_lmdb_restore(other, fileno(file), &facts, err);
    if (st == LW_OK)
        st = demand(facts.marks.keys == 1);
    if (file)
        (void)fclose(file);
    remove_folder(folder);
    remove_folder(other);
    return st;
}

static void ignore_lost(const lw_lmdb_damage *lost, void *arg)
{
    (void)lost;
    (void)arg;
}

/* After each failure the old file is there. */
static lw_status is_rewritten(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-XXXXXX";
    lw_store_marks marks;
    lw_status st = make_store(folder);
    if (st == LW_OK)
        st = lw_lmdb_rewrite(folder, err);
    if (st == LW_OK)
        st = lw_lmdb_repair(folder, ignore_lost, NULL, &marks, err);
    if (st == LW_OK)
        st = demand(marks.keys == 1);
    remove_folder(folder);
    return st;
}

const oom_scenario store_scenarios[] = {
    { "store/memory keeps and sweeps versions", keeps_and_sweeps_versions },
    { "store/watches come and go", adds_and_removes_watches },
    { "store/memory is used", lives_in_memory },
    { "store/lmdb is used", lives_on_the_disk },
    { "store/lmdb is checked", is_checked },
    { "store/lmdb is backed up and restored", is_backed_up_and_restored },
    { "store/lmdb is rewritten and repaired", is_rewritten },
};
const size_t store_scenario_count = sizeof(store_scenarios) / sizeof(store_scenarios[0]);
