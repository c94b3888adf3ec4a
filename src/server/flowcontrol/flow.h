/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h -- API Priority and Fairness: decides when a request is executed, or that it is rejected.
 *
 *     lw_flow_admit ──▶ execute now ──▶ (reply complete, watch has its initial events) ──▶ seats
 * free │    └─────▶ wait ──▶ execute later, by a task on the stream's loop │             └─▶ too
 * long: 429; client gone └──▶ reject: 429
 *
 * FlowSchemas and PriorityLevelConfigurations are followed by flow_keeper.h.  A request that
 * executes at once costs one lock of its level and no allocation. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_H
#define LW_SERVER_FLOWCONTROL_FLOW_H

#include "api/context/port.h"
#include "api/http/request_info.h"
#include "base/buf.h"
#include "net/http.h"
#include "server/flowcontrol/flow_control.h"

typedef struct lw_flow lw_flow;

typedef struct lw_flow_options {
    lw_loop *const *loops; /* that serve requests */
    size_t loop_count;
    const lw_clock *clock;
    uint32_t total_seats;
    /* Serves a request that had to wait, on its loop. */
    void (*serve)(lw_http_stream *stream, void *arg);
    void *arg;
} lw_flow_options;

enum {
    LW_FLOW_READ_ONLY_DEFAULT = 400, /* --max-requests-inflight */
    LW_FLOW_MUTATING_DEFAULT = 200,  /* --max-mutating-requests-inflight */
};

/* The mandatory objects are in force at once.  LW_ERR_NOMEM. */
lw_status lw_flow_new(lw_flow **out, const lw_flow_options *options, lw_error *err);

/* Frees it, after the loops have been freed.  NULL does nothing. */
void lw_flow_free(lw_flow *flow);

/* Decides about a request, on the loop of its stream.  Returns true if it is to be served now;
 * otherwise it is served later or has its reply.  |info| is what lw_request_info_read reads from
 * the request; |user| lives as long as the stream. */
bool lw_flow_admit(lw_flow *flow, lw_http_stream *stream, const lw_request_info *info,
                   const lw_user *user);

/* Starts the requests that were appended to |dispatched| by lw_flow_control_apply and such.  Any
 * thread. */
void lw_flow_start_dispatched(lw_dlist *dispatched);

lw_flow_control *lw_flow_control_of(lw_flow *flow);

/* Replies with 429 and Retry-After, in the words of kube-apiserver. */
void lw_flow_reply_too_many(lw_http_stream *stream, int64_t retry_after_s);

#endif
