/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c -- creates and locks the directory of a durable store.
 * The locks belong to the open directory and file (flock, F_OFD_SETLK): they are released when the
 * process ends, in whatever way, and they also refuse a second opening in the same process. */
#include "store/lmdb/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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
    if (pid == 0)
        return lw_error_set(err, LW_ERR_IO,
                            "the store in %s is in use by another process: stop it, or choose "
                            "another directory",
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

static bool is_taken(void)
{
    return errno == EAGAIN || errno == EACCES || errno == EWOULDBLOCK;
}

static lw_status owner_lock(const char *folder, const char *path, lw_lmdb_owner *owner,
                            lw_error *err)
{
    owner->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (owner->folder < 0)
        return folder_refused("open", folder, err);
    owner->pid_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (owner->pid_file < 0)
        return folder_refused("open", path, err);
    if (flock(owner->folder, LOCK_EX | LOCK_NB) < 0)
        return is_taken() ? owner_refused(owner->pid_file, folder, err)
                          : folder_refused("lock", folder, err);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(owner->pid_file, F_OFD_SETLK, &lock) < 0)
        return is_taken() ? owner_refused(owner->pid_file, folder, err)
                          : folder_refused("lock", path, err);
    owner_write_pid(owner->pid_file);
    return LW_OK;
}

lw_status lw_lmdb_folder_own(const char *folder, lw_lmdb_owner *out, lw_error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/owner.lock", folder);
    if (len < 0 || (size_t)len >= sizeof(path))
        return lw_error_set(err, LW_ERR_INVALID, "the path of the store's directory is too long");
    lw_lmdb_owner owner = LW_LMDB_OWNER_INIT;
    lw_status st = owner_lock(folder, path, &owner, err);
    if (st < 0)
        lw_lmdb_folder_release(&owner);
    else
        *out = owner;
    return st;
}

void lw_lmdb_folder_release(lw_lmdb_owner *owner)
{
    if (owner->folder >= 0)
        (void)close(owner->folder);
    if (owner->pid_file >= 0)
        (void)close(owner->pid_file);
    *owner = (lw_lmdb_owner)LW_LMDB_OWNER_INIT;
}
