/* SPDX-License-Identifier: Apache-2.0 */
/* data_dir.c -- creates the data directory and checks owners and modes. */
#include "server/setup/data_dir.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"

enum {
    MODE_BITS = 07777,
};

static bool is_trusted(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

static lw_status refuse_owner(const char *path, uid_t owner, lw_error *err)
{
    unsigned own = (unsigned)geteuid();
    return lw_error_set(err, LW_ERR_IO,
                        "%s belongs to user %u, who could change the server's data; it must belong "
                        "to user %u, who runs the server: run \"chown -hR %u %s\", or choose "
                        "another data directory",
                        path, (unsigned)owner, own, own, path);
}

/* Checks one file or directory; it may be absent. */
static lw_status check(const char *path, bool is_secret, lw_error *err)
{
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) && !is_trusted(facts.st_uid))
        return refuse_owner(path, facts.st_uid, err);
    if (stat(path, &facts) < 0) {
        if (errno == ENOENT)
            return LW_OK;
        return lw_error_set(err, LW_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    }
    unsigned mode = facts.st_mode & MODE_BITS;
    if (!is_trusted(facts.st_uid))
        return refuse_owner(path, facts.st_uid, err);
    if (is_secret && (mode & (S_IRWXG | S_IRWXO)))
        return lw_error_set(err, LW_ERR_IO,
                            "%s is secret, but other users can use it (mode %04o): run \"chmod 600 "
                            "%s\"; if they may have read it, remove it to get a new one",
                            path, mode, path);
    if (mode & (S_IWGRP | S_IWOTH))
        return lw_error_set(err, LW_ERR_IO,
                            "other users can write to %s (mode %04o): run \"chmod go-w %s\", or "
                            "choose another data directory",
                            path, mode, path);
    return LW_OK;
}

lw_status lw_data_dir_open(const char *path, lw_error *err)
{
    static const struct {
        const char *name;
        bool is_secret;
    } parts[] = {
        { "store", false },          { "pki", false },
        { "pki/ca.crt", false },     { "pki/ca.key", true },
        { "pki/server.crt", false }, { "pki/server.key", true },
        { "pki/admin.crt", false },  { "pki/admin.key", true },
        { "pki/admin.token", true }, { "store/data.mdb", false },
    };
    lw_status st = lw_folder_make(path, err);
    if (st == LW_OK)
        st = check(path, false, err);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && st == LW_OK; i++) {
        char *part = lw_file_path(path, parts[i].name);
        st = part ? check(part, parts[i].is_secret, err) : lw_error_nomem(err);
        lw_free(part);
    }
    return st;
}
