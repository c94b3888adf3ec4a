/* SPDX-License-Identifier: Apache-2.0 */
/* queue_set.h -- the queues of one priority level: fair queuing for server requests.
 *
 *     arrive ──▶ waiting ──▶ executing ──finish──▶ lingering ──release──▶ out
 *        │          └─cancel──▶ out        └──────(no additional time)───▶ out
 *        └─▶ rejected
 *
 * A request occupies seats, at most |limit| of them at a time in the whole set.  A flow is assigned
 * to a few queues (shuffle sharding) and its requests wait in the one with the least work.  The
 * next request to execute is the one that would finish first if all queues were served at the same
 * rate.  That is computed in virtual time R, the seat-seconds each queue has been entitled to since
 * the start: it advances by min(limit, seats requested) / active queues per second.  How long a
 * request takes is not known before it has finished: it is charged with an estimate at first, and
 * its queue is corrected at the end.
 *
 * Sans I/O: time is an argument.  Threads: one at a time; the owner has the lock. */
#ifndef LW_SERVER_FLOWCONTROL_QUEUE_SET_H
#define LW_SERVER_FLOWCONTROL_QUEUE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

#include "base/dlist.h"

enum {
    LW_QUEUE_SET_QUEUES_MAX = 1 << 16, /* a level that asks for more has this many */
};

/* Work, in units of 10^-8 seat-seconds.  It would overflow after years, not hours. */
typedef uint64_t lw_seat_seconds;
#define LW_SEAT_SECOND UINT64_C(100000000)

/* What a request is expected to cost: seats while it executes, and seats that stay taken for a
 * while after it, because its effects still cause work. */
typedef struct lw_flow_work {
    uint32_t initial_seats;
    uint32_t final_seats;
    int64_t additional_ns;
} lw_flow_work;

static inline uint32_t lw_flow_work_max_seats(const lw_flow_work *work)
{
    return work->initial_seats > work->final_seats ? work->initial_seats : work->final_seats;
}

typedef struct lw_flow_queue {
    lw_dlist waiting;     /* of lw_flow_item, the oldest first */
    lw_dlist_node active; /* in set->active while requests wait */
    uint32_t index;
    uint32_t waiting_count;
    uint32_t executing_count;
    uint64_t initial_seats_waiting, max_seats_waiting;
    uint64_t seats_in_use;
    lw_seat_seconds work_waiting;
    lw_seat_seconds next_dispatch_r; /* R at which its next request starts in virtual time */
} lw_flow_queue;

typedef enum lw_flow_item_state {
    LW_FLOW_ITEM_OUT,
    LW_FLOW_ITEM_WAITING,
    LW_FLOW_ITEM_EXECUTING,
    LW_FLOW_ITEM_LINGERING,
} lw_flow_item_state;

/* A request in the set; embedded in its owner and zeroed but for |work|. */
typedef struct lw_flow_item {
    lw_flow_work work;
    lw_flow_item_state state;
    lw_dlist_node link;       /* in queue->waiting or set->executing */
    lw_dlist_node dispatched; /* in the list that the functions below fill */
    lw_flow_queue *queue;     /* NULL: the set has no queues */
    uint32_t waited_seats;    /* what it counted for in its queue: a dispatch may change |work| */
    lw_seat_seconds total_work, arrival_r;
    int64_t arrival_ns, start_ns;
} lw_flow_item;

typedef struct lw_queue_set_config {
    bool is_exempt;        /* nothing is limited */
    uint32_t queues;       /* 0: what exceeds the limit is rejected */
    uint32_t hand_size;    /* at most |queues| */
    uint32_t length_limit; /* requests in a queue */
    uint32_t limit;        /* seats */
} lw_queue_set_config;

typedef struct lw_queue_set {
    lw_queue_set_config config;
    lw_flow_queue **queues; /* all that were ever used; those from config.queues on only drain */
    size_t queue_count;
    lw_dlist blocks; /* memory of the queues */
    lw_dlist active; /* queues in which requests wait */
    lw_dlist executing;
    lw_seat_seconds current_r;
    int64_t last_ns;   /* when current_r was computed */
    uint32_t robin;    /* the queue that was dispatched from last */
    uint64_t enqueued; /* number of requests so far */
    uint32_t busy;     /* queues with requests that wait or execute */
    uint64_t waiting_count, executing_count;
    uint64_t seats_waiting, seats_in_use;
    uint64_t queued_seats_in_use; /* of requests that went through a queue */
} lw_queue_set;

typedef enum lw_flow_verdict {
    LW_FLOW_EXECUTE,
    LW_FLOW_WAIT,
    LW_FLOW_QUEUE_FULL,        /* rejected */
    LW_FLOW_CONCURRENCY_LIMIT, /* rejected */
} lw_flow_verdict;

void lw_queue_set_init(lw_queue_set *set, int64_t now_ns);
void lw_queue_set_done(lw_queue_set *set); /* no item may be in it */

/* Changes the configuration.  Requests that can execute now are appended to |dispatched|.
 * LW_ERR_NOMEM: there is no memory for more queues; the set goes on with fewer. */
lw_status lw_queue_set_configure(lw_queue_set *set, const lw_queue_set_config *config,
                                 int64_t now_ns, lw_dlist *dispatched);

/* Takes in a request of the flow with this |hash|.  It may let other requests execute, which are
 * appended to |dispatched|. */
lw_flow_verdict lw_queue_set_arrive(lw_queue_set *set, lw_flow_item *item, uint64_t hash,
                                    int64_t now_ns, lw_dlist *dispatched);

/* The request has been executed.  Returns true if its seats stay taken for item->work.additional_ns
 * (then call lw_queue_set_release); otherwise others may execute. */
bool lw_queue_set_finish(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                         lw_dlist *dispatched);
void lw_queue_set_release(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                          lw_dlist *dispatched);

/* Takes a waiting request out. */
void lw_queue_set_cancel(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                         lw_dlist *dispatched);

static inline bool lw_queue_set_is_idle(const lw_queue_set *set)
{
    return set->waiting_count == 0 && set->executing_count == 0;
}

/* Returns |seats| seats for |ns|. */
lw_seat_seconds lw_seat_seconds_of(double seats, int64_t ns);

#endif
