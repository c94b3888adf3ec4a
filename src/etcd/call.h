/* SPDX-License-Identifier: Apache-2.0 */
/* call.h -- one question and its answer: asked again where that is right, until its deadline.
 *
 *     waiting for a connection ──▶ asked ──▶ answered
 *              ▲      ▲               │
 *              │      └── pausing ◀───┤ a failure that may go later
 *              └──────────────────────┘ refused unseen, a stale token, a member that is silent */
#ifndef LW_ETCD_CALL_H
#define LW_ETCD_CALL_H

#include "etcd/client.h"
#include "etcd/grpc_stream.h"
#include "etcd/messages.h"

typedef struct lw_etcd_method {
    const char *name; /* "Range" */
    const char *path; /* "/etcdserverpb.KV/Range" */
    const ProtobufCMessageDescriptor *reply;
    bool is_write;     /* not to be asked twice when it may have been done */
    bool is_tokenless; /* for those who have no token yet */
    /* Tells whoever asked: |reply| is NULL when base->err is not. */
    void (*deliver)(lw_etcd_call *call, const lw_etcd_answer *base, const ProtobufCMessage *reply);
} lw_etcd_method;

/* Who asked. */
typedef union lw_etcd_asker {
    lw_etcd_range_fn range;
    lw_etcd_txn_fn txn;
    lw_etcd_answer_fn answer;
    lw_etcd_lease_fn lease;
    lw_etcd_status_fn status;
} lw_etcd_asker;

struct lw_etcd_call {
    lw_dlist_node node; /* in etcd->calls */
    lw_etcd *etcd;
    const lw_etcd_method *method;
    lw_etcd_asker asker;
    void *arg;
    bool is_unguarded_delete; /* of a txn: its answer counts */
    bool is_leaderless;       /* any member's state will do */

    lw_etcd_frame *request;
    lw_etcd_waiter waiter;
    lw_grpc_stream stream;
    lw_etcd_link *link;                       /* NULL: not asked now */
    uint64_t link_activity, token_generation; /* when it was asked */
    bool has_refreshed;                       /* the token, for this call */

    lw_timer timer;
    int timeout_ms;
    int64_t deadline_ns;
    int64_t pause_ends_ns; /* 0: does not pause */
    int64_t stalls_ns;     /* asked elsewhere then, when nothing has come; 0: never */
    lw_backoff backoff;

    lw_arena arena;
    ProtobufCMessage *reply;
    lw_error failure; /* of the last try; code LW_OK: none yet */
    bool is_failed;   /* |failure| is to be told at once */
    bool is_unknown;
};

/* What to ask, and who. */
typedef struct lw_etcd_question {
    const lw_etcd_method *method;
    const ProtobufCMessage *request;
    int timeout_ms; /* 0: the client's */
    lw_etcd_asker asker;
    void *arg;
    bool is_unguarded_delete, is_leaderless;
} lw_etcd_question;

/* Asks.  As the calls of etcd.h. */
lw_status lw_etcd__ask(lw_etcd *etcd, const lw_etcd_question *question, lw_etcd_call **out);

/* Frees it, without a callback. */
void lw_etcd__call_free(lw_etcd_call *call);

#endif
