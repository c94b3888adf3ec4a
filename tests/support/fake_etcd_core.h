/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd_core.h -- shared by the files of the fake etcd.
 *
 *   fake_etcd_world.c   the history of writes, and faults
 *   fake_etcd.c         the client: ranges and watches */
#ifndef LW_TESTS_SUPPORT_FAKE_ETCD_CORE_H
#define LW_TESTS_SUPPORT_FAKE_ETCD_CORE_H

#include "support/fake_etcd.h"

typedef struct fake_record {
    lw_etcd_kv kv; /* owns its strings; a delete has only the key and mod_revision */
    bool is_delete;
} fake_record;

/* The global state. */
typedef struct fake_world {
    fake_record *records;
    size_t count, room;
    uint64_t revision, compacted;
    bool is_cut;
    lw_status range_failure;
    size_t reply_max;
    size_t ranges, watches;
    lw_etcd *client;
} fake_world;

extern fake_world fake_etcd__world;

struct lw_etcd {
    lw_loop *loop;
    lw_dlist calls, watches;
};

struct lw_etcd_call {
    lw_dlist_node link;
    lw_etcd *etcd;
    lw_task task;
    lw_etcd_range_request request;
    lw_etcd_range_fn fn;
    void *arg;
};

struct lw_etcd_watch {
    lw_dlist_node link;
    lw_etcd *etcd;
    lw_task task;
    lw_str from, to;
    lw_etcd_watch_sink sink;
    uint64_t next;
    bool is_open, is_paused, is_cut_told, wants_progress;
};

/* Copies |s|; the caller frees it with free(). */
lw_str fake_etcd__copy(lw_str s);

/* Runs |task| in the next turn of the client's loop. */
void fake_etcd__wake(lw_task *task);

/* Returns the last record of |key| up to |revision|, or NULL; deletes count. */
const fake_record *fake_etcd__find(lw_str key, uint64_t revision);

#endif
