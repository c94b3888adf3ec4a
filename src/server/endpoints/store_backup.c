/* SPDX-License-Identifier: Apache-2.0 */
/* store_backup.c -- GET /debug/listwatch/backup.
 *
 *     serve ─▶ worker: lw_store_backup to a file ─▶ loop: reply ─▶ send ─▶ drained ─▶ send ... end
 *
 * The job is owned by the worker, then by the loop, and is freed when the stream is closed. */
#include "server/endpoints/store_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/thread/workers.h"
#include "server/core/reply.h"

enum {
    CHUNK_BYTES = 128 * 1024, /* read and queued at a time */
};

typedef struct backup_job {
    lw_work work;
    lw_task task;
    lw_server_parts *parts;
    lw_http_stream *stream;
    int fd;
    off_t at, size;
    lw_status st;
    lw_error err;
} backup_job;

bool lw_store_may_backup(const lw_user *user)
{
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_str_equal(user->groups[i], LW_STR("system:masters")))
            return true;
    }
    return false;
}

static void job_free(backup_job *job)
{
    if (job->fd >= 0)
        (void)close(job->fd);
    lw_http_stream_unref(job->stream);
    lw_free(job);
}

/* Sends the next pieces, until the queue is full.  After the last one the stream is closed. */
static void job_send(backup_job *job)
{
    while (job->at < job->size && lw_http_pending(job->stream) <= LW_HTTP_QUEUE_HIGH) {
        char *bytes = lw_alloc(CHUNK_BYTES);
        ssize_t got = bytes ? pread(job->fd, bytes, CHUNK_BYTES, job->at) : -1;
        if (got <= 0) {
            lw_free(bytes);
            lw_http_abort(job->stream); /* the client sees that it is incomplete */
            return;
        }
        job->at += got;
        const lw_bytes piece = { bytes, (size_t)got, lw_free, bytes };
        if (lw_http_write(job->stream, &piece, 1) < 0)
            return;
    }
    if (job->at == job->size)
        lw_http_end(job->stream);
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    (void)stream;
    job_send(arg);
}

static void free_later(lw_task *task)
{
    job_free(LW_DLIST_ITEM(&task->link, backup_job, task.link));
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    backup_job *job = arg;
    stream->on_drained = NULL;
    stream->on_closed = NULL;
    job->task.run = free_later; /* job_send may be running */
    lw_loop_defer(stream->loop, &job->task);
}

static int status_of(lw_status st)
{
    switch (st) {
    case LW_ERR_UNSUPPORTED: return 501;
    case LW_ERR_NO_SPACE: return 507;
    case LW_ERR_STOPPED: return 503;
    default: return 500;
    }
}

/* On the loop of the stream, when the file is complete. */
static void job_reply(lw_task *task)
{
    backup_job *job = LW_DLIST_ITEM(&task->link, backup_job, task.link);
    if (job->st < 0 || job->stream->is_closed) {
        lw_api_refuse(job->parts->api, job->stream, status_of(job->st),
                      lw_str_of(job->err.message));
        job_free(job);
        return;
    }
    const lw_http_header headers[] = {
        { LW_STR("Content-Type"), LW_STR("application/octet-stream") },
        { LW_STR("Cache-Control"), LW_STR("no-cache, private") },
    };
    const lw_http_reply head = { 200, headers, sizeof(headers) / sizeof(headers[0]) };
    job->stream->on_drained = on_drained;
    job->stream->on_closed = on_closed;
    job->stream->arg = job;
    if (lw_http_reply_begin(job->stream, &head) == LW_OK)
        job_send(job);
}

static lw_status make_file(backup_job *job)
{
    const char *folder = job->parts->backup_folder;
    job->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (job->fd < 0)
        return lw_error_set(&job->err, LW_ERR_IO, "cannot create a temporary file in %s: %s",
                            folder, strerror(errno));
    lw_status st = lw_store_backup(job->parts->store, job->fd, &job->parts->is_draining, &job->err);
    struct stat status;
    if (st == LW_OK && fstat(job->fd, &status) == 0)
        job->size = status.st_size;
    return st;
}

/* On the thread of the worker. */
static void job_work(lw_work *work)
{
    backup_job *job = LW_DLIST_ITEM(&work->link, backup_job, work.link);
    job->st = job->parts->backup_folder
                  ? make_file(job)
                  : lw_store_backup(job->parts->store, -1, NULL, &job->err); /* says why not */
    atomic_store(&job->parts->is_backing_up, false);
    job->task.run = job_reply;
    lw_loop_post(job->stream->loop, &job->task);
}

static lw_status job_start(lw_server_parts *parts, lw_http_stream *stream)
{
    backup_job *job = lw_alloc_zero(1, sizeof(*job));
    if (!job)
        return LW_ERR_NOMEM;
    job->parts = parts;
    job->fd = -1;
    job->work.run = job_work;
    job->stream = lw_http_stream_ref(stream);
    lw_status st = lw_workers_take(parts->backups, &job->work);
    if (st < 0)
        job_free(job);
    return st;
}

void lw_store_backup_serve(lw_server_parts *parts, lw_http_stream *stream, const lw_user *user)
{
    if (stream->request.method != LW_HTTP_GET) {
        lw_api_refuse(parts->api, stream, 405, LW_STR("use GET"));
    } else if (!lw_store_may_backup(user)) {
        lw_api_refuse(parts->api, stream, 403,
                      LW_STR("a backup contains everything: it needs the group system:masters"));
    } else if (atomic_exchange(&parts->is_backing_up, true)) {
        lw_api_refuse(parts->api, stream, 429, LW_STR("another backup is being made"));
    } else if (job_start(parts, stream) < 0) {
        atomic_store(&parts->is_backing_up, false);
        lw_api_refuse(parts->api, stream, 500, LW_STR("out of memory"));
    }
}

void lw_store_backup_stop(lw_server_parts *parts)
{
    lw_workers_free(parts->backups);
    parts->backups = NULL;
    lw_free(parts->backup_folder);
    parts->backup_folder = NULL;
}
