/* SPDX-License-Identifier: Apache-2.0 */
/* store_export.c -- passes the objects of a store on as lines.
 *
 * A page of keys is read in one go, and passed on when the transaction is over: a slow reader keeps
 * no pages of a running server from being reused.  All pages are read at one revision. */
#include <listwatch/server_store.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "server/offline/store_folder.h"
#include "server/offline/store_line.h"
#include "store/lmdb/check_folder.h"
#include "store/lmdb/engine.h"
#include "json/path.h"
#include "json/text.h"

enum {
    PAGE_RECORDS = 256,
    PAGE_BYTES = 32 << 20, /* of lines; at least one value fits */
};

typedef struct export
{
    lw_lmdb_env env;
    const char *kind;
    lw_server_store_line_fn on_line;
    void *arg;
    lw_server_store_report report;
    lw_server_store_facts *facts;
    lw_buf lines; /* of the page, each with a NUL at its end */
    lw_buf last;  /* the last key of the page */
    bool is_cut;  /* the page is full before its last record */
}
export;

static bool has_kind(lw_str value, const char *kind)
{
    lw_str found;
    if (lw_json_path_find(value, LW_STR("/kind"), &found) < 0 || found.len < 2)
        return false;
    return lw_json_text_equal(lw_str_make(found.ptr + 1, found.len - 2), lw_str_of(kind));
}

static lw_status take_record(const lw_store_record *record, void *arg, lw_error *err)
{
    export *e = arg;
    if (e->lines.len > PAGE_BYTES / 4) {
        e->is_cut = true;
        return LW_ERR_STOPPED;
    }
    lw_buf_reset(&e->last);
    lw_buf_append_str(&e->last, record->key);
    lw_buf_append_char(&e->last, '\0');
    if (!e->kind || has_kind(record->value, e->kind)) {
        lw_store_line_append(&e->lines, record->key, record->value);
        lw_buf_append_char(&e->lines, '\0');
    }
    return e->lines.st < 0 || e->last.st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status pass_on(export *e, lw_error *err)
{
    lw_str rest = lw_buf_view(&e->lines), line;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '\0', &line, &rest);
        lw_status st = e->on_line(line.ptr, line.len, e->arg);
        if (st < 0)
            return lw_error_set(err, st, "the export was ended by its receiver");
        e->facts->objects++;
    }
    if (e->report.on_progress && !e->report.on_progress(e->facts->objects, e->report.arg))
        return lw_error_set(err, LW_ERR_STOPPED, "the export was cancelled");
    return LW_OK;
}

/* Reads and passes on one page from range->start on. */
static lw_status export_page(export *e, lw_store_range *range, bool *has_more, lw_error *err)
{
    lw_store_range_result result = { .has_more = false };
    e->is_cut = false;
    lw_buf_reset(&e->lines);
    lw_status st = lw_lmdb_range(&e->env, range, take_record, e, &result, err);
    if (st == LW_ERR_STOPPED && e->is_cut)
        st = LW_OK;
    if (st < 0)
        return st;
    *has_more = result.has_more || e->is_cut;
    if (result.revision > 0)
        e->facts->revision = range->revision = result.revision;
    return pass_on(e, err);
}

static lw_status export_all(export *e, const char *prefix, lw_error *err)
{
    char end[LW_STORE_KEY_MAX], start[LW_STORE_KEY_MAX + 1];
    lw_str wanted = lw_str_of(prefix);
    if (wanted.len > sizeof(end))
        return lw_error_set(err, LW_ERR_INVALID, "the prefix is longer than any key");
    lw_store_range range = { .start = wanted, .limit = PAGE_RECORDS };
    lw_store_prefix_end(wanted, end, &range.end);
    bool has_more = true;
    lw_store_range_result now;
    const lw_store_range none = { .start = LW_STR("/"), .end = LW_STR("/"), .limit = 1 };
    lw_status st = lw_lmdb_range(&e->env, &none, take_record, e, &now, err);
    range.revision = e->facts->revision = now.revision;
    while (st == LW_OK && has_more) {
        st = export_page(e, &range, &has_more, err);
        if (st == LW_OK && has_more) {
            memcpy(start, e->last.data, e->last.len);
            range.start = lw_str_make(start, e->last.len);
        }
    }
    return st;
}

static lw_status check(const char *folder, lw_error *err)
{
    lw_lmdb_findings findings = { .on_damage = NULL };
    lw_status st = lw_lmdb_check_folder(folder, &findings, err);
    if (st == LW_ERR_INVALID && err)
        return lw_error_set(err, st, "%s; run listwatch store check --repair first", err->message);
    return st;
}

lw_status lw_server_store_export(const char *data_dir, const lw_server_store_selection *selection,
                                 lw_server_store_line_fn on_line, void *arg,
                                 const lw_server_store_report *report, lw_server_store_facts *facts,
                                 lw_error *err)
{
    export e = {
        .kind = selection ? selection->kind : NULL, .on_line = on_line, .arg = arg, .facts = facts
    };
    const char *prefix = selection && selection->prefix ? selection->prefix : "";
    if (report)
        e.report = *report;
    char *folder = NULL;
    lw_status st = lw_server_store_folder(data_dir, &folder, err);
    if (st == LW_OK)
        st = check(folder, err);
    if (st == LW_OK)
        st = lw_lmdb_env_open_reader(&e.env, folder, err);
    if (st < 0) {
        lw_free(folder);
        return st;
    }
    *facts = (lw_server_store_facts){ .objects = 0 };
    lw_buf_init(&e.lines, PAGE_BYTES);
    lw_buf_init(&e.last, LW_STORE_KEY_MAX + 1);
    st = export_all(&e, prefix, err);
    lw_buf_done(&e.last);
    lw_buf_done(&e.lines);
    lw_lmdb_env_close(&e.env);
    lw_free(folder);
    return st;
}
