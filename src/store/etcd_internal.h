/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_internal.h -- what the files of the store on etcd share.
 *
 * One thread (the store's) runs a loop with the etcd client and everything else here; the other
 * threads put transactions and questions into two queues under |mu|, or hand it a job and wait.
 *
 * |told| is the heart: every change up to this revision has been told to the watches.  Who was
 * answered by etcd at a later revision waits until it is told (etcd_waits.c). */
#ifndef LW_STORE_ETCD_INTERNAL_H
#define LW_STORE_ETCD_INTERNAL_H

#include <stdatomic.h>

#include "base/backoff.h"
#include "base/map.h"
#include "base/sync.h"
#include "etcd/etcd.h"
#include "net/loop.h"
#include "store/etcd.h"

enum {
    LW_STORE_ETCD_WINDOW = 1024,     /* transactions at etcd at once */
    LW_STORE_ETCD_WAIT_S = 10,       /* how long a change may take from etcd's answer to its watch,
                                        and a transaction in the queue to etcd */
    LW_STORE_ETCD_TICK_MS = 500,     /* how often deadlines are looked at, while there are any */
    LW_STORE_ETCD_PROGRESS_MS = 100, /* between two questions how far the watch is */
    LW_STORE_ETCD_STATUS_S = 30,     /* between two questions how large the database is */
    LW_STORE_ETCD_LEASES = 8,        /* times to live that are in use at once */
};

/* What the servers agree by on who compacts; kube-apiserver's too. */
#define LW_STORE_ETCD_COMPACT_KEY "compact_rev_key"

typedef struct lw_etcd_store lw_etcd_store;

/* Work for the store's thread that somebody waits for. */
typedef struct lw_etcd_job {
    lw_task task;
    lw_etcd_store *store;
    void (*run)(struct lw_etcd_job *job); /* ends, now or later, with lw_etcd_job_end */
    lw_mutex mu;
    lw_cond ended;
    bool is_ended; /* guarded by mu */
} lw_etcd_job;

/* Runs job->run on the store's thread and waits for its end; |job| is the first member of what the
 * caller has on its stack. */
void lw_etcd_job_run(lw_etcd_store *store, lw_etcd_job *job, void (*run)(lw_etcd_job *job));
void lw_etcd_job_end(lw_etcd_job *job);

/* One transaction under way. */
typedef struct lw_etcd_write {
    lw_etcd_store *store;
    lw_store_txn *txn;
    lw_dlist_node link;  /* in the queue, with a lease, or among those that wait to be told */
    lw_str key;          /* the transaction's, for the map of attachments */
    bool is_attached;    /* is in that map */
    bool is_under_way;   /* counts in the window */
    uint64_t wait_for;   /* the revision to be told first */
    int64_t deadline_ns; /* of what it waits for at the moment */
} lw_etcd_write;

/* A watch at etcd that feeds watches of the store: the main one, or one that catches up. */
typedef struct lw_etcd_feed {
    lw_etcd_store *store;
    lw_store_watch *only; /* whom it serves; NULL: it is the main one */
    lw_etcd_watch *watch; /* NULL: none at the moment */
    uint64_t told;        /* everything up to here */
    lw_timer retry;
    lw_backoff backoff;
    bool is_lost;  /* what follows |told| is gone: begin anew from now */
    bool is_short; /* memory ran out: begin again after |told| */
} lw_etcd_feed;

/* A lease that is given to several keys. */
typedef struct lw_etcd_lease {
    lw_etcd_store *store;
    int64_t ttl_s; /* of the keys; 0: the place is free */
    int64_t id;    /* 0: being asked for */
    int64_t until_ns;
    unsigned uses;
    lw_dlist writes; /* that wait for it */
} lw_etcd_lease;

struct lw_etcd_store {
    lw_store base;
    const lw_logger *logger;
    char *prefix_text;
    lw_str prefix;
    char *prefix_end_text;
    lw_str prefix_end; /* empty: no end */
    int64_t compact_s;
    lw_loop *loop;
    lw_thread thread;
    bool is_started; /* the thread runs */

    atomic_uint_least64_t told;
    atomic_uint_least64_t compacted;
    atomic_size_t bytes;

    lw_mutex mu; /* guards what follows, up to the store's own */
    lw_dlist queue;
    size_t queue_count, queue_bytes;
    lw_dlist questions; /* lw_store_confirmation */
    size_t question_count;
    bool is_woken;
    bool is_closed;
    lw_task wake;

    /* The store's thread alone. */
    lw_etcd *etcd;
    bool has_progress;
    bool is_stopping;
    size_t under_way;    /* transactions at etcd */
    lw_dlist told_waits; /* lw_etcd_write by wait_for */
    lw_map attached;     /* lw_etcd_write by key: puts that carry an attachment */
    lw_dlist asking;     /* lw_store_confirmation whose question is at etcd */
    lw_dlist confirmed;  /* that wait to be told, in the order of their revisions */
    bool is_asking;
    lw_timer tick;
    lw_timer progress;
    bool has_asked_progress;
    lw_etcd_feed main;
    lw_dlist watches; /* lw_store_watch */
    size_t watch_count;
    lw_store_event *events, *chosen; /* of one call of etcd's; event_room each */
    size_t event_room;
    lw_etcd_lease leases[LW_STORE_ETCD_LEASES];
    lw_timer compact_timer;
    uint64_t compact_version, compact_target; /* see etcd_compact.c */
    lw_timer status_timer;
};

static inline lw_etcd_store *lw_etcd_store_of(lw_store *store)
{
    return (lw_etcd_store *)(void *)store;
}

static inline uint64_t lw_etcd_store_told(const lw_etcd_store *store)
{
    return atomic_load_explicit(&store->told, memory_order_acquire);
}

/* True when |key| is one of the server's. */
bool lw_etcd_store_has_key(const lw_etcd_store *store, lw_str key);

/* Has the store's thread look at its queues and feeds soon; _locked: mu is held. */
void lw_etcd_store_wake(lw_etcd_store *store);
void lw_etcd_store_wake_locked(lw_etcd_store *store);

/* etcd_writes.c */
lw_status lw_etcd_store_submit(lw_store *base, lw_store_txn *txn);
void lw_etcd_writes_pump(lw_etcd_store *store);
void lw_etcd_writes_expire(lw_etcd_store *store, int64_t now_ns);
void lw_etcd_write_send(lw_etcd_write *write, int64_t lease);
/* What it waited for has been told. */
void lw_etcd_write_done(lw_etcd_write *write);
void lw_etcd_write_fail(lw_etcd_write *write, lw_status st, const char *message);
/* The attachment of the put that |event| is; NULL: it is nobody's here. */
void *lw_etcd_attachment(lw_etcd_store *store, const lw_etcd_event *event);

/* etcd_waits.c: a feed has told more, or a watch need not be told any more. */
void lw_etcd_store_advance(lw_etcd_store *store);
/* What every watch has been told, also those that were opened late and still catch up. */
uint64_t lw_etcd_told_to_all(const lw_etcd_store *store);
/* |write| is done when its wait_for has been told. */
void lw_etcd_wait_told(lw_etcd_write *write);
/* Somebody waits. */
void lw_etcd_waits_begun(lw_etcd_store *store);
void lw_etcd_waits_init(lw_etcd_store *store);
void lw_etcd_tick_start(lw_etcd_store *store);

/* etcd_confirm.c */
lw_status lw_etcd_store_confirm(lw_store *base, lw_store_confirmation *confirmation);
void lw_etcd_confirms_pump(lw_etcd_store *store);
void lw_etcd_confirms_told(lw_etcd_store *store, uint64_t told);
void lw_etcd_confirms_expire(lw_etcd_store *store, int64_t now_ns);

/* etcd_watch.c */
lw_status lw_etcd_store_watch(lw_store *base, lw_str prefix, uint64_t after,
                              const lw_store_sink *sink, lw_store_watch **out, lw_error *err);
void lw_etcd_store_unwatch(lw_store *base, lw_store_watch *watch);
void lw_etcd_watches_free(lw_etcd_store *store);

/* etcd_feed.c */
lw_status lw_etcd_feed_init(lw_etcd_feed *feed, lw_etcd_store *store, lw_store_watch *only);
/* The first |count| of store->events are all there were from feed->told to |revision|. */
void lw_etcd_feed_tell(lw_etcd_feed *feed, size_t count, uint64_t revision);
/* Begins to follow etcd after feed->told. */
void lw_etcd_feed_open(lw_etcd_feed *feed);
/* History up to |revision| is gone; tells the watches if that is news. */
void lw_etcd_store_compacted(lw_etcd_store *store, uint64_t revision);
void lw_etcd_watches_end(lw_etcd_store *store, const lw_error *reason);
/* Ends the feeds that are no longer needed, and begins again those that ran short of memory. */
void lw_etcd_feeds_sweep(lw_etcd_store *store);
void lw_etcd_feed_close(lw_etcd_feed *feed);

/* etcd_range.c */
lw_status lw_etcd_store_range(lw_store *base, const lw_store_range *range, lw_store_record_fn fn,
                              void *arg, lw_store_range_result *result, lw_error *err);

/* etcd_lease.c: sends |write| with a lease, now or when there is one. */
void lw_etcd_lease_send(lw_etcd_write *write);
void lw_etcd_leases_init(lw_etcd_store *store);

/* etcd_compact.c */
lw_status lw_etcd_store_compact(lw_store *base, uint64_t revision, lw_error *err);
void lw_etcd_compact_start(lw_etcd_store *store);
/* |event| is about a key that is not the server's: perhaps another one is compacting. */
void lw_etcd_compact_noticed(lw_etcd_store *store, const lw_etcd_event *event);

/* etcd_probe.c */
void lw_etcd_status_start(lw_etcd_store *store);
/* Waits: whether etcd can say how far a watch is; and what it has compacted, when it is known that
 * it has. */
lw_status lw_etcd_probe_version(lw_etcd_store *store, lw_error *err);
void lw_etcd_probe_compacted(lw_etcd_store *store);

#endif
