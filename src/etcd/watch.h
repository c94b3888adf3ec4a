/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h -- the inside of a watch: one stream of gRPC for each, so that one who takes its time
 * holds up nobody else.
 *
 *     entering ──▶ opening ── created ──▶ open      lw_etcd__watch_end: for good, from any
 *        ▲            │                     │
 *        └─ pausing ◀─┴─────────────────────┘  lw_etcd__watch_cut */
#ifndef LW_ETCD_WATCH_H
#define LW_ETCD_WATCH_H

#include "etcd/client.h"
#include "etcd/grpc_stream.h"
#include "etcd/messages.h"
#include "etcd/watch_batch.h"

struct lw_etcd_watch {
    lw_dlist_node node; /* in etcd->watches */
    lw_etcd *etcd;
    lw_etcd_watch_sink sink;
    char *key_bytes; /* of key and end */
    lw_str key, end;
    bool wants_prev, wants_progress;
    uint64_t next_revision; /* the first that was not told; 0: from now on */

    lw_etcd_waiter waiter;
    lw_grpc_stream stream;
    lw_etcd_link *link; /* NULL: no stream */
    uint64_t token_generation;
    bool has_refreshed; /* the token, since it was last open */
    bool is_open;       /* etcd has it in place */
    bool is_cut_told;   /* since it was last open */
    bool is_paused;
    bool asks_progress; /* as soon as it is open */
    lw_etcd_watch_batch batch;

    lw_timer timer;                     /* always set, but while it fires */
    int64_t opens_by_ns, pause_ends_ns; /* 0: not now */
    bool is_pump_due;                   /* what was held back is to be told */
    bool is_end_due;                    /* |failure| is to be told as its end */
    lw_error failure;
    lw_backoff backoff;

    unsigned busy; /* in how many callbacks it is */
    bool is_gone;  /* to be freed when they return */
};

#define LW_ETCD_WATCH_NAME "Watch"

/* What etcd says, see watch_answer.c. */
extern const lw_grpc_sink lw_etcd__watch_sink;

/* Around everything that may call back: the watch may be cancelled meanwhile, see |is_gone|, and is
 * freed by the last finish then. */
void lw_etcd__watch_begin(lw_etcd_watch *watch);
void lw_etcd__watch_finish(lw_etcd_watch *watch);

/* The rest is for the time between the two. */

/* For good: takes it down, and tells. */
void lw_etcd__watch_end(lw_etcd_watch *watch, const lw_error *err, uint64_t compacted);

/* It is lost for now, and goes on after a pause. */
void lw_etcd__watch_cut(lw_etcd_watch *watch, const lw_error *err);

/* Its token was refused: it goes on with a new one. */
void lw_etcd__watch_refresh(lw_etcd_watch *watch);

/* Sets the timer to when something is next to be done. */
void lw_etcd__watch_arm(lw_etcd_watch *watch);

/* Asks for progress, now that it is open. */
void lw_etcd__watch_send_progress(lw_etcd_watch *watch);

#endif
