/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb.c -- the LMDB store: a writer with an LMDB engine. */
#include "store/lmdb/lmdb.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/lmdb/backup.h"
#include "store/lmdb/engine.h"
#include "store/writer.h"

typedef struct lmdb_store {
    lw_store_writer writer;
    lw_lmdb_engine engine;
    lw_lmdb_env env;
} lmdb_store;

static lw_status lmdb_range(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                            void *arg, lw_store_range_result *result, lw_error *err)
{
    return lw_lmdb_range(&((lmdb_store *)store)->env, range, fn, arg, result, err);
}

static size_t lmdb_bytes(lw_store *store)
{
    struct stat status;
    if (stat(((lmdb_store *)store)->env.file, &status) < 0 || status.st_size < 0)
        return 0;
    return (size_t)status.st_size;
}

static void lmdb_condition(lw_store *store, lw_store_condition *condition)
{
    lmdb_store *lmdb = (lmdb_store *)store;
    lw_error err = LW_ERROR_INIT;
    lw_store_writer_condition(store, condition);
    condition->is_damaged = atomic_load(&lmdb->env.is_damaged);
    if (lw_lmdb_env_check_place(&lmdb->env, &err) < 0) {
        condition->is_failing = true;
        lw_error_copy_text(condition->why, sizeof(condition->why), err.message,
                           strlen(err.message));
    }
}

static bool goes_on(uint64_t records, void *arg)
{
    const atomic_bool *const *is_cancelled = arg;
    (void)records;
    return !*is_cancelled || !atomic_load(*is_cancelled);
}

static lw_status lmdb_backup(lw_store *store, int fd, const atomic_bool *is_cancelled,
                             lw_error *err)
{
    lw_lmdb_backup_facts facts;
    const lw_lmdb_progress progress = { goes_on, &is_cancelled };
    return lw_lmdb_backup_env(&((lmdb_store *)store)->env, fd, progress, &facts, err);
}

static void lmdb_free(lw_store *store)
{
    lmdb_store *lmdb = (lmdb_store *)store;
    lw_store_writer_stop(&lmdb->writer);
    lw_store_writer_done(&lmdb->writer);
    lw_lmdb_env_close(&lmdb->env);
    lw_free(lmdb);
}

static const lw_store_ops lmdb_ops = {
    .submit = lw_store_writer_submit,
    .hold = lw_store_writer_hold,
    .range = lmdb_range,
    .watch = lw_store_writer_watch,
    .unwatch = lw_store_writer_unwatch,
    .compact = lw_store_writer_compact,
    .revisions = lw_store_writer_revisions,
    .bytes = lmdb_bytes,
    .has_checksums = true,
    .condition = lmdb_condition,
    .backup = lmdb_backup,
    .free = lmdb_free,
};

/* Starts the store after the file was opened. */
static lw_status lmdb_start(lmdb_store *lmdb, const lw_lmdb_store_options *options, lw_error *err)
{
    lw_status st = lw_lmdb_engine_init(&lmdb->engine, &lmdb->env, err);
    if (st < 0)
        return st;
    lw_store_writer_options writer_options = { .ops = &lmdb_ops,
                                               .engine = &lmdb->engine.engine,
                                               .history = options->history,
                                               .clock = options->clock,
                                               .logger = options->logger,
                                               .finishes_sweep = options->finishes_sweep };
    if (lw_store_writer_init(&lmdb->writer, &writer_options) < 0)
        return lw_error_nomem(err);
    st = lw_lmdb_engine_recall(&lmdb->engine, &lmdb->writer.history,
                               lw_clock_now(lmdb->writer.clock), err);
    if (st == LW_OK)
        st = lw_store_writer_start(&lmdb->writer, err);
    if (st < 0)
        lw_store_writer_done(&lmdb->writer);
    return st;
}

lw_status lw_lmdb_store_open(lw_store **out, const lw_lmdb_store_options *options, lw_error *err)
{
    lmdb_store *lmdb = lw_alloc_zero(1, sizeof(*lmdb));
    if (!lmdb)
        return lw_error_nomem(err);
    const lw_lmdb_env_options wanted = { .folder = options->folder,
                                         .map_bytes = options->map_bytes,
                                         .limit_bytes = options->limit_bytes,
                                         .logger = options->logger };
    lw_status st = lw_lmdb_env_open(&lmdb->env, &wanted, err);
    if (st < 0) {
        lw_free(lmdb);
        return st;
    }
    st = lmdb_start(lmdb, options, err);
    if (st < 0) {
        lw_lmdb_env_close(&lmdb->env);
        lw_free(lmdb);
        return st;
    }
    *out = &lmdb->writer.store;
    return LW_OK;
}
