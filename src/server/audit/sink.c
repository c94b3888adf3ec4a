/* SPDX-License-Identifier: Apache-2.0 */
/* sink.c -- the queue of audit events and the threads that write and tidy the audit log. */
#include "server/audit/sink.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    CHUNK = 64 * 1024, /* bytes of lines after which they are written */
    /* Events are collected for a moment, so that a busy server does not wake the writer for each.
     */
    LINGER_MS = 20,
    LINGER_EVENTS = 256, /* at which the writer stops waiting for more */
};

struct lw_audit_sink {
    lw_audit_sink_options options;
    atomic_uint_least64_t dropped, failed;

    lw_mutex log_mu; /* log, is_failing */
    lw_audit_log log;
    bool is_failing; /* the last write failed: said once */

    lw_mutex mu; /* everything below */
    lw_cond queued, tidied;
    lw_buf lines;   /* of events without bodies; they are before those in |queue| */
    lw_dlist queue; /* of lw_audit_event */
    size_t events;  /* in both */
    size_t bytes;   /* of |queue| */
    bool is_stopping;
    bool wants_tidy;

    atomic_bool is_tidy_stopping;
    lw_thread writer, tidier;
    bool has_writer, has_tidier;
};

static size_t count_lines(lw_str lines)
{
    size_t count = 0;
    for (size_t i = 0; i < lines.len; i++)
        count += lines.ptr[i] == '\n';
    return count;
}

/* Notes the result of a write of |lines|; logs when the state changes. */
static void note_result(lw_audit_sink *sink, lw_status st, lw_str lines, bool was_failing,
                        const char *why)
{
    if (st < 0)
        atomic_fetch_add(&sink->failed, count_lines(lines));
    if (st < 0 && !was_failing)
        lw_log(sink->options.logger, LW_LOG_ERROR, "audit", "%s; audit events are being lost", why);
    if (st == LW_OK && was_failing)
        lw_log(sink->options.logger, LW_LOG_WARN, "audit", "the audit log can be written again");
}

static void want_tidy(lw_audit_sink *sink)
{
    lw_mutex_lock(&sink->mu);
    sink->wants_tidy = true;
    lw_cond_signal(&sink->tidied);
    lw_mutex_unlock(&sink->mu);
}

static lw_status write_lines(lw_audit_sink *sink, lw_str lines)
{
    lw_error err = LW_ERROR_INIT;
    bool has_rotated = false;
    lw_mutex_lock(&sink->log_mu);
    lw_status st = lw_audit_log_write(&sink->log, lines, &has_rotated, &err);
    bool was_failing = sink->is_failing;
    sink->is_failing = st < 0;
    lw_mutex_unlock(&sink->log_mu);
    note_result(sink, st, lines, was_failing, err.message);
    if (has_rotated)
        want_tidy(sink);
    return st;
}

/* Takes everything that is queued: |lines|, which are empty before, and |queue|. */
static void take_locked(lw_audit_sink *sink, lw_buf *lines, lw_dlist *queue)
{
    lw_buf empty = *lines;
    *lines = sink->lines;
    sink->lines = empty;
    lw_dlist_init(queue);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&sink->queue));)
        lw_dlist_push_back(queue, node);
    sink->events = 0;
    sink->bytes = 0;
}

/* Returns the length of the first lines of |lines|, about a chunk. */
static size_t chunk_of(lw_str lines)
{
    if (lines.len <= CHUNK)
        return lines.len;
    const char *end = memchr(lines.ptr + CHUNK, '\n', lines.len - CHUNK);
    return end ? (size_t)(end - lines.ptr) + 1 : lines.len;
}

/* Writes |lines| to the log, in chunks: a file is rotated between two of them. */
static void write_chunks(lw_audit_sink *sink, lw_str lines)
{
    while (lines.len > 0) {
        size_t len = chunk_of(lines);
        (void)write_lines(sink, lw_str_make(lines.ptr, len)); /* counted */
        lines = lw_str_skip(lines, len);
    }
}

/* Forgets what was appended to |lines| from |before| on if that has failed: the others are as good
 * as they were. */
static lw_status check_line(lw_buf *lines, size_t before)
{
    lw_status st = lines->st;
    lines->st = LW_OK;
    if (st < 0)
        lw_buf_truncate(lines, before);
    return st;
}

