/* SPDX-License-Identifier: Apache-2.0 */
/* log_tidy.c -- compresses and removes rotated files of the audit log. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/media/gzip.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "server/audit/log_file.h"

enum {
    PATH_LIMIT = 4096,
    NAMES_MAX = 64 * 1024 * 1024, /* bytes of the names of all backups */
    CHUNK = 64 * 1024,
    STAMP_LEN = 23, /* 2026-11-17T20-21-11.123 */
    DAY_S = 24 * 60 * 60,
};

typedef struct backup {
    lw_str name; /* ends with a NUL */
    lw_time made;
    bool is_compressed;
} backup;

/* The directory of the log, and the names in it that are backups. */
typedef struct folder {
    const lw_audit_log *log;
    const atomic_bool *is_stopping;
    lw_str path;           /* ends with a NUL */
    lw_str prefix, suffix; /* "audit-", ".log" */
    lw_arena arena;
    backup *backups; /* the newest first */
    size_t count, cap;
} folder;

static bool is_stopping(const folder *f)
{
    return f->is_stopping && atomic_load(f->is_stopping);
}

static void split_path(folder *f)
{
    const char *path = f->log->path, *slash = strrchr(path, '/');
    lw_str name = lw_str_of(slash ? slash + 1 : path);
    const char *dot = strrchr(name.ptr, '.');
    size_t stem = dot ? (size_t)(dot - name.ptr) : name.len;
    lw_str parent = slash ? lw_str_make(path, (size_t)(slash - path)) : LW_STR(".");
    f->path = lw_arena_copy(&f->arena, slash == path ? LW_STR("/") : parent);
    f->prefix = lw_str_make(name.ptr, stem);
    f->suffix = lw_str_skip(name, stem);
}

/* Reads the time in the name of a backup. */
static bool read_name(const folder *f, lw_str name, backup *b)
{
    char stamp[STAMP_LEN + 1];
    b->is_compressed = lw_str_ends_with(name, LW_STR(".gz"));
    if (b->is_compressed)
        name.len -= 3;
    if (name.len != f->prefix.len + 1 + STAMP_LEN + f->suffix.len ||
        !lw_str_starts_with(name, f->prefix) || name.ptr[f->prefix.len] != '-' ||
        !lw_str_ends_with(name, f->suffix))
        return false;
    memcpy(stamp, name.ptr + f->prefix.len + 1, STAMP_LEN);
    stamp[13] = stamp[16] = ':';
    stamp[STAMP_LEN] = 'Z';
    return lw_time_parse(lw_str_make(stamp, sizeof(stamp)), &b->made);
}

static void add_backup(folder *f, const backup *b, lw_str name)
{
    if (f->count == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 64;
        backup *more = lw_realloc_array(f->backups, cap, sizeof(*more));
        if (!more) {
            f->arena.st = LW_ERR_NOMEM;
            return;
        }
        f->backups = more;
        f->cap = cap;
    }
    f->backups[f->count] = *b;
    f->backups[f->count++].name = lw_arena_copy(&f->arena, name);
}

static int newest_first(const void *a, const void *b)
{
    const backup *x = a, *y = b;
    if (x->made.s != y->made.s)
        return x->made.s < y->made.s ? 1 : -1;
    return x->made.ns == y->made.ns ? 0 : x->made.ns < y->made.ns ? 1 : -1;
}

static lw_status list_backups(folder *f, lw_error *err)
{
    DIR *dir = opendir(f->path.ptr);
    if (!dir)
        return lw_error_set(err, LW_ERR_IO, "cannot list the audit logs in %s: %s", f->path.ptr,
                            strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir));) {
        backup b;
        if (read_name(f, lw_str_of(entry->d_name), &b))
            add_backup(f, &b, lw_str_of(entry->d_name));
    }
    (void)closedir(dir);
    if (f->arena.st < 0)
        return lw_error_nomem(err);
    if (f->count > 1)
        qsort(f->backups, f->count, sizeof(*f->backups), newest_first);
    return LW_OK;
}

