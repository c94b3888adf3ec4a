/* SPDX-License-Identifier: Apache-2.0 */
/* build.c -- writes a new file from records, completely or not at all.
 *
 * Nobody else knows the file while it is written, so nothing is flushed before the end. */
#include "store/lmdb/build.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/value.h"

enum {
    BATCH_BYTES = 16 << 20, /* bytes after which a transaction is committed */
    RECORD_COST = 100,      /* what a record costs besides its bytes, about */
};

static lw_status build_explain(lw_lmdb_build *build, int rc, lw_error *err)
{
    return rc == MDB_MAP_FULL
               ? lw_error_set(err, LW_ERR_IO,
                              "cannot write %s: the process may not map that much (ulimit -v)",
                              build->names.file)
               : lw_lmdb_explain(&build->names, rc, "write", err);
}

static int build_open(lw_lmdb_build *build, size_t map_bytes)
{
    int rc = mdb_env_create(&build->env);
    if (rc != 0)
        return rc;
    rc = mdb_env_set_maxdbs(build->env, LW_LMDB_DATABASES);
    if (rc == 0)
        rc = mdb_env_set_mapsize(build->env, map_bytes);
    if (rc == 0)
        rc = mdb_env_open(build->env, build->names.file, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC,
                          0600);
    if (rc != 0) {
        mdb_env_close(build->env);
        build->env = NULL;
    }
    return rc;
}

static int build_open_databases(lw_lmdb_build *build)
{
    int rc = mdb_txn_begin(build->env, NULL, 0, &build->txn);
    if (rc == 0)
        rc = mdb_dbi_open(build->txn, LW_LMDB_META, MDB_CREATE, &build->meta);
    if (rc == 0)
        rc = mdb_dbi_open(build->txn, LW_LMDB_LOG, MDB_CREATE, &build->log);
    return rc == 0 ? mdb_dbi_open(build->txn, LW_LMDB_KEYS, MDB_CREATE, &build->keys) : rc;
}

static lw_status build_name(lw_lmdb_build *build, const char *folder)
{
    lw_buf path;
    lw_buf_init(&path, LW_LMDB_PATH_MAX);
    lw_buf_printf(&path, "%s/data.mdb", folder);
    build->file = lw_buf_take_text(&path);
    lw_buf_printf(&path, "%s/data.mdb.new", folder);
    build->names.file = lw_buf_take_text(&path);
    build->names.folder = lw_str_dup(lw_str_of(folder));
    lw_buf_done(&path);
    return build->file && build->names.file && build->names.folder ? LW_OK : LW_ERR_NOMEM;
}

lw_status lw_lmdb_build_begin(lw_lmdb_build *build, const char *folder, lw_error *err)
{
    *build = (lw_lmdb_build){ .alive = 0 };
    if (build_name(build, folder) < 0)
        return lw_error_nomem(err);
    int rc = unlink(build->names.file) < 0 && errno != ENOENT ? errno : 0;
    size_t map_bytes = LW_LMDB_MAP_BYTES;
    if (rc == 0)
        rc = build_open(build, map_bytes);
    while (rc == ENOMEM && map_bytes / 2 >= LW_LMDB_MAP_MIN)
        rc = build_open(build, map_bytes /= 2);
    if (rc == 0)
        rc = build_open_databases(build);
    return rc == 0 ? LW_OK : build_explain(build, rc, err);
}

static int build_commit(lw_lmdb_build *build)
{
    int rc = mdb_txn_commit(build->txn);
    build->txn = NULL;
    build->pending = 0;
    return rc;
}

/* Writes the record directly into the page. */
static int put_record(lw_lmdb_build *build, uint64_t revision, const lw_lmdb_record *record)
{
    unsigned char number[LW_LMDB_REVISION_SIZE];
    MDB_val key = { sizeof(number), number };
    MDB_val room = { lw_lmdb_record_size(record), NULL };
    lw_lmdb_put_number(number, revision, sizeof(number));
    int rc = mdb_put(build->txn, build->log, &key, &room, MDB_RESERVE | MDB_APPEND);
    if (rc == 0)
        lw_lmdb_record_encode(record, revision, room.mv_data);
    return rc;
}