/* Writes the events of |queue| in chunks, for which |lines| is room. */
static void write_queue_free(lw_audit_sink *sink, lw_dlist *queue, lw_buf *lines)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(queue));) {
        lw_audit_event *event = LW_DLIST_ITEM(node, lw_audit_event, link);
        size_t before = lines->len;
        (void)lw_audit_event_write(event, lines); /* checked there */
        if (check_line(lines, before) < 0)
            atomic_fetch_add(&sink->failed, 1);
        if (lines->len >= CHUNK || lw_dlist_is_empty(queue)) {
            write_chunks(sink, lw_buf_view(lines));
            lw_buf_reset(lines);
        }
        lw_audit_event_free(event);
    }
}

/* Waits until there is enough to write, or long enough.  The caller holds sink->mu. */
static void linger_locked(lw_audit_sink *sink)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + LINGER_MS * LW_NS_PER_MS;
    bool is_in_time = true;
    while (is_in_time && sink->events < LINGER_EVENTS && !sink->is_stopping)
        is_in_time = lw_cond_wait_until(&sink->queued, &sink->mu, deadline);
}

/* Empties |buf|; the memory of a burst is not kept. */
static void empty(lw_buf *buf)
{
    if (buf->cap > 4 * CHUNK)
        lw_buf_done(buf);
    lw_buf_reset(buf);
}

static void run_writer(void *arg)
{
    lw_audit_sink *sink = arg;
    lw_buf lines, room;
    lw_buf_init(&lines, LW_AUDIT_QUEUE_BYTES);
    lw_buf_init(&room, CHUNK + LW_AUDIT_EVENT_MAX + 8 * LW_AUDIT_BODY_MAX);
    for (bool goes_on = true; goes_on;) {
        lw_dlist queue;
        lw_mutex_lock(&sink->mu);
        while (sink->events == 0 && !sink->is_stopping)
            lw_cond_wait(&sink->queued, &sink->mu);
        linger_locked(sink);
        goes_on = !sink->is_stopping;
        lw_mutex_unlock(&sink->mu);
        if (sink->options.before_batch)
            sink->options.before_batch(sink->options.arg);
        lw_mutex_lock(&sink->mu);
        take_locked(sink, &lines, &queue);
        lw_mutex_unlock(&sink->mu);
        write_chunks(sink, lw_buf_view(&lines));
        write_queue_free(sink, &queue, &room);
        empty(&lines);
        empty(&room);
    }
    lw_buf_done(&lines);
    lw_buf_done(&room);
}

static void run_tidier(void *arg)
{
    lw_audit_sink *sink = arg;
    for (;;) {
        lw_error err = LW_ERROR_INIT;
        lw_mutex_lock(&sink->mu);
        while (!sink->wants_tidy && !sink->is_stopping)
            lw_cond_wait(&sink->tidied, &sink->mu);
        bool is_stopping = sink->is_stopping;
        sink->wants_tidy = false;
        lw_mutex_unlock(&sink->mu);
        if (is_stopping)
            return;
        lw_status st = lw_audit_log_tidy(&sink->log, &sink->is_tidy_stopping, &err);
        if (st < 0 && st != LW_ERR_STOPPED)
            lw_log(sink->options.logger, LW_LOG_WARN, "audit", "%s", err.message);
    }
}

static bool needs_tidier(const lw_audit_log_options *log)
{
    return log->max_bytes > 0 && (log->compresses || log->max_age_days > 0 || log->max_backups > 0);
}

lw_status lw_audit_sink_new(lw_audit_sink **out, const lw_audit_sink_options *options,
                            lw_error *err)
{
    lw_audit_sink *sink = lw_alloc_zero(1, sizeof(*sink));
    if (!sink)
        return lw_error_nomem(err);
    sink->options = *options;
    atomic_init(&sink->dropped, 0);
    atomic_init(&sink->failed, 0);
    atomic_init(&sink->is_tidy_stopping, false);
    lw_mutex_init(&sink->log_mu);
    lw_mutex_init(&sink->mu);
    lw_cond_init(&sink->queued);
    lw_cond_init(&sink->tidied);
    lw_buf_init(&sink->lines, LW_AUDIT_QUEUE_BYTES);
    lw_dlist_init(&sink->queue);
    sink->wants_tidy = true; /* options may have changed since the last start */
    lw_status st = lw_audit_log_open(&sink->log, &options->log, err);
    if (st == LW_OK && options->mode == LW_AUDIT_BATCH) {
        st = lw_thread_start(&sink->writer, "lw-audit", run_writer, sink, err);
        sink->has_writer = st == LW_OK;
    }
    if (st == LW_OK && needs_tidier(&options->log)) {
        st = lw_thread_start(&sink->tidier, "lw-audit-tidy", run_tidier, sink, err);
        sink->has_tidier = st == LW_OK;
    }
    if (st < 0)
        lw_audit_sink_free(sink);
    else
        *out = sink;
    return st;
}

