/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- a client of an etcd v3 cluster on an event loop: reads, guarded writes, watches,
 * leases.
 *
 * It uses one member at a time and switches to the next if that one fails or stalls.  Reads are
 * retried at other members until their deadline.  A write is retried only if it is certain that it
 * was not executed; otherwise its result may be unknown (is_unknown).  Watches resume where they
 * were, at any member that responds.
 *
 * Everything runs on the thread of the loop.  Callbacks never run inside the call that sent the
 * request, and never after it was cancelled.  They may start and cancel other calls, but must not
 * free the client.  Views passed to a callback are valid until it returns. */
#ifndef LW_ETCD_ETCD_H
#define LW_ETCD_ETCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/str.h>

#include "net/loop.h"

enum {
    /* Maximum size of a reply in bytes: a page of a range, or joined fragments. */
    LW_ETCD_MESSAGE_MAX = 512 << 20,
    LW_ETCD_CALLS_MAX = 20000, /* maximum number of calls in progress per client */
    LW_ETCD_ENDPOINTS_MAX = 32,
    LW_ETCD_REQUEST_TIMEOUT_MS = 10000,
    LW_ETCD_CONNECT_TIMEOUT_MS = 2000,
    LW_ETCD_KEEPALIVE_MS = 5000,         /* idle time after which a connection is checked */
    LW_ETCD_KEEPALIVE_TIMEOUT_MS = 5000, /* time limit for the reply to that check */
};

/* Options; strings are copied.  Zero means the default. */
typedef struct lw_etcd_options {
    /* E.g. "http://10.0.0.1:2379,http://10.0.0.2:2379"; all http or all https. */
    const char *endpoints;
    const char *ca_file;   /* PEM, verifies the servers; NULL: the system's */
    const char *cert_file; /* PEM, client certificate */
    const char *key_file;
    const char *user; /* for etcd's own authentication; NULL: none */
    const char *password;
    int request_timeout_ms;
    int connect_timeout_ms;
    int keepalive_ms;
    int keepalive_timeout_ms;
    const lw_logger *logger; /* may be NULL */
} lw_etcd_options;

typedef struct lw_etcd lw_etcd;
typedef struct lw_etcd_call lw_etcd_call;
typedef struct lw_etcd_watch lw_etcd_watch;

/* Creates a client; does not wait for a connection.  LW_ERR_INVALID: the message names the endpoint
 * or the file; LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_etcd_new(lw_etcd **out, lw_loop *loop, const lw_etcd_options *options, lw_error *err);

/* Drops all calls in progress without a callback.  NULL does nothing. */
void lw_etcd_free(lw_etcd *etcd);

/* A key at the revision that was read. */
typedef struct lw_etcd_kv {
    lw_str key, value;
    uint64_t create_revision, mod_revision, version;
    int64_t lease; /* 0: none */
} lw_etcd_kv;

/* The common part of all replies. */
typedef struct lw_etcd_answer {
    /* NULL: success.  LW_ERR_EXPIRED: compacted; LW_ERR_TOO_LARGE_RV: a future revision;
     * LW_ERR_UNAVAILABLE: no member, or no quorum; LW_ERR_TIMEOUT; LW_ERR_LIMIT: too large, or the
     * database is full; LW_ERR_TOO_MANY; LW_ERR_UNAUTHORIZED, LW_ERR_FORBIDDEN; LW_ERR_NOT_FOUND (a
     * lease); LW_ERR_INTERNAL: not a valid etcd reply. */
    const lw_error *err;
    bool is_unknown;   /* of a failed write: it may have been executed */
    uint64_t revision; /* the store's revision at the time of the reply */
} lw_etcd_answer;

/* Each of the calls below returns without waiting; |*out|, if |out| is not NULL, can be cancelled
 * until the callback.  LW_ERR_TOO_MANY, LW_ERR_NOMEM, LW_ERR_LIMIT. */
void lw_etcd_call_cancel(lw_etcd *etcd, lw_etcd_call *call);

typedef struct lw_etcd_range_request {
    lw_str key;
    lw_str end;        /* empty: |key| only.  "\0": all keys from |key| on */
    uint64_t revision; /* 0: the latest */
    size_t limit;      /* 0: no limit */
    bool is_keys_only, is_count_only;
    bool is_serializable; /* any member may answer from its own state: cheaper, possibly stale */
} lw_etcd_range_request;

typedef struct lw_etcd_range_answer {
    lw_etcd_answer base;
    const lw_etcd_kv *kvs; /* sorted by key */
    size_t count;
    bool has_more;
    uint64_t total; /* number of keys in the range, including those beyond the limit */
} lw_etcd_range_answer;

typedef void (*lw_etcd_range_fn)(const lw_etcd_range_answer *answer, void *arg);

lw_status lw_etcd_range(lw_etcd *etcd, const lw_etcd_range_request *request, lw_etcd_range_fn fn,
                        void *arg, lw_etcd_call **out);

typedef enum lw_etcd_op {
    LW_ETCD_PUT,
    LW_ETCD_DELETE,
} lw_etcd_op;

/* One guarded change of one key; the reply contains the key's state if the guard failed.  The
 * strings need not outlive lw_etcd_txn. */
