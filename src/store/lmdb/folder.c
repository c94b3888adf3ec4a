/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c -- creates and locks the directory of a durable store.
 * The lock belongs to the open file (F_OFD_SETLK): it is released when the process ends, in
 * whatever way, and it also refuses a second opening in the same process. */
#include "store/lmdb/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

enum {
    PID_TEXT_SIZE = 24,
    WHY_SIZE = 128,
};

static lw_status folder_refused(const char *doing, const char *path, lw_error *err)
{
    char why[WHY_SIZE];
    return lw_error_set(err, LW_ERR_IO, "cannot %s %s: %s", doing, path,
                        strerror_r(errno, why, sizeof(why)));
}

lw_status lw_lmdb_folder_make(const char *folder, lw_error *err)
{
    char path[PATH_MAX];
    size_t len = strlen(folder);
    if (len == 0 || len >= sizeof(path))
        return lw_error_set(err, LW_ERR_INVALID, "the path of the store's directory is %s",
                            len == 0 ? "empty" : "too long");
    memcpy(path, folder, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char kept = path[i];
        path[i] = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return folder_refused("create the directory", path, err);
        path[i] = kept;
    }
    return LW_OK;
}

/* Reads the PID in the file; 0: none. */
static int64_t owner_pid(int fd)
{
    char text[PID_TEXT_SIZE];
    int64_t pid = 0;
    ssize_t got = pread(fd, text, sizeof(text), 0);
    if (got > 0)
        (void)lw_str_to_int64(lw_str_trim(lw_str_make(text, (size_t)got)), &pid);
    return pid;
}

static lw_status owner_refused(int fd, const char *folder, lw_error *err)
{
    long long pid = (long long)owner_pid(fd);
    if (pid == (long long)getpid())
        return lw_error_set(err, LW_ERR_IO, "the store in %s is already open in this process",
                            folder);
    return lw_error_set(err, LW_ERR_IO,
                        "the store in %s is in use by another process (pid %lld): stop it, or "
                        "choose another directory",
                        folder, pid);
}

/* The PID is only used in messages: if it cannot be written, because the disk is full, nothing is
 * lost. */
static void owner_write_pid(int fd)
{
    char text[PID_TEXT_SIZE];
    int len = snprintf(text, sizeof(text), "%lld\n", (long long)getpid());
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)len, 0);
}

lw_status lw_lmdb_folder_own(const char *folder, int *out, lw_error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/owner.lock", folder);
    if (len < 0 || (size_t)len >= sizeof(path))
        return lw_error_set(err, LW_ERR_INVALID, "the path of the store's directory is too long");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return folder_refused("open", path, err);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
        lw_status st = errno == EAGAIN || errno == EACCES ? owner_refused(fd, folder, err)
                                                          : folder_refused("lock", path, err);
        (void)close(fd);
        return st;
    }
    owner_write_pid(fd);
    *out = fd;
    return LW_OK;
}
