/* SPDX-License-Identifier: Apache-2.0 */
/* log_file.c -- writes the audit log and rotates it. */
#include "server/audit/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "base/text/time_text.h"

enum {
    PATH_LIMIT = 4096,
    NAMES_TRIED = 1000, /* of backups in the same second */
};

static lw_status io_error(lw_error *err, const char *what, const char *path)
{
    return lw_error_set(err, LW_ERR_IO, "cannot %s the audit log %s: %s", what, path,
                        strerror(errno));
}

static bool is_standard_output(const lw_audit_log *log)
{
    return strcmp(log->path, "-") == 0;
}

static lw_status open_file(lw_audit_log *log, lw_error *err)
{
    struct stat facts;
    log->fd =
        open(log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, S_IRUSR | S_IWUSR);
    if (log->fd < 0 || fstat(log->fd, &facts) < 0)
        return io_error(err, "open", log->path);
    log->size = (uint64_t)facts.st_size;
    return LW_OK;
}

static lw_status make_folder(const char *path, lw_error *err)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return LW_OK;
    char *folder = lw_str_dup(lw_str_make(path, (size_t)(slash - path)));
    lw_status st = folder ? lw_folder_make(folder, err) : lw_error_nomem(err);
    lw_free(folder);
    return st;
}

lw_status lw_audit_log_open(lw_audit_log *log, const lw_audit_log_options *options, lw_error *err)
{
    *log = (lw_audit_log){ .options = *options, .fd = -1 };
    log->path = lw_str_dup(lw_str_of(options->path));
    log->options.path = log->path;
    if (!log->path)
        return lw_error_nomem(err);
    if (is_standard_output(log)) {
        log->fd = STDOUT_FILENO;
        return LW_OK;
    }
    lw_status st = make_folder(log->path, err);
    return st < 0 ? st : open_file(log, err);
}

static void close_file(lw_audit_log *log)
{
    if (log->fd >= 0 && log->fd != STDOUT_FILENO)
        (void)close(log->fd);
    log->fd = -1;
}

void lw_audit_log_close(lw_audit_log *log)
{
    close_file(log);
    lw_free(log->path);
    log->path = NULL;
}

void lw_audit_log__append_backup(lw_buf *out, const char *path, int64_t wall_ns)
{
    char text[LW_TIME_TEXT_SIZE];
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    lw_str whole = lw_str_of(path), stem = whole;
    if (dot && (!slash || dot > slash))
        stem.len = (size_t)(dot - path);
    if (lw_time_format_micro(text, lw_time_of_ns(wall_ns)) < 0) {
        out->st = LW_ERR_INVALID;
        return;
    }
    text[13] = text[16] = '-'; /* 2026-11-17T20:21:11.123456Z */
    lw_buf_append_str(out, stem);
    lw_buf_append_char(out, '-');
    lw_buf_append(out, text, 23);
    lw_buf_append_str(out, lw_str_skip(whole, stem.len));
}

/* Renames the full file to the first name that is free. */
static lw_status set_aside(const lw_audit_log *log, lw_error *err)
{
    int64_t now = lw_clock_wall(log->options.clock);
    for (int i = 0; i < NAMES_TRIED; i++) {
        lw_buf name;
        lw_buf_init(&name, PATH_LIMIT);
        lw_audit_log__append_backup(&name, log->path, now + i * LW_NS_PER_MS);
        char *backup = lw_buf_take_text(&name);
        lw_buf_done(&name);
        if (!backup)
            return lw_error_nomem(err);
        bool is_free = access(backup, F_OK) < 0;
        bool is_moved = is_free && (rename(log->path, backup) == 0 ||
                                    errno == ENOENT); /* somebody has moved it */
        lw_free(backup);
        if (is_moved)
            return LW_OK;
        if (is_free)
            return io_error(err, "rotate", log->path);
    }
    return lw_error_set(err, LW_ERR_IO,
                        "cannot rotate the audit log %s: too many files of this time", log->path);
}

static lw_status write_all(lw_audit_log *log, lw_str lines, lw_error *err)
{
    while (lines.len > 0) {
        ssize_t len = write(log->fd, lines.ptr, lines.len);
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0)
            return io_error(err, "write", log->path);
        log->size += (uint64_t)len;
        lines = lw_str_skip(lines, (size_t)len);
    }
    return LW_OK;
}

lw_status lw_audit_log_write(lw_audit_log *log, lw_str lines, bool *has_rotated, lw_error *err)
{
    lw_status st = log->fd < 0 ? open_file(log, err) : LW_OK;
    uint64_t max = log->options.max_bytes;
    *has_rotated = false;
    if (st == LW_OK && max > 0 && log->size > 0 && log->size + lines.len > max &&
        !is_standard_output(log)) {
        close_file(log);
        st = set_aside(log, err);
        *has_rotated = st == LW_OK;
        if (st == LW_OK)
            st = open_file(log, err);
    }
    if (st == LW_OK)
        st = write_all(log, lines, err);
    if (st < 0 && !is_standard_output(log))
        close_file(log);
    return st;
}
