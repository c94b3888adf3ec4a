/* SPDX-License-Identifier: Apache-2.0 */
/* new.c -- creates the file of a new store, completely or not at all.
 *
 * LMDB creates its file and then writes the first pages: a crash in between leaves an empty file,
 * which looks like a truncated store.  So the file is created under another name, synced to disk
 * and renamed; a data.mdb without its databases is never ours. */
#include "store/lmdb/new.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/format.h"

static int put(MDB_txn *txn, MDB_dbi database, char *key, unsigned char *bytes, size_t len)
{
    MDB_val name = { strlen(key), key };
    MDB_val value = { len, bytes };
    return mdb_put(txn, database, &name, &value, 0);
}

static int make_databases(MDB_txn *txn)
{
    static const char *const others[] = { LW_LMDB_LOG, LW_LMDB_KEYS };
    char format_key[] = LW_LMDB_FORMAT_KEY, state_key[] = LW_LMDB_STATE_KEY;
    unsigned char format[LW_LMDB_REVISION_SIZE], state[LW_LMDB_STATE_SIZE];
    const lw_store_marks marks = { .current = 0 };
    MDB_dbi meta = 0, other = 0;
    lw_lmdb_put_number(format, LW_LMDB_FORMAT, sizeof(format));
    lw_lmdb_state_encode(&marks, state);
    int rc = mdb_dbi_open(txn, LW_LMDB_META, MDB_CREATE, &meta);
    for (size_t i = 0; rc == 0 && i < sizeof(others) / sizeof(others[0]); i++)
        rc = mdb_dbi_open(txn, others[i], MDB_CREATE, &other);
    if (rc == 0)
        rc = put(txn, meta, format_key, format, sizeof(format));
    return rc == 0 ? put(txn, meta, state_key, state, sizeof(state)) : rc;
}

/* Uses one transaction; afterwards everything is on disk. */
static int fill(MDB_env *lmdb)
{
    MDB_txn *txn = NULL;
    int rc = mdb_txn_begin(lmdb, NULL, 0, &txn);
    if (rc != 0)
        return rc;
    rc = make_databases(txn);
    if (rc == 0)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return rc;
}

/* No other process can have the file open: no table of readers is needed. */
static int make(const char *path)
{
    MDB_env *lmdb = NULL;
    int rc = mdb_env_create(&lmdb);
    if (rc != 0)
        return rc;
    rc = mdb_env_set_maxdbs(lmdb, LW_LMDB_DATABASES);
    if (rc == 0)
        rc = mdb_env_set_mapsize(lmdb, LW_LMDB_MAP_MIN);
    if (rc == 0)
        rc = mdb_env_open(lmdb, path, MDB_NOSUBDIR | MDB_NOLOCK, 0600);
    if (rc == 0)
        rc = fill(lmdb);
    mdb_env_close(lmdb);
    return rc;
}

/* Renames the file and syncs the directory. */
static int publish(const lw_lmdb_env *env, const char *path)
{
    if (rename(path, env->file) < 0)
        return errno;
    int folder = open(env->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = folder < 0 || fsync(folder) < 0 ? errno : 0;
    if (folder >= 0)
        (void)close(folder);
    return rc;
}

lw_status lw_lmdb_new(const lw_lmdb_env *env, lw_error *err)
{
    lw_buf name;
    lw_buf_init(&name, LW_LMDB_PATH_MAX);
    lw_buf_printf(&name, "%s.new", env->file);
    char *path = lw_buf_take_text(&name);
    lw_buf_done(&name);
    if (!path)
        return lw_error_nomem(err);
    /* Left by a process that was killed. */
    int rc = unlink(path) < 0 && errno != ENOENT ? errno : 0;
    if (rc == 0)
        rc = make(path);
    if (rc == 0)
        rc = publish(env, path);
    if (rc != 0)
        (void)unlink(path);
    lw_free(path);
    return rc == 0 ? LW_OK : lw_lmdb_explain(env, rc, "make", err);
}
