/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_internal.h -- shared by the files of the etcd store.
 *
 * One thread (the store's) runs a loop with the etcd client and everything else here; other threads
 * put transactions and confirmations into two queues under |mu|, or pass a job and wait.
 *
 * |told| is central: all changes up to this revision have been delivered to the watches.  A caller
 * whose reply from etcd has a later revision waits until that is delivered (etcd_waits.c). */
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
    LW_STORE_ETCD_WINDOW = 1024, /* maximum number of transactions at etcd at once */
    /* Maximum time from etcd's reply to the event of the watch, and of a transaction in the queue.
     */
    LW_STORE_ETCD_WAIT_S = 10,
    LW_STORE_ETCD_TICK_MS = 500, /* interval at which deadlines are checked, while there are any */
    LW_STORE_ETCD_PROGRESS_MS = 100, /* interval of progress requests */
    LW_STORE_ETCD_STATUS_S = 30,     /* interval at which the size of the database is requested */
    LW_STORE_ETCD_LEASES = 8,        /* maximum number of different TTLs in use */
};

/* The key by which the servers, and kube-apiserver, agree on who compacts. */
#define LW_STORE_ETCD_COMPACT_KEY "compact_rev_key"

typedef struct lw_etcd_store lw_etcd_store;

/* A job for the store's thread that a caller waits for. */
typedef struct lw_etcd_job {
    lw_task task;
    lw_etcd_store *store;
    void (*run)(struct lw_etcd_job *job); /* must end, now or later, with lw_etcd_job_end */
    lw_mutex mu;
    lw_cond ended;
    bool is_ended; /* guarded by mu */
} lw_etcd_job;

/* Runs job->run on the store's thread and waits for its end; |job| is the first member of a struct
 * on the caller's stack. */
void lw_etcd_job_run(lw_etcd_store *store, lw_etcd_job *job, void (*run)(lw_etcd_job *job));
void lw_etcd_job_end(lw_etcd_job *job);

/* A transaction in progress. */
typedef struct lw_etcd_write {
    lw_etcd_store *store;
    lw_store_txn *txn;
    lw_dlist_node link;  /* in the queue, in a lease, or in told_waits */
    lw_str key;          /* the transaction's key, for the map of attachments */
    bool is_attached;    /* is in that map */
    bool is_under_way;   /* counts towards the window */
    uint64_t wait_for;   /* the revision that must be delivered first */
    int64_t deadline_ns; /* deadline of the current wait */
} lw_etcd_write;

/* A watch on etcd that feeds watches of the store: the main feed, or one that catches up. */
typedef struct lw_etcd_feed {
    lw_etcd_store *store;
    lw_store_watch *only; /* the watch it serves; NULL: the main feed */
    lw_etcd_watch *watch; /* NULL: none at the moment */
    uint64_t told;        /* everything up to here was delivered */
    lw_timer retry;
    lw_backoff backoff;
    bool is_lost;  /* the changes after |told| are compacted: restart at the current revision */
    bool is_short; /* out of memory: restart after |told| */
} lw_etcd_feed;

