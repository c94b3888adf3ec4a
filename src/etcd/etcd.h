/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- a client of an etcd v3 cluster, on a loop: reads, guarded writes, watches, leases.
 *
 * It talks to one member at a time and goes to the next when that one fails or stalls.  Reads are
 * tried again elsewhere until their deadline.  A write is tried again only where it is certain that
 * it was not begun; else its answer may be that nobody knows (is_unknown).  Watches go on by
 * themselves, where they were, on whatever member answers.
 *
 * Everything happens on the thread of the loop; callbacks never come from within the call that
 * asked, and not after its cancel.  They may start and cancel others; they must not free the
 * client. Views handed to a callback die when it returns. */
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
    LW_ETCD_MESSAGE_MAX = 512 << 20, /* bytes of a reply: a page of a range, joined fragments */
    LW_ETCD_CALLS_MAX = 20000,       /* under way at once, of one client */
    LW_ETCD_ENDPOINTS_MAX = 32,
    LW_ETCD_REQUEST_TIMEOUT_MS = 10000,
    LW_ETCD_CONNECT_TIMEOUT_MS = 2000,
    LW_ETCD_KEEPALIVE_MS = 5000,         /* silence before a connection is asked whether it lives */
    LW_ETCD_KEEPALIVE_TIMEOUT_MS = 5000, /* and how long its answer may take */
};

