/* SPDX-License-Identifier: Apache-2.0 */
/* store_import.c -- writes the lines of an export to a store, and deletes objects of a store. */
#include <listwatch/server_store.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "server/offline/store_folder.h"
#include "server/offline/store_line.h"
#include "server/offline/store_window.h"
#include "store/lmdb/lmdb.h"

typedef struct import {
    lw_store *store;
    lw_store_window *window;
    lw_server_store_conflict conflict;
    lw_server_store_report report;
    lw_server_store_facts *facts;
} import;

static lw_status import_open(import *i, const char *data_dir, lw_error *err)
{
    char *folder = lw_file_path(data_dir, LW_SERVER_STORE_FOLDER);
    if (!folder)
        return lw_error_nomem(err);
    lw_status st = lw_folder_make(data_dir, err);
    const lw_lmdb_store_options options = { .folder = folder, .finishes_sweep = true };
    if (st == LW_OK)
        st = lw_lmdb_store_open(&i->store, &options, err);
    lw_free(folder);
    if (st == LW_OK && !(i->window = lw_store_window_new(i->store)))
        st = lw_error_nomem(err);
    return st;
}

static void import_close(import *i)
{
    uint64_t compacted = 0;
    if (i->store) {
        lw_store_condition condition;
        lw_store_revisions(i->store, &i->facts->revision, &compacted);
        lw_store_check_condition(i->store, &condition);
        i->facts->compacted = compacted;
        i->facts->bytes = lw_store_bytes(i->store);
    }
    lw_store_window_free(i->window);
    lw_store_free(i->store);
}

static lw_status tell_progress(const import *i, lw_error *err)
{
    if (i->report.on_progress && !i->report.on_progress(i->facts->objects, i->report.arg))
        return lw_error_set(err, LW_ERR_STOPPED, "cancelled after %llu objects",
                            (unsigned long long)i->facts->objects);
    return LW_OK;
}

