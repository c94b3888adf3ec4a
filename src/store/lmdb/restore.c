/* SPDX-License-Identifier: Apache-2.0 */
/* restore.c -- creates a store from a backup. */
#include "store/lmdb/restore.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/build.h"
#include "store/lmdb/folder.h"

enum {
    READ_BYTES = 1 << 18, /* bytes per read */
};

/* A descriptor that is read in large pieces. */
typedef struct fd_reader {
    int fd;
    size_t at, len;
    char *bytes; /* READ_BYTES */
} fd_reader;

static ssize_t read_more(fd_reader *r)
{
    ssize_t got;
    do {
        got = read(r->fd, r->bytes, READ_BYTES);
    } while (got < 0 && errno == EINTR);
    r->at = 0;
    r->len = got > 0 ? (size_t)got : 0;
    return got;
}

static ssize_t read_fd(void *arg, void *out, size_t len)
{
    fd_reader *r = arg;
    size_t done = 0;
    while (done < len) {
        if (r->at == r->len) {
            ssize_t got = read_more(r);
            if (got < 0)
                return -1;
            if (got == 0)
                break;
        }
        size_t part = r->len - r->at < len - done ? r->len - r->at : len - done;
        memcpy((char *)out + done, r->bytes + r->at, part);
        r->at += part;
        done += part;
    }
    return (ssize_t)done;
}

static lw_status read_backup(int fd, const lw_lmdb_reader *reader, lw_lmdb_backup_facts *facts,
                             lw_error *err)
{
    fd_reader r = { .fd = fd, .bytes = lw_alloc(READ_BYTES) };
    if (!r.bytes)
        return lw_error_nomem(err);
    const lw_lmdb_backup_source source = { read_fd, &r };
    lw_status st = lw_lmdb_backup_read(&source, reader, facts, err);
    lw_free(r.bytes);
    return st;
}

static lw_status ignore_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                               lw_error *err)
{
    (void)revision;
    (void)record;
    (void)arg;
    (void)err;
    return LW_OK;
}

lw_status lw_lmdb_backup_check(int fd, lw_lmdb_backup_facts *facts, lw_error *err)
{
    const lw_lmdb_reader reader = { .on_record = ignore_record };
    return read_backup(fd, &reader, facts, err);
}

static lw_status build_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                              lw_error *err)
{
    return lw_lmdb_build_put(arg, revision, record, err);
}

/* Builds the file, checks it and gives it its name. */
static lw_status restore_locked(const char *folder, int fd, lw_lmdb_backup_facts *facts,
                                lw_error *err)
{
    lw_lmdb_build build;
    const lw_lmdb_reader reader = { .on_record = build_record, .arg = &build };
    lw_status st = lw_lmdb_build_begin(&build, folder, err);
    struct stat status;
    if (st == LW_OK && lstat(build.file, &status) == 0)
        st = lw_error_set(err, LW_ERR_EXISTS,
                          "%s exists: restore into an empty directory, or move the store away",
                          build.file);
    if (st == LW_OK)
        st = read_backup(fd, &reader, facts, err);
    if (st == LW_OK)
        st = lw_lmdb_build_finish(&build, &facts->marks, err);
    if (st == LW_OK) {
        lw_lmdb_findings findings = { .on_damage = NULL };
        st = lw_lmdb_verify(build.names.file, 0, &findings, err);
        facts->marks.keys = findings.keys;
    }
    if (st == LW_OK)
        st = lw_lmdb_build_publish(&build, err);
    lw_lmdb_build_done(&build);
    return st;
}

lw_status lw_lmdb_restore(const char *folder, int fd, lw_lmdb_backup_facts *facts, lw_error *err)
{
    lw_lmdb_owner owner = LW_LMDB_OWNER_INIT;
    lw_status st = lw_lmdb_folder_make(folder, err);
    if (st == LW_OK)
        st = lw_lmdb_folder_own(folder, &owner, err);
    if (st == LW_OK)
        st = restore_locked(folder, fd, facts, err);
    lw_lmdb_folder_release(&owner);
    return st;
}
