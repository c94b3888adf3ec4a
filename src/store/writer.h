/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h -- group commit: one thread takes the queued transactions, commits them together,
 * delivers the changes to the watches, and then completes the transactions.
 *
 * A backend embeds a writer as its first member, gives it an engine, and uses these functions in
 * its operations; it implements only range, bytes and free itself. */
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
    /* Size of keys and values in one commit, except for the last value. */
    LW_STORE_BATCH_BYTES = 16 << 20,
    LW_STORE_SWEEP_MAX = 1000, /* changes swept between two commits */
};

#define LW_STORE_RETRY_NS    (INT64_C(5) * 1000000000) /* delay after background work failed */
#define LW_STORE_SHORTAGE_NS (INT64_C(1) * 1000000000) /* between compactions for lack of space */

typedef struct lw_store_writer {
    lw_store store;
    lw_store_engine *engine;
    const lw_clock *clock;
    const lw_logger *logger;
    bool finishes_sweep;
    lw_history history; /* used by the thread once it runs */
    /* No background work before this time of the system's clock; writer's thread. */
    int64_t retry_ns;
    int64_t probe_ns; /* no probe before this time of the system's clock */
    /* History is not compacted for lack of space before this time of the system's clock. */
    int64_t shortage_ns;
    lw_store_watches watches;
    lw_thread thread;

    lw_mutex mu; /* guards the members below */
    lw_cond work;
    lw_cond answered; /* signalled when a compaction is done */
    lw_dlist queue;   /* of lw_store_txn */
    size_t queue_count;
    size_t queue_bytes;
    lw_dlist compactions; /* requested compactions */
    uint64_t current;
    uint64_t compacted;
    lw_store_condition condition;
    bool is_stopping;
    bool is_held; /* the queue waits until it fills a commit */
} lw_store_writer;

typedef struct lw_store_writer_options {
    const lw_store_ops *ops;
    lw_store_engine *engine; /* with valid marks; must outlive the writer */
    lw_history_options history;
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* may be NULL */
    bool finishes_sweep;     /* when it is stopped, a sweep is finished first; for offline tools */
} lw_store_writer_options;

/* Initializes the writer; existing history may be recorded (lw_history_note) before it starts.
 * LW_ERR_NOMEM. */
lw_status lw_store_writer_init(lw_store_writer *writer, const lw_store_writer_options *options);

/* Compacts the history to its limits and starts the thread.  LW_ERR_IO. */
lw_status lw_store_writer_start(lw_store_writer *writer, lw_error *err);

/* Commits the queued transactions, ends the watches and waits for the thread.  Only after start. */
void lw_store_writer_stop(lw_store_writer *writer);
void lw_store_writer_done(lw_store_writer *writer);

/* Operations for the backend's table. */
lw_status lw_store_writer_submit(lw_store *store, lw_store_txn *txn);
void lw_store_writer_hold(lw_store *store, bool is_held);
lw_status lw_store_writer_watch(lw_store *store, lw_str prefix, uint64_t after,
                                const lw_store_sink *sink, lw_store_watch **out, lw_error *err);
void lw_store_writer_unwatch(lw_store *store, lw_store_watch *watch);
lw_status lw_store_writer_compact(lw_store *store, uint64_t revision, lw_error *err);
void lw_store_writer_revisions(lw_store *store, uint64_t *current, uint64_t *compacted);
void lw_store_writer_condition(lw_store *store, lw_store_condition *condition);

#endif
