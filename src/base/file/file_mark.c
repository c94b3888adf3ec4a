/* SPDX-License-Identifier: Apache-2.0 */
/* file_mark.c -- identifies a file and its state. */
#include "base/file/file_mark.h"

#include "base/clock.h"

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * LW_NS_PER_S + t.tv_nsec;
}

lw_file_mark lw_file_mark_of(const struct stat *info)
{
    return (lw_file_mark){ .device = (uint64_t)info->st_dev,
                           .inode = (uint64_t)info->st_ino,
                           .size = (int64_t)info->st_size,
                           .modified_ns = ns_of(info->st_mtim),
                           .changed_ns = ns_of(info->st_ctim) };
}

bool lw_file_mark_equal(const lw_file_mark *a, const lw_file_mark *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

bool lw_file_mark_read(const char *path, lw_file_mark *mark)
{
    struct stat info;
    bool is_there = stat(path, &info) == 0;
    *mark = is_there ? lw_file_mark_of(&info) : (lw_file_mark){ .size = 0 };
    return is_there;
}