void lw_audit_sink_free(lw_audit_sink *sink)
{
    if (!sink)
        return;
    lw_mutex_lock(&sink->mu);
    sink->is_stopping = true;
    atomic_store(&sink->is_tidy_stopping, true);
    lw_cond_signal(&sink->queued);
    lw_cond_signal(&sink->tidied);
    lw_mutex_unlock(&sink->mu);
    if (sink->has_writer)
        lw_thread_join(&sink->writer);
    if (sink->has_tidier)
        lw_thread_join(&sink->tidier);
    lw_audit_log_close(&sink->log);
    lw_buf_done(&sink->lines);
    lw_cond_done(&sink->queued);
    lw_cond_done(&sink->tidied);
    lw_mutex_done(&sink->mu);
    lw_mutex_done(&sink->log_mu);
    lw_free(sink);
}

static bool has_room_locked(const lw_audit_sink *sink, size_t bytes)
{
    return sink->events < LW_AUDIT_QUEUE_EVENTS &&
           sink->lines.len + sink->bytes + bytes <= LW_AUDIT_QUEUE_BYTES;
}

/* Counts an event; true: the writer has to be woken, after sink->mu was unlocked. */
static bool note_queued_locked(lw_audit_sink *sink)
{
    sink->events++;
    return sink->events == 1 || sink->events == LINGER_EVENTS;
}

static void count_lost(lw_audit_sink *sink, lw_status st)
{
    if (st < 0)
        atomic_fetch_add(st == LW_ERR_LIMIT ? &sink->dropped : &sink->failed, 1);
}

bool lw_audit_sink_send_line(lw_audit_sink *sink, const lw_audit_facts *facts, lw_audit_stage stage,
                             int64_t now_ns, lw_status *st)
{
    if (sink->options.mode != LW_AUDIT_BATCH)
        return false;
    lw_mutex_lock(&sink->mu);
    bool is_next = lw_dlist_is_empty(&sink->queue), wakes = false;
    if (is_next && has_room_locked(sink, 0)) {
        size_t before = sink->lines.len;
        (void)lw_audit_line_append(&sink->lines, facts, stage, now_ns);
        *st = check_line(&sink->lines, before);
        wakes = *st == LW_OK && note_queued_locked(sink);
    } else if (is_next) {
        *st = LW_ERR_LIMIT;
    }
    lw_mutex_unlock(&sink->mu);
    if (wakes)
        lw_cond_signal(&sink->queued);
    if (is_next)
        count_lost(sink, *st);
    return is_next;
}

static lw_status enqueue_take(lw_audit_sink *sink, lw_audit_event *event)
{
    size_t bytes = lw_audit_event_bytes(event);
    lw_mutex_lock(&sink->mu);
    lw_status st = has_room_locked(sink, bytes) ? LW_OK : LW_ERR_LIMIT;
    bool wakes = false;
    if (st == LW_OK) {
        lw_dlist_push_back(&sink->queue, &event->link);
        sink->bytes += bytes;
        wakes = note_queued_locked(sink);
    }
    lw_mutex_unlock(&sink->mu);
    if (wakes)
        lw_cond_signal(&sink->queued);
    count_lost(sink, st);
    if (st < 0)
        lw_audit_event_free(event);
    return st;
}

lw_status lw_audit_sink_send_take(lw_audit_sink *sink, lw_audit_event *event)
{
    lw_buf scratch;
    if (sink->options.mode == LW_AUDIT_BATCH)
        return enqueue_take(sink, event);
    lw_buf_init(&scratch, LW_AUDIT_EVENT_MAX + 8 * LW_AUDIT_BODY_MAX);
    lw_str line = lw_audit_event_line(event, &scratch);
    lw_status st = scratch.st;
    if (st < 0)
        atomic_fetch_add(&sink->failed, 1);
    else
        st = write_lines(sink, line);
    lw_buf_done(&scratch);
    lw_audit_event_free(event);
    return st;
}

void lw_audit_sink_read_stats(lw_audit_sink *sink, lw_audit_sink_stats *stats)
{
    stats->dropped = atomic_load(&sink->dropped);
    stats->failed = atomic_load(&sink->failed);
}
