/* SPDX-License-Identifier: Apache-2.0 */
/* files.c -- small private files: read completely, and replaced in one step. */
#include "base/file/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

enum {
    PATH_LIMIT = 4096,
    CHUNK = 16 * 1024,
};

char *lw_file_path(const char *folder, const char *name)
{
    lw_buf path;
    lw_buf_init(&path, PATH_LIMIT);
    lw_buf_printf(&path, "%s/%s", folder, name);
    char *text = lw_buf_take_text(&path);
    lw_buf_done(&path);
    return text;
}

static lw_status io_error(lw_error *err, const char *what, const char *path)
{
    return lw_error_set(err, LW_ERR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static lw_status make_one(const char *path, lw_error *err)
{
    if (mkdir(path, S_IRWXU) == 0 || is_folder(path))
        return LW_OK;
    return io_error(err, "create the directory", path);
}

lw_status lw_folder_make(const char *path, lw_error *err)
{
    if (is_folder(path))
        return LW_OK;
    char *part = lw_str_dup(lw_str_of(path));
    if (!part)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    for (char *slash = strchr(part + (part[0] == '/'), '/'); slash && st == LW_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        st = make_one(part, err);
        *slash = '/';
    }
    if (st == LW_OK)
        st = make_one(part, err);
    lw_free(part);
    return st;
}

static lw_status read_all(int fd, const char *path, lw_buf *out, lw_error *err)
{
    char chunk[CHUNK];
    for (;;) {
        ssize_t len = read(fd, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0)
            return io_error(err, "read", path);
        if (len == 0)
            return LW_OK;
        lw_buf_append(out, chunk, (size_t)len);
        if (out->st == LW_ERR_LIMIT)
            return lw_error_set(err, LW_ERR_LIMIT, "%s is larger than %zu bytes", path, out->limit);
        if (out->st < 0)
            return lw_error_nomem(err);
    }
}

lw_status lw_file_read(const char *path, lw_buf *out, lw_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return lw_error_set(err, LW_ERR_NOT_FOUND, "file not found: %s", path);
    if (fd < 0)
        return io_error(err, "open", path);
    lw_status st = read_all(fd, path, out, err);
    (void)close(fd);
    return st;
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

void lw_folder_flush(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

lw_status lw_file_write_beside(const char *beside, lw_str bytes, int *fd, lw_error *err)
{
    /* Removes a file that a crash left there: the mode is applied only to a new file. */
    (void)unlink(beside);
    int made = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made < 0)
        return io_error(err, "make", beside);
    if (write_all(made, bytes)) {
        *fd = made;
        return LW_OK;
    }
    lw_status st = io_error(err, "write", beside);
    (void)close(made);
    (void)unlink(beside);
    return st;
}

static lw_status replace_by(const char *path, const char *beside, lw_str bytes, lw_error *err)
{
    int fd = -1;
    lw_status st = lw_file_write_beside(beside, bytes, &fd, err);
    if (st < 0)
        return st;
    bool is_written = fsync(fd) == 0;
    is_written = close(fd) == 0 && is_written;
    if (is_written && rename(beside, path) == 0)
        return LW_OK;
    st = io_error(err, "write", path);
    (void)unlink(beside);
    return st;
}

lw_status lw_file_replace(const char *path, lw_str bytes, lw_error *err)
{
    lw_buf name;
    lw_buf_init(&name, PATH_LIMIT);
    lw_buf_printf(&name, "%s.new", path);
    char *beside = lw_buf_take_text(&name);
    lw_buf_done(&name);
    if (!beside)
        return lw_error_nomem(err);
    lw_status st = replace_by(path, beside, bytes, err);
    lw_free(beside);
    return st;
}
