/* SPDX-License-Identifier: Apache-2.0 */
/* call.h -- one unary call: it is retried where that is safe, until its deadline.
 *
 *     waiting for a connection ──▶ sent ──▶ replied
 *              ▲      ▲              │
 *              │      └── backoff ◀──┤ an error that may be retried later
 *              └─────────────────────┘ not processed, expired token, member does not respond */
#ifndef LW_ETCD_CALL_H
#define LW_ETCD_CALL_H

#include "etcd/client.h"
#include "etcd/grpc_stream.h"
#include "etcd/messages.h"

typedef struct lw_etcd_method {
    const char *name; /* e.g. "Range" */
    const char *path; /* e.g. "/etcdserverpb.KV/Range" */
    const ProtobufCMessageDescriptor *reply;
    bool is_write;     /* must not be retried if it may have been executed */
    bool is_tokenless; /* sent without a token, to get one */
    /* Reports the reply to the caller; |reply| is NULL if base->err is not. */
    void (*deliver)(lw_etcd_call *call, const lw_etcd_answer *base, const ProtobufCMessage *reply);
} lw_etcd_method;

/* The caller's callback. */
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
    bool is_unguarded_delete; /* of a txn: determines is_done of its reply */
    bool is_leaderless;       /* may be answered by a member without a leader */

    lw_etcd_frame *request;
    lw_etcd_waiter waiter;
    lw_grpc_stream stream;
    lw_etcd_link *link;                       /* NULL: not being sent */
    uint64_t link_activity, token_generation; /* values at the time it was sent */
    bool has_refreshed;                       /* the token was already renewed for this call */

    lw_timer timer;
    int timeout_ms;
    int64_t deadline_ns;
    int64_t pause_ends_ns; /* 0: no backoff */
    int64_t stalls_ns; /* when the call moves to another member if nothing was received; 0: never */
    lw_backoff backoff;

    lw_arena arena;
    ProtobufCMessage *reply;
    lw_error failure; /* the error of the last attempt; code LW_OK: none yet */
    bool is_failed;   /* |failure| must be reported by the timer */
    bool is_unknown;
};

/* A request and its caller. */
typedef struct lw_etcd_question {
    const lw_etcd_method *method;
    const ProtobufCMessage *request;
    int timeout_ms; /* 0: the client's default */
    lw_etcd_asker asker;
    void *arg;
    bool is_unguarded_delete, is_leaderless;
} lw_etcd_question;

/* Sends a request.  Errors: those of the calls in etcd.h. */
lw_status lw_etcd__ask(lw_etcd *etcd, const lw_etcd_question *question, lw_etcd_call **out);

/* Frees the call without a callback. */
void lw_etcd__call_free(lw_etcd_call *call);

#endif