static int put_entry(lw_lmdb_build *build, uint64_t revision, const lw_lmdb_record *record)
{
    unsigned char bytes[LW_LMDB_ENTRY_SIZE];
    MDB_val key = lw_lmdb_val(record->key), old, value = { sizeof(bytes), bytes };
    lw_lmdb_entry entry = { .revision = 0 };
    int rc = mdb_get(build->txn, build->keys, &key, &old);
    if (rc == 0 && !lw_lmdb_entry_decode(&entry, record->key, LW_LMDB_FORMAT, lw_lmdb_str(old)))
        return MDB_CORRUPTED;
    if (rc != 0 && rc != MDB_NOTFOUND)
        return rc;
    build->alive -= entry.create_revision > 0;
    build->alive += !record->is_delete;
    entry = (lw_lmdb_entry){ .revision = revision,
                             .create_revision = record->is_delete ? 0 : record->create_revision,
                             .bytes = (uint32_t)(record->key.len + record->value.len) };
    lw_lmdb_entry_encode(&entry, record->key, bytes);
    return mdb_put(build->txn, build->keys, &key, &value, 0);
}

lw_status lw_lmdb_build_put(lw_lmdb_build *build, uint64_t revision, const lw_lmdb_record *record,
                            lw_error *err)
{
    int rc = build->txn ? 0 : mdb_txn_begin(build->env, NULL, 0, &build->txn);
    if (rc == 0)
        rc = put_record(build, revision, record);
    if (rc == 0)
        rc = put_entry(build, revision, record);
    build->pending += lw_lmdb_record_size(record) + RECORD_COST;
    if (rc == 0 && build->pending > BATCH_BYTES)
        rc = build_commit(build);
    return rc == 0 ? LW_OK : build_explain(build, rc, err);
}

static int put_meta(lw_lmdb_build *build, lw_str name, unsigned char *bytes, size_t len)
{
    MDB_val key = lw_lmdb_val(name);
    MDB_val value = { len, bytes };
    return mdb_put(build->txn, build->meta, &key, &value, 0);
}

/* Commits the state; |*is_first| tells whether it was in the first commit of all. */
static int commit_state(lw_lmdb_build *build, const lw_store_marks *marks, bool *is_first)
{
    unsigned char format[LW_LMDB_REVISION_SIZE], bytes[LW_LMDB_STATE_SIZE];
    int rc = build->txn ? 0 : mdb_txn_begin(build->env, NULL, 0, &build->txn);
    if (rc != 0)
        return rc;
    lw_lmdb_state state = { .marks = *marks, .txn_id = mdb_txn_id(build->txn) };
    state.marks.keys = build->alive;
    lw_lmdb_put_number(format, LW_LMDB_FORMAT, sizeof(format));
    lw_lmdb_state_encode(&state, bytes);
    rc = put_meta(build, LW_STR(LW_LMDB_FORMAT_KEY), format, sizeof(format));
    if (rc == 0)
        rc = put_meta(build, LW_STR(LW_LMDB_STATE_KEY), bytes, sizeof(bytes));
    *is_first = state.txn_id == 1;
    return rc == 0 ? build_commit(build) : rc;
}

/* The file describes its last two commits, and both must have a state. */
lw_status lw_lmdb_build_finish(lw_lmdb_build *build, const lw_store_marks *marks, lw_error *err)
{
    bool is_first = false;
    int rc = commit_state(build, marks, &is_first);
    if (rc == 0 && !is_first)
        rc = commit_state(build, marks, &is_first);
    if (rc == 0)
        rc = mdb_env_sync(build->env, 1);
    return rc == 0 ? LW_OK : build_explain(build, rc, err);
}

static int sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = folder < 0 || fsync(folder) < 0 ? errno : 0;
    if (folder >= 0)
        (void)close(folder);
    return rc;
}

lw_status lw_lmdb_build_publish(lw_lmdb_build *build, lw_error *err)
{
    mdb_env_close(build->env);
    build->env = NULL;
    int rc = rename(build->names.file, build->file) < 0 ? errno : sync_folder(build->names.folder);
    return rc == 0 ? LW_OK : build_explain(build, rc, err);
}

void lw_lmdb_build_done(lw_lmdb_build *build)
{
    if (build->txn)
        mdb_txn_abort(build->txn);
    if (build->env)
        mdb_env_close(build->env);
    if (build->names.file)
        (void)unlink(build->names.file); /* nothing is there after publish */
    lw_free(build->names.file);
    lw_free(build->names.folder);
    lw_free(build->file);
}