typedef struct lw_etcd_txn_request {
    lw_etcd_op op;
    lw_str key;
    lw_str value;            /* for a put */
    int64_t lease;           /* for a put; 0: none */
    bool is_unguarded;       /* no guard */
    bool is_version_guarded; /* |expected| is the key's version instead of its mod revision */
    uint64_t expected;       /* 0: the key must not exist */
    int timeout_ms;          /* 0: the client's default */
} lw_etcd_txn_request;

typedef struct lw_etcd_txn_answer {
    lw_etcd_answer base;  /* revision: that of the change, if it was made */
    bool is_done;         /* the guard held; for an unguarded delete: the key existed */
    const lw_etcd_kv *kv; /* if the guard failed: the key's state; NULL: it does not exist */
} lw_etcd_txn_answer;

typedef void (*lw_etcd_txn_fn)(const lw_etcd_txn_answer *answer, void *arg);

lw_status lw_etcd_txn(lw_etcd *etcd, const lw_etcd_txn_request *request, lw_etcd_txn_fn fn,
                      void *arg, lw_etcd_call **out);

typedef void (*lw_etcd_answer_fn)(const lw_etcd_answer *answer, void *arg);

/* Compacts the history before |revision|.  LW_ERR_EXPIRED: already compacted. */
lw_status lw_etcd_compact(lw_etcd *etcd, uint64_t revision, lw_etcd_answer_fn fn, void *arg,
                          lw_etcd_call **out);

typedef struct lw_etcd_lease_answer {
    lw_etcd_answer base;
    int64_t id;
    int64_t ttl_s; /* as granted, or the remaining time; <= 0: expired */
} lw_etcd_lease_answer;

typedef void (*lw_etcd_lease_fn)(const lw_etcd_lease_answer *answer, void *arg);

lw_status lw_etcd_lease_grant(lw_etcd *etcd, int64_t ttl_s, lw_etcd_lease_fn fn, void *arg,
                              lw_etcd_call **out);
/* Renews the lease once. */
lw_status lw_etcd_lease_keep_alive(lw_etcd *etcd, int64_t id, lw_etcd_lease_fn fn, void *arg,
                                   lw_etcd_call **out);
/* Revokes the lease; its keys are deleted. */
lw_status lw_etcd_lease_revoke(lw_etcd *etcd, int64_t id, lw_etcd_answer_fn fn, void *arg,
                               lw_etcd_call **out);

/* The status of the member that replied. */
typedef struct lw_etcd_status_answer {
    lw_etcd_answer base;
    lw_str version; /* e.g. "3.4.23" */
    uint64_t db_bytes;
    uint64_t leader; /* member ID of the leader; 0: there is none */
    uint64_t member; /* ID of the member that replied */
} lw_etcd_status_answer;

typedef void (*lw_etcd_status_fn)(const lw_etcd_status_answer *answer, void *arg);

lw_status lw_etcd_status(lw_etcd *etcd, lw_etcd_status_fn fn, void *arg, lw_etcd_call **out);

/* True if |version| (e.g. "3.5.8") handles progress requests correctly: 3.4.25, 3.5.8 and newer. */
bool lw_etcd_version_has_progress(lw_str version);

typedef struct lw_etcd_event {
    lw_etcd_kv kv; /* of a delete: the key, and mod_revision is that of the delete */
    bool is_delete;
    bool has_prev;
    lw_etcd_kv prev; /* the previous state, if requested and not yet compacted */
} lw_etcd_event;

typedef struct lw_etcd_watch_request {
    lw_str key;
    lw_str end;              /* as in lw_etcd_range_request */
    uint64_t start_revision; /* the first revision to report; 0: from now on */
    bool wants_prev;
    /* Progress notifications while there are no events, about every ten minutes. */
    bool wants_progress;
} lw_etcd_watch_request;

/* Callbacks of a watch.  Only on_events and on_end are required. */
typedef struct lw_etcd_watch_sink {
    /* The watch is active; |revision| is the store's.  Also called each time the watch resumes. */
    void (*on_open)(uint64_t revision, void *arg);
    /* In the order of revisions, without gaps or duplicates; all events of a revision in one
     * call. */
    void (*on_events)(const lw_etcd_event *events, size_t count, void *arg);
    /* All events up to |revision| have been reported. */
    void (*on_progress)(uint64_t revision, void *arg);
    /* The connection was lost, or its member has no leader; the watch is being resumed. */
    void (*on_cut)(const lw_error *err, void *arg);
    /* The last call: the watch cannot continue and is freed.  LW_ERR_EXPIRED: |compacted| is the
     * oldest revision that can still be read; LW_ERR_FORBIDDEN, LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM,
     * LW_ERR_INTERNAL, ... */
    void (*on_end)(const lw_error *err, uint64_t compacted, void *arg);
    void *arg;
} lw_etcd_watch_sink;

lw_status lw_etcd_watch_open(lw_etcd_watch **out, lw_etcd *etcd,
                             const lw_etcd_watch_request *request, const lw_etcd_watch_sink *sink);

/* Requests a call of on_progress; see lw_etcd_version_has_progress. */
void lw_etcd_watch_ask_progress(lw_etcd_watch *watch);

/* Pauses or resumes the delivery of events, for a slow consumer. */
void lw_etcd_watch_set_paused(lw_etcd_watch *watch, bool is_paused);

/* Cancels the watch at once; no callback runs afterwards.  NULL does nothing. */
void lw_etcd_watch_cancel(lw_etcd_watch *watch);

#endif
