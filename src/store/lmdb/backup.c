/* SPDX-License-Identifier: Apache-2.0 */
/* backup.c -- writes a store as a stream. */
#include "store/lmdb/backup.h"

#include <errno.h>
#include <lmdb.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"

enum {
    CHUNK_BYTES = 1 << 20, /* bytes per write */
    WHY_SIZE = 128,
    TRIES = 1000,            /* a try fails if two commits come between two system calls */
    PROGRESS_RECORDS = 4096, /* records between two reports */
};

typedef struct writing {
    int fd;
    lw_buf chunk;
    uint32_t crc; /* of everything that left the chunk */
    lw_lmdb_progress progress;
    lw_lmdb_backup_facts facts;
} writing;

static lw_status write_chunk(writing *w, lw_error *err)
{
    if (w->chunk.st < 0)
        return lw_error_nomem(err);
    w->crc = lw_crc32c(w->crc, w->chunk.data, w->chunk.len);
    w->facts.bytes += w->chunk.len;
    for (size_t done = 0; done < w->chunk.len;) {
        ssize_t wrote = write(w->fd, w->chunk.data + done, w->chunk.len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            char why[WHY_SIZE];
            return lw_error_set(err, LW_ERR_IO, "cannot write the backup: %s",
                                strerror_r(errno, why, sizeof(why)));
        }
        done += (size_t)wrote;
    }
    lw_buf_reset(&w->chunk);
    return LW_OK;
}

static void put_number(writing *w, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    lw_lmdb_put_number(bytes, number, size);
    lw_buf_append(&w->chunk, bytes, size);
}

static lw_status write_state(const lw_lmdb_state *state, unsigned format, void *arg, lw_error *err)
{
    writing *w = arg;
    unsigned char bytes[LW_LMDB_STATE_SIZE];
    (void)format;
    (void)err;
    w->facts.marks = state->marks;
    lw_lmdb_state_encode(state, bytes);
    lw_buf_append(&w->chunk, LW_BACKUP_MAGIC, LW_BACKUP_MAGIC_SIZE);
    put_number(w, LW_LMDB_BACKUP_VERSION, 4);
    lw_buf_append(&w->chunk, bytes, sizeof(bytes));
    return LW_OK;
}

static lw_status write_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                              lw_error *err)
{
    writing *w = arg;
    size_t size = lw_lmdb_record_size(record);
    put_number(w, size, 4);
    put_number(w, revision, 8);
    if (lw_buf_reserve(&w->chunk, size) < 0)
        return lw_error_nomem(err);
    lw_lmdb_record_encode(record, revision, (unsigned char *)w->chunk.data + w->chunk.len);
    w->chunk.len += size;
    w->facts.records++;
    if (w->facts.records % PROGRESS_RECORDS == 0 && w->progress.fn &&
        !w->progress.fn(w->facts.records, w->progress.arg))
        return lw_error_set(err, LW_ERR_STOPPED, "the backup was cancelled");
    return w->chunk.len < CHUNK_BYTES ? LW_OK : write_chunk(w, err);
}

static lw_status write_end(writing *w, lw_error *err)
{
    put_number(w, 0, 4);
    put_number(w, w->facts.records, 8);
    lw_status st = write_chunk(w, err);
    if (st < 0)
        return st;
    put_number(w, w->crc, 4);
    return write_chunk(w, err);
}

lw_status lw_lmdb_backup_write(const char *path, uint64_t txn_id, int fd, lw_lmdb_progress progress,
                               lw_lmdb_backup_facts *facts, lw_error *err)
{
    writing w = { .fd = fd, .progress = progress };
    const lw_lmdb_reader reader = { .on_state = write_state, .on_record = write_record, .arg = &w };
    lw_buf_init(&w.chunk, CHUNK_BYTES + LW_LMDB_RECORD_MAX + 1024);
    lw_status st = lw_lmdb_records_read(path, txn_id, &reader, err);
    if (st == LW_OK)
        st = write_end(&w, err);
    lw_buf_done(&w.chunk);
    if (st == LW_OK)
        *facts = w.facts;
    return st;
}

/* While the transaction is open, the pages that it sees are not overwritten. */
static lw_status backup_locked(lw_lmdb_env *env, int fd, lw_lmdb_progress progress,
                               lw_lmdb_backup_facts *facts, lw_error *err)
{
    lw_status st = LW_ERR_UNAVAILABLE;
    for (int i = 0; i < TRIES && st == LW_ERR_UNAVAILABLE; i++) {
        MDB_txn *txn = NULL;
        int rc = env->env ? mdb_txn_begin(env->env, NULL, MDB_RDONLY, &txn) : MDB_PANIC;
        if (rc != 0)
            return lw_lmdb_explain(env, rc, "read", err);
        st = lw_lmdb_backup_write(env->file, mdb_txn_id(txn), fd, progress, facts, err);
        mdb_txn_abort(txn);
    }
    return st;
}

lw_status lw_lmdb_backup_env(lw_lmdb_env *env, int fd, lw_lmdb_progress progress,
                             lw_lmdb_backup_facts *facts, lw_error *err)
{
    lw_rwlock_read(&env->lock);
    lw_status st = backup_locked(env, fd, progress, facts, err);
    lw_rwlock_unlock(&env->lock);
    return st;
}

lw_status lw_lmdb_backup_folder(const char *folder, int fd, lw_lmdb_progress progress,
                                lw_lmdb_backup_facts *facts, lw_error *err)
{
    lw_lmdb_env env;
    lw_status st = lw_lmdb_env_open_reader(&env, folder, err);
    if (st < 0)
        return st;
    st = lw_lmdb_backup_env(&env, fd, progress, facts, err);
    lw_lmdb_env_close(&env);
    return st;
}