static bool is_too_old(const folder *f, const backup *b)
{
    uint64_t days = f->log->options.max_age_days;
    int64_t now_s = lw_clock_wall(f->log->options.clock) / LW_NS_PER_S;
    return days > 0 && days < INT32_MAX && b->made.s < now_s - (int64_t)days * DAY_S;
}

/* Removes what is too old or too many; returns the number of backups that are left. */
static size_t remove_old(const folder *f)
{
    size_t kept = 0;
    uint64_t max = f->log->options.max_backups;
    for (size_t i = 0; i < f->count; i++) {
        char *path = lw_file_path(f->path.ptr, f->backups[i].name.ptr);
        bool goes = is_too_old(f, &f->backups[i]) || (max > 0 && kept >= max);
        if (path && goes)
            (void)unlink(path);
        else
            f->backups[kept++] = f->backups[i];
        lw_free(path);
    }
    return kept;
}

static bool write_all(int fd, lw_str bytes)
{
    while (bytes.len > 0) {
        ssize_t len = write(fd, bytes.ptr, bytes.len);
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0)
            return false;
        bytes = lw_str_skip(bytes, (size_t)len);
    }
    return true;
}

/* Compresses everything from |from| to |to|; false: an error, or the server stops. */
static bool compress_bytes(const folder *f, int from, int to)
{
    char chunk[CHUNK];
    lw_gzip *gzip = NULL;
    lw_buf out;
    lw_buf_init(&out, 4 * CHUNK);
    bool goes_on = lw_gzip_new(&gzip) == LW_OK;
    for (ssize_t len = 1; goes_on && len > 0;) {
        len = read(from, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        lw_buf_reset(&out);
        goes_on = len >= 0 && !is_stopping(f) &&
                  lw_gzip_feed(gzip, lw_str_make(chunk, (size_t)len), len == 0, &out) == LW_OK &&
                  write_all(to, lw_buf_view(&out));
    }
    lw_buf_done(&out);
    lw_gzip_free(gzip);
    return goes_on;
}

static bool compress_to(const folder *f, const char *path, const char *beside)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool is_done = from >= 0 && to >= 0 && compress_bytes(f, from, to) && fsync(to) == 0;
    if (from >= 0)
        (void)close(from);
    if (to >= 0)
        is_done = close(to) == 0 && is_done;
    return is_done;
}

/* The file is there under its own name until the compressed one is complete. */
static lw_status compress_one(const folder *f, const backup *b, lw_error *err)
{
    lw_buf name;
    lw_buf_init(&name, PATH_LIMIT);
    lw_buf_printf(&name, "%s/%s.gz.new", f->path.ptr, b->name.ptr);
    char *path = lw_file_path(f->path.ptr, b->name.ptr), *beside = lw_buf_take_text(&name);
    char *target = beside ? lw_str_dup(lw_str_make(beside, strlen(beside) - 4)) : NULL;
    lw_status st = path && beside && target ? LW_OK : lw_error_nomem(err);
    if (st == LW_OK && !compress_to(f, path, beside)) {
        st = is_stopping(f) ? LW_ERR_STOPPED
                            : lw_error_set(err, LW_ERR_IO, "cannot compress the audit log %s: %s",
                                           path, strerror(errno));
        (void)unlink(beside);
    }
    if (st == LW_OK && (rename(beside, target) < 0 || unlink(path) < 0))
        st = lw_error_set(err, LW_ERR_IO, "cannot replace the audit log %s: %s", path,
                          strerror(errno));
    lw_free(path);
    lw_free(beside);
    lw_free(target);
    return st;
}

lw_status lw_audit_log_tidy(const lw_audit_log *log, const atomic_bool *stopping, lw_error *err)
{
    folder f = { .log = log, .is_stopping = stopping };
    lw_arena_init(&f.arena, NAMES_MAX);
    split_path(&f);
    lw_status st = f.arena.st < 0 ? lw_error_nomem(err) : list_backups(&f, err);
    if (st == LW_OK)
        f.count = remove_old(&f);
    for (size_t i = 0; i < f.count && st == LW_OK && log->options.compresses; i++) {
        if (!f.backups[i].is_compressed)
            st = compress_one(&f, &f.backups[i], err);
    }
    lw_free(f.backups);
    lw_arena_done(&f.arena);
    return st;
}
