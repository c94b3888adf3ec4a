/* SPDX-License-Identifier: Apache-2.0 */
/* state_dir.c -- the directory of saved caches: its lock, and the thread that writes.
 * |mu| guards everything except the path and the lock; files are written without it. */
#include "state/state_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/dlist.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    NAME_MAX_LEN = 64, /* of the resource in the name of a file */
};

typedef struct save_job {
    lw_dlist_node link;
    lw_state_slot *slot;
    char *path, *identity, *rv, *cluster;
    int64_t saved_s;
    lw_state_objects objects;
} save_job;

struct lw_state_dir {
    char *path;
    int lock_fd;
    lw_mutex mu; /* guards the rest, and all slots */
    lw_cond changed;
    lw_dlist jobs; /* of save_job.link */
    lw_thread thread;
    bool has_thread;
    bool is_closed;
};

static lw_status lock_dir(lw_state_dir *dir, lw_error *err)
{
    struct stat facts;
    char *path = lw_file_path(dir->path, "lock");
    if (!path)
        return lw_error_nomem(err);
    dir->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    lw_free(path);
    if (dir->lock_fd < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot create a file in the state directory %s: %s",
                            dir->path, strerror(errno));
    if (flock(dir->lock_fd, LOCK_EX | LOCK_NB) < 0)
        return lw_error_set(err, LW_ERR_EXISTS,
                            "the state directory %s is in use by another process or factory: give "
                            "each its own",
                            dir->path);
    if (stat(dir->path, &facts) < 0 || facts.st_uid != geteuid() ||
        (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "others may write to the state directory %s: its mode must be 0700, "
                            "and its owner the user of the program",
                            dir->path);
    return LW_OK;
}

lw_status lw_state_dir_open(lw_state_dir **out, const char *path, lw_error *err)
{
    lw_status st = lw_folder_make(path, err);
    if (st < 0)
        return st;
    lw_state_dir *dir = lw_alloc_zero(1, sizeof(*dir));
    if (!dir)
        return lw_error_nomem(err);
    dir->lock_fd = -1;
    lw_mutex_init(&dir->mu);
    lw_cond_init(&dir->changed);
    lw_dlist_init(&dir->jobs);
    dir->path = lw_str_dup(lw_str_of(path));
    st = dir->path ? lock_dir(dir, err) : lw_error_nomem(err);
    if (st < 0) {
        lw_state_dir_close(dir);
        return st;
    }
    *out = dir;
    return LW_OK;
}

static void remove_named(const char *path, const lw_str *endings, size_t count)
{
    DIR *entries = opendir(path);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        for (size_t i = 0; i < count; i++) {
            if (lw_str_ends_with(lw_str_of(entry->d_name), endings[i]))
                (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    (void)closedir(entries);
}

void lw_state_dir_remove_unfinished(const lw_state_dir *dir)
{
    remove_named(dir->path, (lw_str[]){ LW_STR_INIT(".state.new") }, 1);
}

void lw_state_dir_remove(const char *path)
{
    const lw_str all[] = { LW_STR_INIT(".state.new"), LW_STR_INIT(".state"), LW_STR_INIT("lock") };
    remove_named(path, all, sizeof(all) / sizeof(all[0]));
    (void)rmdir(path);
}

char *lw_state_dir_path(const lw_state_dir *dir, const char *resource, const char *identity)
{
    char name[NAME_MAX_LEN + 1];
    size_t len = 0;
    for (; resource[len] && len < NAME_MAX_LEN; len++) {
        char c = resource[len];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        name[len] = is_plain ? c : '_';
    }
    name[len] = '\0';
    lw_buf buf;
    lw_buf_init(&buf, 2 * NAME_MAX_LEN);
    lw_buf_printf(&buf, "%s-%08" PRIx32 ".state", name, lw_crc32c(0, identity, strlen(identity)));
    char *file = lw_buf_take_text(&buf);
    lw_buf_done(&buf);
    char *path = file ? lw_file_path(dir->path, file) : NULL;
    lw_free(file);
    return path;
}

static void job_free(save_job *job)
{
    if (!job)
        return;
    job->objects.free(job->objects.arg);
    lw_free(job->path);
    lw_free(job->identity);
    lw_free(job->rv);
    lw_free(job->cluster);
    lw_free(job);
}

void lw_state_dir_close(lw_state_dir *dir)
{
    if (!dir)
        return;
    lw_mutex_lock(&dir->mu);
    dir->is_closed = true;
    lw_cond_broadcast(&dir->changed);
    lw_mutex_unlock(&dir->mu);
    if (dir->has_thread)
        lw_thread_join(&dir->thread);
    if (dir->has_thread)
        lw_folder_flush(dir->path);
    if (dir->lock_fd >= 0)
        (void)close(dir->lock_fd);
    lw_cond_done(&dir->changed);
    lw_mutex_done(&dir->mu);
    lw_free(dir->path);
    lw_free(dir);
}

/* The thread. */

static void run_job(lw_state_dir *dir, save_job *job)
{
    lw_error err = LW_ERROR_INIT;
    const lw_state_facts facts = { .identity = lw_str_of(job->identity),
                                   .resource_version = lw_str_of(job->rv),
                                   .cluster = lw_str_of(job->cluster),
                                   .saved_s = job->saved_s };
    int64_t begin = lw_clock_now(lw_clock_system());
    lw_status st = lw_state_file_write(job->path, &facts, &job->objects, &err);
    lw_mutex_lock(&dir->mu);
    job->slot->st = st;
    job->slot->err = err;
    job->slot->took_ns = lw_clock_now(lw_clock_system()) - begin;
    job->slot->has_result = true;
    job->slot->is_busy = false;
    lw_cond_broadcast(&dir->changed);
    lw_mutex_unlock(&dir->mu);
    job_free(job);
}

static void run_thread(void *arg)
{
    lw_state_dir *dir = arg;
    lw_mutex_lock(&dir->mu);
    for (;;) {
        lw_dlist_node *node = lw_dlist_pop_front(&dir->jobs);
        if (node) {
            lw_mutex_unlock(&dir->mu);
            run_job(dir, LW_DLIST_ITEM(node, save_job, link));
            lw_mutex_lock(&dir->mu);
        } else if (dir->is_closed) {
            break;
        } else {
            lw_cond_wait(&dir->changed, &dir->mu);
        }
    }
    lw_mutex_unlock(&dir->mu);
}

static lw_status start_locked(lw_state_dir *dir, lw_error *err)
{
    if (dir->has_thread)
        return LW_OK;
    lw_status st = lw_thread_start(&dir->thread, "lw-state", run_thread, dir, err);
    dir->has_thread = st == LW_OK;
    return st;
}

/* Saves. */

lw_status lw_state_dir_save_take(lw_state_dir *dir, lw_state_slot *slot, const char *path,
                                 const lw_state_facts *facts, const lw_state_objects *objects,
                                 lw_error *err)
{
    save_job *job = lw_alloc_zero(1, sizeof(*job));
    if (!job) {
        objects->free(objects->arg);
        return lw_error_nomem(err);
    }
    *job = (save_job){ .slot = slot, .objects = *objects, .saved_s = facts->saved_s };
    job->path = lw_str_dup(lw_str_of(path));
    job->identity = lw_str_dup(facts->identity);
    job->rv = lw_str_dup(facts->resource_version);
    job->cluster = lw_str_dup(facts->cluster);
    lw_status st = LW_OK;
    if (!job->path || !job->identity || !job->rv || !job->cluster)
        st = lw_error_nomem(err);
    lw_mutex_lock(&dir->mu);
    if (st == LW_OK)
        st = start_locked(dir, err);
    if (st == LW_OK) {
        slot->is_busy = true;
        lw_dlist_push_back(&dir->jobs, &job->link);
        lw_cond_broadcast(&dir->changed);
        job = NULL;
    }
    lw_mutex_unlock(&dir->mu);
    job_free(job);
    return st;
}

bool lw_state_dir_is_busy(lw_state_dir *dir, const lw_state_slot *slot)
{
    lw_mutex_lock(&dir->mu);
    bool is_busy = slot->is_busy;
    lw_mutex_unlock(&dir->mu);
    return is_busy;
}

bool lw_state_dir_result(lw_state_dir *dir, lw_state_slot *slot, lw_status *st, lw_error *err,
                         int64_t *took_ns)
{
    lw_mutex_lock(&dir->mu);
    bool has_result = slot->has_result;
    slot->has_result = false;
    if (has_result) {
        *st = slot->st;
        *err = slot->err;
        *took_ns = slot->took_ns;
    }
    lw_mutex_unlock(&dir->mu);
    return has_result;
}

void lw_state_dir_wait(lw_state_dir *dir, const lw_state_slot *slot)
{
    lw_mutex_lock(&dir->mu);
    while (slot->is_busy)
        lw_cond_wait(&dir->changed, &dir->mu);
    lw_mutex_unlock(&dir->mu);
}
