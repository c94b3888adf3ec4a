/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h -- calls webhooks from a thread of its own, and tries again after transient failures.
 *
 *     lw_webhook_call_start ──▶ send ──▶ reply, or a failure that stays ──▶ done
 *                                ▲ └──▶ transient failure ──▶ pause ──┐
 *                                └────────────────────────────────────┘  at most 5 times
 *
 * As in kube-apiserver: after the statuses 429, 500 and 504 it tries again, after 0.5 s, then 1.5
 * times as long each.
 *
 * Threads: start any thread; everything else on the caller's. */
#ifndef LW_SERVER_WEBHOOK_CALLER_H
#define LW_SERVER_WEBHOOK_CALLER_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "net/loop.h"

enum {
    LW_WEBHOOK_TRIES_MAX = 5,
};

typedef struct lw_webhook_caller lw_webhook_caller;
typedef struct lw_webhook_call lw_webhook_call;
typedef struct lw_webhook_transport lw_webhook_transport;

/* A reply, or why there is none.  The body is valid during the callback. */
typedef struct lw_webhook_reply {
    int status; /* 0: there is none, see |error| */
    lw_str body;
    lw_error error;
} lw_webhook_reply;

/* How requests get to one webhook: HTTP, or a test.  The first member of its struct. */
struct lw_webhook_transport {
    /* Sends call->body and calls lw_webhook_call_replied later, or returns an error. */
    lw_status (*send)(lw_webhook_transport *transport, lw_webhook_call *call, lw_error *err);
    /* Ends what |send| has begun: lw_webhook_call_replied is not called any more. */
    void (*cancel)(lw_webhook_transport *transport, lw_webhook_call *call);
    void (*free)(lw_webhook_transport *transport); /* no call uses it */
};

struct lw_webhook_call {
    /* The owner's.  All of it stays as it is until |done|. */
    lw_webhook_transport *transport;
    lw_str body;
    int64_t timeout_ns; /* of one try */
    /* A try has ended after |took_ns|; may be NULL. */
    void (*tried)(lw_webhook_call *call, const lw_webhook_reply *reply, int64_t took_ns);
    /* Returns false if nobody waits for the reply any more: there is no further try. */
    bool (*is_wanted)(lw_webhook_call *call);
    /* Once; may free the call. */
    void (*done)(lw_webhook_call *call, const lw_webhook_reply *reply);

    /* The transport's. */
    void *sent;
    void *sent_to;  /* which of several addresses */
    unsigned moves; /* from one to another */

    /* The caller's. */
    lw_webhook_caller *caller;
    lw_dlist_node link;
    lw_task start;
    lw_timer pause;
    unsigned tries;
    int64_t began_ns;
    bool is_sent; /* the transport has it */
};

/* Creates a caller; its thread does not run yet.  LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_webhook_caller_new(lw_webhook_caller **out, const lw_clock *clock,
                                              lw_error *err);

/* Starts the thread.  LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_webhook_caller_start(lw_webhook_caller *caller, lw_error *err);

/* Ends the thread and all calls: they are done with LW_ERR_STOPPED, here.  NULL does nothing. */
void lw_webhook_caller_stop(lw_webhook_caller *caller);

/* Frees it; it was stopped.  NULL does nothing. */
void lw_webhook_caller_free(lw_webhook_caller *caller);

/* The loop of the thread: for transports and timers; before start, or on the thread. */
lw_loop *lw_webhook_caller_loop(const lw_webhook_caller *caller);

/* Starts |call|, which is zeroed but for the owner's part. */
void lw_webhook_call_start(lw_webhook_caller *caller, lw_webhook_call *call);

/* For transports: the reply to what was sent last. */
void lw_webhook_call_replied(lw_webhook_call *call, const lw_webhook_reply *reply);

/* Sets |err| to what is wrong with |reply|, which is not a success, in the words of kube-apiserver
 * where it has some. */
lw_status lw_webhook_reply_error(const lw_webhook_reply *reply, lw_error *err);

static inline bool lw_webhook_reply_is_success(const lw_webhook_reply *reply)
{
    return reply->status >= 200 && reply->status < 300;
}

#endif
