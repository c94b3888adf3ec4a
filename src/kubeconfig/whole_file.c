/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.c -- reads small files with a size limit, and rejects anything that is not a file.
 * Files are opened without blocking, so that a pipe in place of a token file does not block the
 * program. */
#include "kubeconfig/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "kubeconfig/secret.h"

enum {
    PIECE = 4096, /* bytes per read if the size is unknown */
};

static lw_status fail(lw_error *err, const char *path)
{
    lw_status st = errno == ENOENT || errno == ENOTDIR ? LW_ERR_NOT_FOUND : LW_ERR_IO;
    return lw_error_set(err, st, "%s: %s", path, strerror(errno));
}

static lw_status fail_buf(lw_error *err, const char *path, const lw_buf *out)
{
    if (out->st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, LW_ERR_LIMIT, "%s: the file is larger than %zu bytes", path,
                        out->limit);
}

/* Reads until the end of |fd|.  The size is only the first estimate: a file may grow, and files in
 * /proc have none. */
static lw_status read_all(int fd, const char *path, size_t size, lw_buf *out, lw_error *err)
{
    size_t want = size < PIECE ? PIECE : size + 1;
    for (;;) {
        char beyond; /* detects a file that is larger than the buffer */
        size_t room = out->limit - out->len;
        if (want > room)
            want = room;
        if (want > 0 && lw_secret_reserve(out, want) < 0)
            return fail_buf(err, path, out);
        ssize_t got = read(fd, want > 0 ? out->data + out->len : &beyond, want > 0 ? want : 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(err, path);
        if (got == 0)
            return LW_OK;
        if (want == 0) {
            out->st = LW_ERR_LIMIT;
            return fail_buf(err, path, out);
        }
        out->len += (size_t)got;
        want = PIECE;
    }
}

static lw_status check_kind(const struct stat *info, bool is_pipe_allowed, const char *path,
                            lw_error *err)
{
    if (S_ISREG(info->st_mode) || (is_pipe_allowed && S_ISFIFO(info->st_mode)))
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID, "%s: is %s, not a regular file", path,
                        S_ISDIR(info->st_mode) ? "a directory" : "a device, socket or pipe");
}

static lw_status read_fd(int fd, const char *path, bool is_pipe_allowed, lw_buf *out,
                         lw_file_mark *mark, lw_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail(err, path);
    lw_status st = check_kind(&info, is_pipe_allowed, path, err);
    if (st < 0)
        return st;
    if (info.st_size > 0 && (uint64_t)info.st_size > out->limit - out->len) {
        out->st = LW_ERR_LIMIT;
        return fail_buf(err, path, out);
    }
    /* Reading a pipe must block. */
    if (S_ISFIFO(info.st_mode) && fcntl(fd, F_SETFL, 0) != 0)
        return fail(err, path);
    st = read_all(fd, path, (size_t)info.st_size, out, err);
    if (st == LW_OK && mark)
        *mark = lw_file_mark_of(&info);
    return st;
}

static lw_status open_and_read(const char *path, bool is_pipe_allowed, lw_buf *out,
                               lw_file_mark *mark, lw_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fail(err, path);
    lw_status st = read_fd(fd, path, is_pipe_allowed, out, mark, err);
    (void)close(fd);
    return st;
}

lw_status lw_whole_file_read(const char *path, lw_buf *out, lw_file_mark *mark, lw_error *err)
{
    return open_and_read(path, false, out, mark, err);
}

lw_status lw_whole_file_read_once(const char *path, lw_buf *out, lw_error *err)
{
    return open_and_read(path, true, out, NULL, err);
}
