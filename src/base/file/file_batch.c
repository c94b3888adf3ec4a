/* SPDX-License-Identifier: Apache-2.0 */
/* file_batch.c -- small private files that are replaced together. */
#include "base/file/file_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"

enum {
    PATH_LIMIT = 4096,
};

typedef struct batch_file {
    lw_dlist_node link; /* in batch->files */
    char *path, *beside;
    int fd; /* of |beside|; -1: closed */
} batch_file;

void lw_file_batch_init(lw_file_batch *batch)
{
    lw_dlist_init(&batch->files);
}

static void file_free(batch_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
        (void)unlink(file->beside);
    }
    lw_free(file->path);
    lw_free(file->beside);
    lw_free(file);
}

void lw_file_batch_done(lw_file_batch *batch)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&batch->files));)
        file_free(LW_DLIST_ITEM(node, batch_file, link));
}

static lw_status io_error(lw_error *err, const char *what, const char *path)
{
    return lw_error_set(err, LW_ERR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

static batch_file *file_new(const char *path)
{
    lw_buf beside;
    batch_file *file = lw_alloc_zero(1, sizeof(*file));
    if (!file)
        return NULL;
    file->fd = -1;
    lw_buf_init(&beside, PATH_LIMIT);
    lw_buf_printf(&beside, "%s.new", path);
    file->path = lw_str_dup(lw_str_of(path));
    file->beside = lw_buf_take_text(&beside);
    lw_buf_done(&beside);
    if (file->path && file->beside)
        return file;
    file_free(file);
    return NULL;
}

lw_status lw_file_batch_add(lw_file_batch *batch, const char *path, lw_str bytes, lw_error *err)
{
    batch_file *file = file_new(path);
    if (!file)
        return lw_error_nomem(err);
    lw_status st = lw_file_write_beside(file->beside, bytes, &file->fd, err);
    if (st < 0) {
        file_free(file);
        return st;
    }
    /* The disk starts now; without it, each flush would wait for a transaction of its own. */
    (void)sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    lw_dlist_push_back(&batch->files, &file->link);
    return LW_OK;
}

static lw_status flush_all(lw_file_batch *batch, lw_error *err)
{
    LW_DLIST_FOR_EACH(batch_file, file, &batch->files, link)
    {
        if (fsync(file->fd) < 0)
            return io_error(err, "write", file->path);
    }
    return LW_OK;
}

static lw_status rename_all(lw_file_batch *batch, lw_error *err)
{
    LW_DLIST_FOR_EACH(batch_file, file, &batch->files, link)
    {
        if (rename(file->beside, file->path) < 0)
            return io_error(err, "write", file->path);
        (void)close(file->fd);
        file->fd = -1;
    }
    return LW_OK;
}

/* The length of the directory at the beginning of |path|. */
static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool is_beside(const batch_file *a, const batch_file *b)
{
    size_t len = folder_len(a->path);
    return len == folder_len(b->path) && memcmp(a->path, b->path, len) == 0;
}

static void flush_folder(batch_file *file)
{
    size_t len = folder_len(file->path);
    bool is_root = file->path[0] == '/' && len == 0;
    file->path[is_root ? 1 : len] = '\0';
    lw_folder_flush(file->path[0] ? file->path : ".");
}

/* Flushes each directory once, if its files were added one after the other. */
static void flush_folders(lw_file_batch *batch)
{
    batch_file *previous = NULL;
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&batch->files));) {
        batch_file *file = LW_DLIST_ITEM(node, batch_file, link);
        if (previous && !is_beside(previous, file))
            flush_folder(previous);
        if (previous)
            file_free(previous);
        previous = file;
    }
    if (previous) {
        flush_folder(previous);
        file_free(previous);
    }
}

lw_status lw_file_batch_commit(lw_file_batch *batch, lw_error *err)
{
    lw_status st = flush_all(batch, err);
    if (st == LW_OK)
        st = rename_all(batch, err);
    if (st == LW_OK)
        flush_folders(batch);
    lw_file_batch_done(batch);
    return st;
}