/* A lease shared by several keys. */
typedef struct lw_etcd_lease {
    lw_etcd_store *store;
    int64_t ttl_s; /* TTL of the keys; 0: the slot is free */
    int64_t id;    /* 0: being requested */
    int64_t until_ns;
    unsigned uses;
    lw_dlist writes; /* transactions that wait for it */
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
    bool is_started; /* the thread is running */

    atomic_uint_least64_t told;
    atomic_uint_least64_t compacted;
    atomic_size_t bytes;

    lw_mutex mu; /* guards the members below, up to those of the store's thread */
    lw_dlist queue;
    size_t queue_count, queue_bytes;
    lw_dlist questions; /* lw_store_confirmation */
    size_t question_count;
    bool is_woken;
    bool is_closed;
    lw_task wake;

    /* Used on the store's thread only. */
    lw_etcd *etcd;
    bool has_progress;
    bool is_stopping;
    size_t under_way;    /* number of transactions at etcd */
    lw_dlist told_waits; /* lw_etcd_write, sorted by wait_for */
    lw_map attached;     /* lw_etcd_write by key: puts with an attachment */
    lw_dlist asking;     /* lw_store_confirmation whose read is in progress */
    lw_dlist confirmed;  /* waiting for delivery, sorted by revision */
    bool is_asking;
    lw_timer tick;
    lw_timer progress;
    bool has_asked_progress;
    lw_etcd_feed main;
    lw_dlist watches; /* lw_store_watch */
    size_t watch_count;
    lw_store_event *events, *chosen; /* events of one callback; event_room each */
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

/* True if |key| belongs to the server. */
bool lw_etcd_store_has_key(const lw_etcd_store *store, lw_str key);

/* Wakes the store's thread to process its queues and feeds; _locked: mu is held. */
void lw_etcd_store_wake(lw_etcd_store *store);
void lw_etcd_store_wake_locked(lw_etcd_store *store);

/* etcd_writes.c */
lw_status lw_etcd_store_submit(lw_store *base, lw_store_txn *txn);
void lw_etcd_writes_pump(lw_etcd_store *store);
void lw_etcd_writes_expire(lw_etcd_store *store, int64_t now_ns);
void lw_etcd_write_send(lw_etcd_write *write, int64_t lease);
/* Ends a transaction whose revision has been delivered. */
void lw_etcd_write_done(lw_etcd_write *write);
void lw_etcd_write_fail(lw_etcd_write *write, lw_status st, const char *message);
/* Returns the attachment of the put in |event|; NULL: it was not made by this server. */
void *lw_etcd_attachment(lw_etcd_store *store, const lw_etcd_event *event);

/* etcd_waits.c: a feed has delivered more, or a watch was closed. */
void lw_etcd_store_advance(lw_etcd_store *store);
/* Returns the revision delivered to every watch, including those that still catch up. */
uint64_t lw_etcd_told_to_all(const lw_etcd_store *store);
/* Ends |write| when its wait_for has been delivered. */
void lw_etcd_wait_told(lw_etcd_write *write);
/* A caller has started to wait. */
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
/* Delivers the first |count| of store->events, which are all events from feed->told to
 * |revision|. */
void lw_etcd_feed_tell(lw_etcd_feed *feed, size_t count, uint64_t revision);
/* Starts to watch etcd after feed->told. */
void lw_etcd_feed_open(lw_etcd_feed *feed);
/* The history up to |revision| has been compacted; notifies the watches if that is new. */
void lw_etcd_store_compacted(lw_etcd_store *store, uint64_t revision);
void lw_etcd_watches_end(lw_etcd_store *store, const lw_error *reason);
/* Closes the feeds that are no longer needed, and restarts those that ran out of memory. */
void lw_etcd_feeds_sweep(lw_etcd_store *store);
void lw_etcd_feed_close(lw_etcd_feed *feed);

/* etcd_range.c */
lw_status lw_etcd_store_range(lw_store *base, const lw_store_range *range, lw_store_record_fn fn,
                              void *arg, lw_store_range_result *result, lw_error *err);

/* etcd_lease.c: sends |write| with a lease, now or when the lease is granted. */
void lw_etcd_lease_send(lw_etcd_write *write);
void lw_etcd_leases_init(lw_etcd_store *store);

/* etcd_compact.c */
lw_status lw_etcd_store_compact(lw_store *base, uint64_t revision, lw_error *err);
void lw_etcd_compact_start(lw_etcd_store *store);
/* |event| is about a key outside the prefix: another server may be compacting. */
void lw_etcd_compact_noticed(lw_etcd_store *store, const lw_etcd_event *event);

/* etcd_probe.c */
void lw_etcd_status_start(lw_etcd_store *store);
/* Blocks: determines whether etcd supports progress requests; and the compacted revision, if it is
 * known that there is one. */
lw_status lw_etcd_probe_version(lw_etcd_store *store, lw_error *err);
void lw_etcd_probe_compacted(lw_etcd_store *store);

#endif
