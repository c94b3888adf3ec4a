/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h -- the inside of a watch: one stream of gRPC for each, so that one who takes its time
 * holds up nobody else.
 *
 *     entering ──▶ opening ── created ──▶ open
 *        ▲            │                     │
 *        └─ pausing ◀─┴──── watch_cut ◀─────┘          watch_end: for good */
#ifndef LW_ETCD_WATCH_H
#define LW_ETCD_WATCH_H

#include "etcd/client.h"
#include "etcd/grpc_stream.h"
#include "etcd/messages.h"
#include "etcd/watch_batch.h"

struct lw_etcd_watch {
    lw_list_node node; /* in etcd->watches */
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

#endif
