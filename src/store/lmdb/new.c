/* SPDX-License-Identifier: Apache-2.0 */
/* new.c -- creates the file of a new store, and rewrites an existing one.
 *
 * LMDB creates its file and then writes the first pages: a crash in between leaves an empty file,
 * which looks like a truncated store.  So files are built under another name (build.h); a data.mdb
 * without its databases is never ours. */
#include "store/lmdb/new.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "store/lmdb/build.h"
#include "store/lmdb/records.h"
#include "store/lmdb/verify.h"

lw_status lw_lmdb_new(const char *folder, lw_error *err)
{
    lw_lmdb_build build;
    lw_status st = lw_lmdb_build_begin(&build, folder, err);
    if (st == LW_OK)
        st = lw_lmdb_build_finish(&build, &(lw_store_marks){ .current = 0 }, err);
    if (st == LW_OK)
        st = lw_lmdb_build_publish(&build, err);
    lw_lmdb_build_done(&build);
    return st;
}

typedef struct rewriting {
    lw_lmdb_build build;
    lw_store_marks marks;
} rewriting;

static lw_status take_state(const lw_lmdb_state *state, unsigned format, void *arg, lw_error *err)
{
    (void)format;
    (void)err;
    ((rewriting *)arg)->marks = state->marks;
    return LW_OK;
}

static lw_status take_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                             lw_error *err)
{
    return lw_lmdb_build_put(&((rewriting *)arg)->build, revision, record, err);
}

lw_status lw_lmdb_rewrite(const char *folder, lw_error *err)
{
    rewriting r;
    const lw_lmdb_reader reader = { .on_state = take_state, .on_record = take_record, .arg = &r };
    char *file = lw_file_path(folder, "data.mdb");
    if (!file)
        return lw_error_nomem(err);
    lw_status st = lw_lmdb_build_begin(&r.build, folder, err);
    if (st == LW_OK)
        st = lw_lmdb_records_read(file, 0, &reader, err);
    if (st == LW_OK)
        st = lw_lmdb_build_finish(&r.build, &r.marks, err);
    if (st == LW_OK) {
        lw_lmdb_findings findings = { .on_damage = NULL };
        st = lw_lmdb_verify(r.build.names.file, 0, &findings, err);
    }
    if (st == LW_OK)
        st = lw_lmdb_build_publish(&r.build, err);
    lw_lmdb_build_done(&r.build);
    lw_free(file);
    return st;
}
