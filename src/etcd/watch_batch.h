/* SPDX-License-Identifier: Apache-2.0 */
/* watch_batch.h -- events of one answer of a watch: etcd cuts large ones into fragments, which are
 * joined here so that no revision is told in parts. */
#ifndef LW_ETCD_WATCH_BATCH_H
#define LW_ETCD_WATCH_BATCH_H

#include "etcd/etcd.h"
#include "etcd/messages.h"

typedef struct lw_etcd_watch_batch {
    lw_arena arena; /* what the events point into */
    lw_etcd_event *events;
    size_t count, slots;
    size_t bytes;    /* of the messages */
    bool is_partial; /* fragments are to come */
} lw_etcd_watch_batch;

void lw_etcd_watch_batch_init(lw_etcd_watch_batch *batch);

void lw_etcd_watch_batch_done(lw_etcd_watch_batch *batch);

/* Forgets the events and frees what they point into. */
void lw_etcd_watch_batch_clear(lw_etcd_watch_batch *batch);

/* Decodes |message| and adds its events, but for those before |next_revision|.  |*reply| lives
 * until the batch is cleared.  LW_ERR_INTERNAL: it is no answer of a watch, or its revisions go
 * backwards; LW_ERR_LIMIT: all fragments together are too large; LW_ERR_NOMEM. */
lw_status lw_etcd_watch_batch_add(lw_etcd_watch_batch *batch, lw_str message,
                                  uint64_t next_revision, const LwEtcd__WatchResponse **reply);

#endif
