/* SPDX-License-Identifier: Apache-2.0 */
/* env.c -- opens the file, grows its map, reopens it, and explains LMDB's errors. */
#include "store/lmdb/env.h"

#include <assert.h>
#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "store/lmdb/check.h"
#include "store/lmdb/format.h"
#include "store/lmdb/new.h"
#include "store/lmdb/value.h"
#include "store/lmdb/verify.h"

enum {
    WHY_SIZE = 128,
};

static const char *why_text(int rc, char *storage)
{
    return rc > 0 ? strerror_r(rc, storage, WHY_SIZE) : mdb_strerror(rc);
}

lw_status lw_lmdb_damaged(lw_lmdb_env *env, lw_str key, const char *what, lw_error *err)
{
    atomic_store(&env->is_damaged, true);
    lw_buf text;
    lw_buf_init(&text, LW_LMDB_PATH_MAX);
    lw_lmdb_damage_print(&(lw_lmdb_damage){ .key = key, .what = what }, &text);
    lw_error_set(err, LW_ERR_INVALID,
                 "%s is damaged (%.*s): stop the server and run listwatch store check", env->file,
                 LW_STR_ARG(lw_buf_view(&text)));
    lw_buf_done(&text);
    return LW_ERR_INVALID;
}

lw_status lw_lmdb_damaged_change(lw_lmdb_env *env, uint64_t revision, const char *what,
                                 lw_error *err)
{
    atomic_store(&env->is_damaged, true);
    return lw_error_set(
        err, LW_ERR_INVALID,
        "%s is damaged (revision %llu: %s): stop the server and run listwatch store check",
        env->file, (unsigned long long)revision, what);
}

static lw_status explain_full(const lw_lmdb_env *env, const char *why, const char *detail,
                              lw_error *err)
{
    return lw_error_set(err, LW_ERR_IO,
                        "%s: cannot write %s (%s); writes resume when there is space again", why,
                        env->file, detail);
}

lw_status lw_lmdb_explain(lw_lmdb_env *env, int rc, const char *doing, lw_error *err)
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
    case MDB_BAD_VALSIZE: return lw_lmdb_damaged(env, LW_STR(""), why, err);
    case MDB_READERS_FULL:
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "%s: too many readers; the limit is %d",
                            env->file, LW_LMDB_READERS_MAX);
    case MDB_PANIC:
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "%s is being reopened after an error",
                            env->file);
    default: return lw_error_set(err, LW_ERR_IO, "cannot %s %s: %s", doing, env->file, why);
    }
}

lw_status lw_lmdb_env_state(lw_lmdb_env *env, struct MDB_txn *txn, lw_store_marks *marks,
                            lw_error *err)
{
    MDB_val key = lw_lmdb_val(LW_STR(LW_LMDB_STATE_KEY));
    MDB_val found;
    lw_lmdb_state state;
    int rc = mdb_get(txn, env->meta, &key, &found);
    if (rc != 0 && rc != MDB_NOTFOUND)
        return lw_lmdb_explain(env, rc, "read", err);
    if (rc == MDB_NOTFOUND || !lw_lmdb_state_decode(&state, LW_LMDB_FORMAT, lw_lmdb_str(found)))
        return lw_lmdb_damaged(env, LW_STR(""), "the state record is missing or invalid", err);
    *marks = state.marks;
    return LW_OK;
}