/* Strings are copied.  Zero: the default. */
typedef struct lw_etcd_options {
    const char *endpoints; /* "http://10.0.0.1:2379,http://10.0.0.2:2379"; all http or all https */
    const char *ca_file;   /* PEM, of the servers; NULL: the system's */
    const char *cert_file; /* PEM, of this client */
    const char *key_file;
    const char *user; /* etcd's own; NULL: none */
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

/* Does not wait for a member.  LW_ERR_INVALID names the endpoint or the file and says what to do;
 * LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_etcd_new(lw_etcd **out, lw_loop *loop, const lw_etcd_options *options, lw_error *err);

/* Drops what is under way without a callback.  NULL does nothing. */
void lw_etcd_free(lw_etcd *etcd);

/* A key as it stands at the revision that was read. */
typedef struct lw_etcd_kv {
    lw_str key, value;
    uint64_t create_revision, mod_revision, version;
    int64_t lease; /* 0: none */
} lw_etcd_kv;

/* What every answer has. */
typedef struct lw_etcd_answer {
    const lw_error *err; /* NULL: all went well.  LW_ERR_EXPIRED: compacted; LW_ERR_TOO_LARGE_RV: a
                            revision to come; LW_ERR_UNAVAILABLE: no member, or no quorum;
                            LW_ERR_TIMEOUT; LW_ERR_LIMIT: too large, or the database is full;
                            LW_ERR_TOO_MANY; LW_ERR_UNAUTHORIZED, LW_ERR_FORBIDDEN; LW_ERR_NOT_FOUND
                            (a lease); LW_ERR_INTERNAL: it does not speak etcd's language */
    bool is_unknown;     /* of a write that failed: it may have been done all the same */
    uint64_t revision;   /* of the store, when it answered */
} lw_etcd_answer;

/* Each of the calls below returns at once; |*out|, where it is not NULL, can be cancelled until the
 * callback.  LW_ERR_TOO_MANY, LW_ERR_NOMEM, LW_ERR_LIMIT. */
void lw_etcd_call_cancel(lw_etcd *etcd, lw_etcd_call *call);

typedef struct lw_etcd_range_request {
    lw_str key;
    lw_str end;        /* empty: |key| alone.  "\0": everything from |key| on */
    uint64_t revision; /* 0: now */
    size_t limit;      /* 0: all */
    bool is_keys_only, is_count_only;
    bool is_serializable; /* any member's state will do: cheaper, perhaps old */
} lw_etcd_range_request;

typedef struct lw_etcd_range_answer {
    lw_etcd_answer base;
    const lw_etcd_kv *kvs; /* in the order of their keys */
    size_t count;
    bool has_more;
    uint64_t total; /* keys in the range, beyond the limit too */
} lw_etcd_range_answer;

typedef void (*lw_etcd_range_fn)(const lw_etcd_range_answer *answer, void *arg);

lw_status lw_etcd_range(lw_etcd *etcd, const lw_etcd_range_request *request, lw_etcd_range_fn fn,
                        void *arg, lw_etcd_call **out);

typedef enum lw_etcd_op {
    LW_ETCD_PUT,
    LW_ETCD_DELETE,
} lw_etcd_op;

/* One guarded change of one key, and how the key stands if the guard did not hold.  The strings may
 * go when lw_etcd_txn has returned. */
typedef struct lw_etcd_txn_request {
    lw_etcd_op op;
    lw_str key;
    lw_str value;            /* of a put */
    int64_t lease;           /* of a put; 0: none */
    bool is_unguarded;       /* do it whatever there is */
    bool is_version_guarded; /* |expected| is the key's version, not its mod revision */
    uint64_t expected;       /* 0: the key is absent */
    int timeout_ms;          /* 0: the client's */
} lw_etcd_txn_request;

typedef struct lw_etcd_txn_answer {
    lw_etcd_answer base;  /* revision: of the change, where it was made */
    bool is_done;         /* the guard held; for an unguarded delete: there was something */
    const lw_etcd_kv *kv; /* when it did not: the key as it stands; NULL: absent */
} lw_etcd_txn_answer;

typedef void (*lw_etcd_txn_fn)(const lw_etcd_txn_answer *answer, void *arg);

lw_status lw_etcd_txn(lw_etcd *etcd, const lw_etcd_txn_request *request, lw_etcd_txn_fn fn,
                      void *arg, lw_etcd_call **out);

typedef void (*lw_etcd_answer_fn)(const lw_etcd_answer *answer, void *arg);

/* Forgets history before |revision|.  LW_ERR_EXPIRED: somebody has already. */
lw_status lw_etcd_compact(lw_etcd *etcd, uint64_t revision, lw_etcd_answer_fn fn, void *arg,
                          lw_etcd_call **out);

typedef struct lw_etcd_lease_answer {
    lw_etcd_answer base;
    int64_t id;
    int64_t ttl_s; /* as granted, or what is left; <= 0: it is gone */
} lw_etcd_lease_answer;

typedef void (*lw_etcd_lease_fn)(const lw_etcd_lease_answer *answer, void *arg);

lw_status lw_etcd_lease_grant(lw_etcd *etcd, int64_t ttl_s, lw_etcd_lease_fn fn, void *arg,
                              lw_etcd_call **out);
/* Renews it once. */
lw_status lw_etcd_lease_keep_alive(lw_etcd *etcd, int64_t id, lw_etcd_lease_fn fn, void *arg,
                                   lw_etcd_call **out);
/* Ends it; its keys go. */
lw_status lw_etcd_lease_revoke(lw_etcd *etcd, int64_t id, lw_etcd_answer_fn fn, void *arg,
                               lw_etcd_call **out);

/* How the member that answers is. */
typedef struct lw_etcd_status_answer {
    lw_etcd_answer base;
    lw_str version; /* "3.4.23" */
    uint64_t db_bytes;
    uint64_t leader; /* member id; 0: there is none */
    uint64_t member; /* its own */
} lw_etcd_status_answer;

typedef void (*lw_etcd_status_fn)(const lw_etcd_status_answer *answer, void *arg);

lw_status lw_etcd_status(lw_etcd *etcd, lw_etcd_status_fn fn, void *arg, lw_etcd_call **out);

/* True when |version| ("3.5.8") answers progress requests rightly: 3.4.25, 3.5.8 and newer. */
bool lw_etcd_version_has_progress(lw_str version);

typedef struct lw_etcd_event {
    lw_etcd_kv kv; /* of a delete: the key, and mod_revision is that of the delete */
    bool is_delete;
    bool has_prev;
    lw_etcd_kv prev; /* as it was before, when asked for and not yet compacted */
} lw_etcd_event;

typedef struct lw_etcd_watch_request {
    lw_str key;
    lw_str end;              /* as in lw_etcd_range_request */
    uint64_t start_revision; /* the first one told; 0: from now on */
    bool wants_prev;
    bool wants_progress; /* now and then, when nothing happens: every ten minutes or so */
} lw_etcd_watch_request;

/* What a watch tells.  Only on_events and on_end must be there. */
typedef struct lw_etcd_watch_sink {
    /* It is in place; |revision| is the store's.  Also after each resumption. */
    void (*on_open)(uint64_t revision, void *arg);
    /* In the order of revisions, none left out, none twice, and never a part of a revision only. */
    void (*on_events)(const lw_etcd_event *events, size_t count, void *arg);
    /* Everything up to |revision| has been told. */
    void (*on_progress)(uint64_t revision, void *arg);
    /* The connection is lost, or its member has no leader; it is being resumed. */
    void (*on_cut)(const lw_error *err, void *arg);
    /* Once, and last: it cannot go on.  LW_ERR_EXPIRED: |compacted| is the first revision that can
     * still be read; LW_ERR_FORBIDDEN, LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM, LW_ERR_INTERNAL, ...
     * The watch is gone. */
    void (*on_end)(const lw_error *err, uint64_t compacted, void *arg);
    void *arg;
} lw_etcd_watch_sink;

lw_status lw_etcd_watch_open(lw_etcd_watch **out, lw_etcd *etcd,
                             const lw_etcd_watch_request *request, const lw_etcd_watch_sink *sink);

/* Asks for on_progress now; see lw_etcd_version_has_progress. */
void lw_etcd_watch_ask_progress(lw_etcd_watch *watch);

/* Holds its events back and gives them again, for a consumer that takes its time. */
void lw_etcd_watch_set_paused(lw_etcd_watch *watch, bool is_paused);

/* At once; nothing more is called back.  NULL does nothing. */
void lw_etcd_watch_cancel(lw_etcd_watch *watch);

#endif
