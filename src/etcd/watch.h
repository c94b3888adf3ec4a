/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h -- internals of a watch.  Each watch has its own gRPC stream, so that a slow consumer
 * does not delay others.
 *
 *     entering ──▶ opening ── created ──▶ open      lw_etcd__watch_end: permanent, from any state
 *        ▲            │                     │
 *        └─ backoff ◀─┴─────────────────────┘  lw_etcd__watch_cut */
#ifndef LW_ETCD_WATCH_H
#define LW_ETCD_WATCH_H

#include "etcd/client.h"
#include "etcd/etcd.h"
#include "etcd/grpc_stream.h"
#include "etcd/messages.h"

/* Collects the events of one reply of a watch.  etcd splits large replies into fragments; they are
 * joined here, so that all events of a revision are reported together. */
typedef struct lw_etcd_watch_batch {
    lw_arena arena; /* what the events point into */
    lw_etcd_event *events;
    size_t count, slots;
    size_t bytes;    /* size of the messages */
    bool is_partial; /* more fragments will follow */
} lw_etcd_watch_batch;

void lw_etcd_watch_batch_init(lw_etcd_watch_batch *batch);

void lw_etcd_watch_batch_done(lw_etcd_watch_batch *batch);

/* Removes the events and frees their memory. */
void lw_etcd_watch_batch_clear(lw_etcd_watch_batch *batch);

/* Decodes |message| and adds its events, except those before |next_revision|.  |*reply| is valid
 * until the batch is cleared.  LW_ERR_INTERNAL: not a watch reply, or its revisions decrease;
 * LW_ERR_LIMIT: all fragments together are too large; LW_ERR_NOMEM. */
lw_status lw_etcd_watch_batch_add(lw_etcd_watch_batch *batch, lw_str message,
                                  uint64_t next_revision, const LwEtcd__WatchResponse **reply);

struct lw_etcd_watch {
    lw_dlist_node node; /* in etcd->watches */
    lw_etcd *etcd;
    lw_etcd_watch_sink sink;
    char *key_bytes; /* memory of key and end */
    lw_str key, end;
    bool wants_prev, wants_progress;
    uint64_t next_revision; /* the first revision that was not reported; 0: from now on */

    lw_etcd_waiter waiter;
    lw_grpc_stream stream;
    lw_etcd_link *link; /* NULL: no stream */
    uint64_t token_generation;
    bool has_refreshed;   /* the token was renewed since the watch was last open */
    bool is_open;         /* etcd has confirmed it */
    bool is_cut_reported; /* the interruption was reported since the watch was last open */
    bool is_paused;
    bool asks_progress; /* request progress as soon as the watch is open */
    lw_etcd_watch_batch batch;

    lw_timer timer;                     /* always set, except while it fires */
    int64_t opens_by_ns, pause_ends_ns; /* 0: not set */
    bool is_pump_due;                   /* events that were held back must be reported */
    bool is_end_due;                    /* |failure| must be reported as the end */
    lw_error failure;
    lw_backoff backoff;

    unsigned busy; /* depth of callbacks */
    bool is_gone;  /* must be freed after they return */
};

#define LW_ETCD_WATCH_NAME "Watch"

/* Handles what etcd sends, see watch_answer.c. */
extern const lw_grpc_sink lw_etcd__watch_sink;

/* Must enclose all code that may run callbacks: the watch may be cancelled in them (see |is_gone|),
 * and is then freed by the last finish. */
void lw_etcd__watch_begin(lw_etcd_watch *watch);
void lw_etcd__watch_finish(lw_etcd_watch *watch);

/* The functions below must be called between the two. */

/* Ends the watch permanently and reports it. */
void lw_etcd__watch_end(lw_etcd_watch *watch, const lw_error *err, uint64_t compacted);

/* Interrupts the watch; it resumes after a backoff. */
void lw_etcd__watch_cut(lw_etcd_watch *watch, const lw_error *err);

/* The token was rejected: the watch continues with a new one. */
void lw_etcd__watch_refresh(lw_etcd_watch *watch);

/* Sets the timer to the next action. */
void lw_etcd__watch_arm(lw_etcd_watch *watch);

/* Requests progress; the watch is open. */
void lw_etcd__watch_send_progress(lw_etcd_watch *watch);

#endif
