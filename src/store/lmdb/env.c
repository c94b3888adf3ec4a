/* SPDX-License-Identifier: Apache-2.0 */
/* env.c -- opens the file, grows its map, reopens it, and explains LMDB's errors. */
#include "store/lmdb/env.h"

#include <assert.h>
#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/check.h"
#include "store/lmdb/folder.h"
#include "store/lmdb/format.h"
#include "store/lmdb/new.h"

enum {
    WHY_SIZE = 128,
};

static const char *why_text(int rc, char *storage)
{
    return rc > 0 ? strerror_r(rc, storage, WHY_SIZE) : mdb_strerror(rc);
}

lw_status lw_lmdb_damaged(const lw_lmdb_env *env, const char *what, lw_error *err)
{
    return lw_error_set(
        err, LW_ERR_INVALID,
        "%s is damaged (%s): restore a backup, or move the file away to start with an empty store",
        env->file, what);
}

static lw_status explain_full(const lw_lmdb_env *env, const char *why, const char *detail,
                              lw_error *err)
{
    return lw_error_set(err, LW_ERR_IO,
                        "%s: cannot write %s (%s); writes resume when there is space again", why,
                        env->file, detail);
}

lw_status lw_lmdb_explain(const lw_lmdb_env *env, int rc, const char *doing, lw_error *err)
{
    char storage[WHY_SIZE];
    const char *why = why_text(rc, storage);
    switch (rc) {
    case MDB_MAP_FULL: return lw_error_set(err, LW_ERR_LIMIT, "%s: the map is full", env->file);
    case ENOSPC: return explain_full(env, "the disk is full", why, err);
    case EDQUOT: return explain_full(env, "the disk quota is exceeded", why, err);
    case EFBIG: return explain_full(env, "the file size limit is reached", why, err);
    case EIO: /* LMDB also returns this for a short write */
        return explain_full(env, "the disk is full or failing", why, err);
    case ENOMEM: return lw_error_nomem(err);
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_INCOMPATIBLE:
    case MDB_BAD_VALSIZE: return lw_lmdb_damaged(env, why, err);
    case MDB_READERS_FULL:
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "%s: too many readers; the limit is %d",
                            env->file, LW_LMDB_READERS_MAX);
    case MDB_PANIC:
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "%s is being reopened after an error",
                            env->file);
    default: return lw_error_set(err, LW_ERR_IO, "cannot %s %s: %s", doing, env->file, why);
    }
}

static MDB_val text_val(const char *text)
{
    /* LMDB's interface lacks const, but it does not write. */
    union {
        const char *given;
        void *wanted;
    } pointer = { .given = text };
    return (MDB_val){ strlen(text), pointer.wanted };
}

lw_status lw_lmdb_env_state(const lw_lmdb_env *env, struct MDB_txn *txn, lw_store_marks *marks,
                            lw_error *err)
{
    MDB_val key = text_val(LW_LMDB_STATE_KEY);
    MDB_val found;
    int rc = mdb_get(txn, env->meta, &key, &found);
    if (rc != 0 && rc != MDB_NOTFOUND)
        return lw_lmdb_explain(env, rc, "read", err);
    if (rc == MDB_NOTFOUND ||
        !lw_lmdb_state_decode(marks, lw_str_make(found.mv_data, found.mv_size)))
        return lw_lmdb_damaged(env, "the state record is missing or invalid", err);
    return LW_OK;
}

static lw_status env_check_format(const lw_lmdb_env *env, MDB_txn *txn, lw_error *err)
{
    MDB_val key = text_val(LW_LMDB_FORMAT_KEY);
    MDB_val found;
    int rc = mdb_get(txn, env->meta, &key, &found);
    if (rc != 0 || found.mv_size != LW_LMDB_REVISION_SIZE)
        return lw_lmdb_damaged(env, "the format record is missing or invalid", err);
    unsigned long long format = lw_lmdb_get_number(found.mv_data, LW_LMDB_REVISION_SIZE);
    if (format != LW_LMDB_FORMAT)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s has format %llu, but this program supports only format %d: use the "
                            "version that wrote it",
                            env->file, format, LW_LMDB_FORMAT);
    lw_store_marks marks;
    return lw_lmdb_env_state(env, txn, &marks, err);
}

static int open_databases(lw_lmdb_env *env, MDB_txn *txn)
{
    int rc = mdb_dbi_open(txn, LW_LMDB_META, 0, &env->meta);
    if (rc == 0)
        rc = mdb_dbi_open(txn, LW_LMDB_LOG, 0, &env->log);
    return rc == 0 ? mdb_dbi_open(txn, LW_LMDB_KEYS, 0, &env->keys) : rc;
}

/* Only reads, so that a store on a full disk can be opened. */
static lw_status env_find_databases(lw_lmdb_env *env, lw_error *err)
{
    MDB_txn *txn = NULL;
    int rc = mdb_txn_begin(env->env, NULL, MDB_RDONLY, &txn);
    if (rc != 0)
        return lw_lmdb_explain(env, rc, "read", err);
    lw_status st = LW_OK;
    rc = open_databases(env, txn);
    if (rc == MDB_NOTFOUND)
        st =
            lw_error_set(err, LW_ERR_INVALID,
                         "%s was not created by this program: choose another directory", env->file);
    else if (rc != 0)
        st = lw_lmdb_explain(env, rc, "read", err);
    else
        st = env_check_format(env, txn, err);
    if (st < 0) {
        mdb_txn_abort(txn);
        return st;
    }
    rc = mdb_txn_commit(txn); /* otherwise the handles would be closed */
    return rc == 0 ? LW_OK : lw_lmdb_explain(env, rc, "read", err);
}