static lw_status env_check_format(lw_lmdb_env *env, MDB_txn *txn, lw_error *err)
{
    MDB_val key = lw_lmdb_val(LW_STR(LW_LMDB_FORMAT_KEY));
    MDB_val found;
    int rc = mdb_get(txn, env->meta, &key, &found);
    if (rc != 0 || found.mv_size != LW_LMDB_REVISION_SIZE)
        return lw_lmdb_damaged(env, LW_STR(""), "the format record is missing or invalid", err);
    unsigned long long format = lw_lmdb_get_number(found.mv_data, LW_LMDB_REVISION_SIZE);
    if (format != LW_LMDB_FORMAT)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s has format %llu instead of %d: start the server once, or run "
                            "listwatch store compact, to convert it",
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

static int try_open(lw_lmdb_env *env, size_t map_bytes, unsigned flags)
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
        rc = mdb_env_open(env->env, env->folder, MDB_NOTLS | flags, 0600);
    if (rc != 0) {
        mdb_env_close(env->env);
        env->env = NULL;
        return rc;
    }
    return 0;
}

static lw_status env_check_file(lw_lmdb_env *env, lw_error *err)
{
    switch (lw_lmdb_check(env->file)) {
    case LW_LMDB_WHOLE: return LW_OK;
    case LW_LMDB_ABSENT: return lw_lmdb_explain(env, ENOENT, "open", err);
    case LW_LMDB_UNREAD: return lw_lmdb_explain(env, errno, "read", err);
    case LW_LMDB_EMPTY: return lw_lmdb_damaged(env, LW_STR(""), "the file is empty", err);
    case LW_LMDB_CUT: return lw_lmdb_damaged(env, LW_STR(""), "the file is truncated", err);
    case LW_LMDB_HALF: return lw_lmdb_damaged(env, LW_STR(""), "a meta page is damaged", err);
    case LW_LMDB_FOREIGN: break;
    }
    return lw_lmdb_damaged(env, LW_STR(""),
                           "it is not an LMDB file, or it was written on another architecture",
                           err);
}

/* Remembers which file was opened first. */
static void env_note_place(lw_lmdb_env *env)
{
    mdb_filehandle_t fd;
    struct stat status;
    if (env->inode == 0 && mdb_env_get_fd(env->env, &fd) == 0 && fstat(fd, &status) == 0) {
        env->device = status.st_dev;
        env->inode = status.st_ino;
    }
}

lw_status lw_lmdb_env_check_place(const lw_lmdb_env *env, lw_error *err)
{
    struct stat status;
    if (stat(env->file, &status) == 0 && status.st_dev == env->device &&
        status.st_ino == env->inode)
        return LW_OK;
    return lw_error_set(err, LW_ERR_IO,
                        "%s was removed or replaced while the server was running: nothing is "
                        "written any more; restart the server",
                        env->file);
}

