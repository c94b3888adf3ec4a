/* SPDX-License-Identifier: Apache-2.0 */
/* watch_batch.h -- collects the events of one reply of a watch.  etcd splits large replies into
 * fragments; they are joined here, so that all events of a revision are reported together. */
#ifndef LW_ETCD_WATCH_BATCH_H
#define LW_ETCD_WATCH_BATCH_H

#include "etcd/etcd.h"
#include "etcd/messages.h"

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

#endif