/* Sets |*is_same| to whether the store has this value. */
static lw_status compare(import *i, const lw_store_window_item *item, bool *is_same, lw_error *err)
{
    lw_buf value;
    lw_buf_init(&value, LW_STORE_VALUE_MAX);
    lw_status st = lw_store_get(i->store, item->txn.key, 0, &value, NULL, err);
    *is_same = st == LW_OK && lw_str_equal(lw_buf_view(&value), item->txn.value);
    lw_buf_done(&value);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* The key exists. */
static lw_status import_existing(import *i, lw_store_window_item *item, lw_error *err)
{
    bool is_same = false;
    lw_status st = compare(i, item, &is_same, err);
    if (st < 0)
        return st;
    if (is_same || i->conflict == LW_SERVER_STORE_SKIP) {
        i->facts->skipped++;
        return LW_OK;
    }
    if (i->conflict == LW_SERVER_STORE_FAIL)
        return lw_error_set(err, LW_ERR_EXISTS,
                            "line %llu: %.*s exists with another value: choose to skip or to "
                            "replace existing objects",
                            (unsigned long long)item->number, LW_STR_ARG(item->txn.key));
    item->txn.expected = item->txn.revision;
    st = lw_store_commit(i->store, &item->txn);
    if (st < 0)
        return lw_error_set(err, st, "line %llu: %s", (unsigned long long)item->number,
                            item->txn.err.message);
    i->facts->objects++;
    return LW_OK;
}

static lw_status imported(lw_store_window_item *item, void *arg, lw_error *err)
{
    import *i = arg;
    if (item->txn.st == LW_ERR_CONFLICT)
        return import_existing(i, item, err);
    if (item->txn.st < 0)
        return lw_error_set(err, item->txn.st, "line %llu: %s", (unsigned long long)item->number,
                            item->txn.err.message);
    i->facts->objects++;
    return LW_OK;
}

static lw_status commit(import *i,
                        lw_status (*on_done)(lw_store_window_item *item, void *arg, lw_error *err),
                        lw_error *err)
{
    lw_status st = lw_store_window_commit(i->window, on_done, i, err);
    return st < 0 ? st : tell_progress(i, err);
}

static lw_status import_line(import *i, lw_str line, uint64_t number, lw_error *err)
{
    if (lw_str_trim(line).len == 0)
        return LW_OK;
    lw_store_window_item *item = lw_store_window_next(i->window);
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_store_line_parse(line, &item->key, &item->value, &why);
    if (st < 0)
        return lw_error_set(err, st, "line %llu: %s", (unsigned long long)number, why.message);
    item->number = number;
    lw_store_window_add(i->window, LW_STORE_PUT, 0);
    return lw_store_window_is_full(i->window) ? commit(i, imported, err) : LW_OK;
}

lw_status lw_server_store_import(const char *data_dir, lw_server_store_conflict conflict,
                                 lw_server_store_next_fn next, void *arg,
                                 const lw_server_store_report *report, lw_server_store_facts *facts,
                                 lw_error *err)
{
import i = {.conflict = conflict, .facts = facts };
    if (report)
        i.report = *report;
    *facts = (lw_server_store_facts){ .objects = 0 };
    lw_status st = import_open(&i, data_dir, err);
    uint64_t number = 0;
    for (lw_str line; st == LW_OK && next(&line.ptr, &line.len, arg);)
        st = import_line(&i, line, ++number, err);
    if (i.window && i.window->count > 0 && st == LW_OK)
        st = commit(&i, imported, err);
    import_close(&i);
    return st;
}

/* Deletes. */

static lw_status deleted(lw_store_window_item *item, void *arg, lw_error *err)
{
    import *i = arg;
    if (item->txn.st < 0)
        return lw_error_set(err, item->txn.st, "cannot delete %.*s: %s", LW_STR_ARG(item->txn.key),
                            item->txn.err.message);
    i->facts->objects++;
    return LW_OK;
}

static lw_status mark_for_deletion(const lw_store_record *record, void *arg, lw_error *err)
{
    import *i = arg;
    lw_store_window_item *item = lw_store_window_next(i->window);
    lw_buf_append_str(&item->key, record->key);
    if (item->key.st < 0)
        return lw_error_nomem(err);
    lw_store_window_add(i->window, LW_STORE_DELETE, record->mod_revision);
    return LW_OK;
}

static lw_status delete_all(import *i, lw_str prefix, lw_error *err)
{
    char end[LW_STORE_KEY_MAX];
    lw_store_range range = { .start = prefix, .limit = LW_STORE_WINDOW_MAX };
    lw_store_range_result result = { .has_more = true };
    lw_store_prefix_end(prefix, end, &range.end);
    lw_status st = LW_OK;
    while (st == LW_OK && result.has_more) {
        st = lw_store_read(i->store, &range, mark_for_deletion, i, &result, err);
        if (st == LW_OK)
            st = commit(i, deleted, err);
    }
    if (st < 0 || i->facts->objects == 0)
        return st;
    /* Without history, their space is free at once. */
    uint64_t current = 0, compacted = 0;
    lw_store_revisions(i->store, &current, &compacted);
    return lw_store_compact(i->store, current, err);
}

lw_status lw_server_store_delete(const char *data_dir, const char *prefix,
                                 const lw_server_store_report *report, lw_server_store_facts *facts,
                                 lw_error *err)
{
import i = {.facts = facts };
    lw_str wanted = lw_str_of(prefix);
    char *folder = NULL;
    if (wanted.len == 0 || wanted.len > LW_STORE_KEY_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "the prefix is empty or longer than any key");
    if (report)
        i.report = *report;
    *facts = (lw_server_store_facts){ .objects = 0 };
    lw_status st = lw_server_store_folder(data_dir, &folder, err);
    lw_free(folder);
    if (st == LW_OK)
        st = import_open(&i, data_dir, err);
    if (st == LW_OK)
        st = delete_all(&i, wanted, err);
    import_close(&i);
    return st;
}