/* Opens env->file; the directory is locked by this process. */
static lw_status env_open_file(lw_lmdb_env *env, unsigned flags, lw_error *err)
{
    lw_status st = env_check_file(env, err);
    if (st < 0)
        return st;
    int rc = try_open(env, env->map_bytes, flags);
    while (rc == ENOMEM && env->map_bytes / 2 >= LW_LMDB_MAP_MIN) {
        env->map_bytes /= 2;
        rc = try_open(env, env->map_bytes, flags);
    }
    if (rc != 0)
        return lw_lmdb_explain(env, rc, "open", err);
    env_note_place(env);
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

static lw_status env_init(lw_lmdb_env *env, const char *folder, size_t map_bytes, lw_error *err)
{
    *env = (lw_lmdb_env){ .owner = LW_LMDB_OWNER_INIT,
                          .map_bytes = map_bytes ? map_bytes : LW_LMDB_MAP_BYTES };
    lw_rwlock_init(&env->lock);
    return env_name(env, folder) < 0 ? lw_error_nomem(err) : LW_OK;
}

static void log_damage(const lw_lmdb_damage *damage, void *arg)
{
    lw_buf text;
    lw_buf_init(&text, LW_LMDB_PATH_MAX);
    lw_lmdb_damage_print(damage, &text);
    lw_log(arg, LW_LOG_ERROR, "store", "damaged: %.*s", LW_STR_ARG(lw_buf_view(&text)));
    lw_buf_done(&text);
}

/* Reads the whole file, and converts it if its format is old. */
static lw_status env_verify(lw_lmdb_env *env, const lw_logger *logger, lw_error *err)
{
    union {
        const lw_logger *given;
        void *wanted;
    } pointer = { .given = logger };
    lw_lmdb_findings findings = { .on_damage = logger ? log_damage : NULL, .arg = pointer.wanted };
    lw_status st = lw_lmdb_verify(env->file, 0, &findings, err);
    if (st < 0 && findings.damages > 0 && findings.format <= LW_LMDB_FORMAT && err)
        return lw_error_set(err, st,
                            "%s: restore a backup (listwatch store restore), or keep what can be "
                            "read (listwatch store check --repair)",
                            err->message);
    if (st < 0 || findings.format == LW_LMDB_FORMAT)
        return st;
    lw_log(logger, LW_LOG_INFO, "store", "%s is being converted from format %u to %d", env->file,
           findings.format, LW_LMDB_FORMAT);
    return lw_lmdb_rewrite(env->folder, err);
}

/* The file may be larger than its data by a quarter, for free pages, and a little. */
static size_t map_max(const lw_lmdb_env *env)
{
    return env->limit_bytes == 0
               ? SIZE_MAX / 4
               : (size_t)(env->limit_bytes + env->limit_bytes / 4) + LW_LMDB_MAP_SLACK;
}

lw_status lw_lmdb_env_open(lw_lmdb_env *env, const lw_lmdb_env_options *options, lw_error *err)
{
    lw_status st = env_init(env, options->folder, options->map_bytes, err);
    env->limit_bytes = options->limit_bytes;
    if (env->map_bytes > map_max(env))
        env->map_bytes = map_max(env);
    if (st == LW_OK)
        st = lw_lmdb_folder_make(options->folder, err);
    if (st == LW_OK)
        st = lw_lmdb_folder_own(options->folder, &env->owner, err);
    if (st == LW_OK && is_absent(env->file))
        st = lw_lmdb_new(options->folder, err);
    if (st == LW_OK)
        st = env_verify(env, options->logger, err);
    if (st == LW_OK)
        st = env_open_file(env, 0, err);
    if (st < 0)
        lw_lmdb_env_close(env);
    return st;
}

lw_status lw_lmdb_env_open_reader(lw_lmdb_env *env, const char *folder, lw_error *err)
{
    lw_status st = env_init(env, folder, 0, err);
    if (st == LW_OK)
        st = env_open_file(env, MDB_RDONLY, err);
    if (st < 0)
        lw_lmdb_env_close(env);
    return st;
}

void lw_lmdb_env_close(lw_lmdb_env *env)
{
    if (env->env)
        mdb_env_close(env->env);
    lw_lmdb_folder_release(&env->owner);
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
    lw_status st = env_open_file(env, 0, err);
    lw_rwlock_unlock(&env->lock);
    return st;
}

lw_status lw_lmdb_env_grow(lw_lmdb_env *env, lw_error *err)
{
    size_t most = map_max(env);
    if (env->map_bytes >= most)
        return lw_error_set(err, LW_ERR_NO_SPACE,
                            "%s has reached the limit of the store (--store-size) with its free "
                            "pages; delete objects, or stop the server and run listwatch store "
                            "compact",
                            env->file);
    size_t more = env->map_bytes > most / 2 ? most : env->map_bytes * 2;
    lw_rwlock_write(&env->lock);
    int rc = mdb_env_set_mapsize(env->env, more);
    lw_rwlock_unlock(&env->lock);
    if (rc == 0) {
        env->map_bytes = more;
        return LW_OK;
    }
    char storage[WHY_SIZE];
    lw_status st = lw_error_set(err, LW_ERR_IO, "cannot map %s with %zu bytes: %s", env->file, more,
                                why_text(rc, storage));
    /* LMDB has no map now. */
    lw_error lost;
    (void)lw_lmdb_env_reopen(env, &lost);
    return st;
}