static int try_open(lw_lmdb_env *env, size_t map_bytes)
{
    int rc = mdb_env_create(&env->env);
    if (rc != 0)
        return rc;
    rc = mdb_env_set_maxdbs(env->env, LW_LMDB_DATABASES);
    if (rc == 0)
        rc = mdb_env_set_maxreaders(env->env, LW_LMDB_READERS_MAX);
    if (rc == 0)
        rc = mdb_env_set_mapsize(env->env, map_bytes);
    if (rc == 0)
        rc = mdb_env_open(env->env, env->folder, MDB_NOTLS, 0600);
    if (rc != 0) {
        mdb_env_close(env->env);
        env->env = NULL;
        return rc;
    }
    return 0;
}

static lw_status env_check_file(const lw_lmdb_env *env, lw_error *err)
{
    switch (lw_lmdb_check(env->file)) {
    case LW_LMDB_WHOLE: return LW_OK;
    case LW_LMDB_ABSENT: return lw_lmdb_explain(env, ENOENT, "open", err);
    case LW_LMDB_UNREAD: return lw_lmdb_explain(env, errno, "read", err);
    case LW_LMDB_EMPTY: return lw_lmdb_damaged(env, "the file is empty", err);
    case LW_LMDB_CUT: return lw_lmdb_damaged(env, "the file is truncated", err);
    case LW_LMDB_FOREIGN: break;
    }
    return lw_lmdb_damaged(env, "it is not an LMDB file, or it was written on another architecture",
                           err);
}

/* Opens env->file; the directory is locked by this process. */
static lw_status env_open_file(lw_lmdb_env *env, lw_error *err)
{
    lw_status st = env_check_file(env, err);
    if (st < 0)
        return st;
    int rc = try_open(env, env->map_bytes);
    while (rc == ENOMEM && env->map_bytes / 2 >= LW_LMDB_MAP_MIN) {
        env->map_bytes /= 2;
        rc = try_open(env, env->map_bytes);
    }
    if (rc != 0)
        return lw_lmdb_explain(env, rc, "open", err);
    (void)mdb_reader_check(env->env, NULL); /* removes readers of a process that was killed */
    st = env_find_databases(env, err);
    if (st < 0) {
        mdb_env_close(env->env);
        env->env = NULL;
    }
    return st;
}

static lw_status env_name(lw_lmdb_env *env, const char *folder)
{
    lw_buf path;
    lw_buf_init(&path, LW_LMDB_PATH_MAX);
    lw_buf_printf(&path, "%s/data.mdb", folder);
    env->file = lw_buf_take_text(&path);
    env->folder = lw_str_dup(lw_str_of(folder));
    lw_buf_done(&path);
    return env->file && env->folder ? LW_OK : LW_ERR_NOMEM;
}

/* A dangling link is not treated as absent: its disk may not be mounted. */
static bool is_absent(const char *file)
{
    struct stat status;
    return lstat(file, &status) < 0 && errno == ENOENT;
}

lw_status lw_lmdb_env_open(lw_lmdb_env *env, const char *folder, size_t map_bytes, lw_error *err)
{
    *env = (lw_lmdb_env){ .owner = -1, .map_bytes = map_bytes ? map_bytes : LW_LMDB_MAP_BYTES };
    lw_rwlock_init(&env->lock);
    lw_status st = env_name(env, folder);
    if (st < 0)
        (void)lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_lmdb_folder_make(folder, err);
    if (st == LW_OK)
        st = lw_lmdb_folder_own(folder, &env->owner, err);
    if (st == LW_OK && is_absent(env->file))
        st = lw_lmdb_new(env, err);
    if (st == LW_OK)
        st = env_open_file(env, err);
    if (st < 0)
        lw_lmdb_env_close(env);
    return st;
}

void lw_lmdb_env_close(lw_lmdb_env *env)
{
    if (env->env)
        mdb_env_close(env->env);
    if (env->owner >= 0)
        (void)close(env->owner);
    lw_rwlock_done(&env->lock);
    lw_free(env->file);
    lw_free(env->folder);
}

lw_status lw_lmdb_env_reopen(lw_lmdb_env *env, lw_error *err)
{
    lw_rwlock_write(&env->lock);
    if (env->env)
        mdb_env_close(env->env);
    env->env = NULL;
    lw_status st = env_open_file(env, err);
    lw_rwlock_unlock(&env->lock);
    return st;
}

lw_status lw_lmdb_env_grow(lw_lmdb_env *env, lw_error *err)
{
    if (env->map_bytes > SIZE_MAX / 4)
        return lw_error_set(err, LW_ERR_IO, "%s: the memory map cannot grow any further",
                            env->file);
    lw_rwlock_write(&env->lock);
    int rc = mdb_env_set_mapsize(env->env, env->map_bytes * 2);
    lw_rwlock_unlock(&env->lock);
    if (rc == 0) {
        env->map_bytes *= 2;
        return LW_OK;
    }
    char storage[WHY_SIZE];
    lw_status st = lw_error_set(err, LW_ERR_IO, "cannot map %s with %zu bytes: %s", env->file,
                                env->map_bytes * 2, why_text(rc, storage));
    /* LMDB has no map now. */
    lw_error lost;
    (void)lw_lmdb_env_reopen(env, &lost);
    return st;
}
