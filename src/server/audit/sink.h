/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h -- takes audit events to the audit log.
 *
 *     batch             a queue and a thread that writes it; never blocks, drops events when full
 *     blocking          written before the function returns; errors are counted
 *     blocking-strict   the same, and the caller refuses a request whose first event fails
 *
 * Another thread compresses and removes rotated files.  Any thread may send. */
#ifndef LW_SERVER_AUDIT_SINK_H
#define LW_SERVER_AUDIT_SINK_H

#include <listwatch/log.h>

#include "server/audit/event.h"
#include "server/audit/log_file.h"

enum {
    LW_AUDIT_QUEUE_EVENTS = 10000, /* as in kube-apiserver */
    LW_AUDIT_QUEUE_BYTES = 64 * 1024 * 1024,
};

typedef enum lw_audit_mode {
    LW_AUDIT_BATCH,
    LW_AUDIT_BLOCKING,
    LW_AUDIT_BLOCKING_STRICT,
} lw_audit_mode;

typedef struct lw_audit_sink_options {
    lw_audit_log_options log;
    lw_audit_mode mode;
    const lw_logger *logger; /* may be NULL */
    /* Called by the thread of a batch before it writes; for tests.  May be NULL. */
    void (*before_batch)(void *arg);
    void *arg;
} lw_audit_sink_options;

typedef struct lw_audit_sink_stats {
    uint64_t dropped; /* events for which the queue had no room */
    uint64_t failed;  /* events that could not be written */
} lw_audit_sink_stats;

typedef struct lw_audit_sink lw_audit_sink;

/* Opens the log and starts the threads.  LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_audit_sink_new(lw_audit_sink **out, const lw_audit_sink_options *options,
                                          lw_error *err);

/* Writes everything that is queued, and ends.  NULL does nothing. */
void lw_audit_sink_free(lw_audit_sink *sink);

/* Queues the line of |stage| at |now_ns|, without bodies, unless it has to be written now or an
 * event with bodies is before it in the queue: returns false then, so make an event and send that.
 * |*st| is as from lw_audit_sink_send_take.  After lw_audit_line_begin. */
bool lw_audit_sink_send_line(lw_audit_sink *sink, const lw_audit_facts *facts, lw_audit_stage stage,
                             int64_t now_ns, lw_status *st);

/* Eats |event|.  LW_ERR_LIMIT: the queue is full; LW_ERR_IO, LW_ERR_NOMEM: not written.  Both are
 * counted already. */
lw_status lw_audit_sink_send_take(lw_audit_sink *sink, lw_audit_event *event);

void lw_audit_sink_read_stats(lw_audit_sink *sink, lw_audit_sink_stats *stats);

#endif
