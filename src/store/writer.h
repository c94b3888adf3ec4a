/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h -- group commit: one thread that takes what is queued, commits it as one, tells the
 * watches, and then whoever waits.
 *
 * A backend embeds a writer as its first member, gives it an engine, and uses these functions in
 * its table of operations; what is left to it are range, bytes and free. */
#ifndef LW_STORE_WRITER_H
#define LW_STORE_WRITER_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "base/sync.h"
#include "store/engine.h"
#include "store/history.h"
#include "store/store.h"
#include "store/watches.h"

enum {
    LW_STORE_BATCH_BYTES = 16 << 20, /* of keys and values in one commit, but for the last value */
    LW_STORE_SWEEP_MAX = 1000,       /* changes swept between two commits */
};

#define LW_STORE_RETRY_NS (INT64_C(5) * 1000000000) /* after background work failed */

typedef struct lw_store_writer {
    lw_store store;
    lw_store_engine *engine;
    const lw_clock *clock;
    const lw_logger *logger;
    lw_history history; /* the thread's, as soon as it runs */
    int64_t retry_ns;   /* no background work before this time of the system; the thread's */
    bool is_refusing;   /* the last commit failed, which was logged; the thread's */
    lw_store_watches watches;
    lw_thread thread;

    lw_mutex mu; /* guards what follows */
    lw_cond work;
    lw_cond answered; /* a compaction was */
    lw_dlist queue;   /* of lw_store_txn */
    size_t queue_count;
    size_t queue_bytes;
    lw_dlist compactions; /* asked for */
    uint64_t current;
    uint64_t compacted;
    bool is_stopping;
} lw_store_writer;

typedef struct lw_store_writer_options {
    const lw_store_ops *ops;
    lw_store_engine *engine; /* its marks are right; outlives the writer */
    lw_history_options history;
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* may be NULL */
} lw_store_writer_options;

/* Prepares; the writer may be told of old history (lw_history_note) before it starts.
 * LW_ERR_NOMEM. */
lw_status lw_store_writer_init(lw_store_writer *writer, const lw_store_writer_options *options);

/* Brings history within its bounds and starts the thread.  LW_ERR_IO. */
lw_status lw_store_writer_start(lw_store_writer *writer, lw_error *err);

/* Commits what is queued, ends the watches and waits for the thread.  After start only. */
void lw_store_writer_stop(lw_store_writer *writer);
void lw_store_writer_done(lw_store_writer *writer);

/* For the table of operations. */
lw_status lw_store_writer_submit(lw_store *store, lw_store_txn *txn);
lw_status lw_store_writer_watch(lw_store *store, lw_str prefix, uint64_t after,
                                const lw_store_sink *sink, lw_store_watch **out, lw_error *err);
void lw_store_writer_unwatch(lw_store *store, lw_store_watch *watch);
lw_status lw_store_writer_compact(lw_store *store, uint64_t revision, lw_error *err);
void lw_store_writer_revisions(lw_store *store, uint64_t *current, uint64_t *compacted);

#endif
