/* SPDX-License-Identifier: Apache-2.0 */
/* flow_level.h -- a priority level at run time: its seats, its queues and what is counted.
 *
 * A level exists as long as it is configured or has requests; configurations (flow_control.h) and
 * requests hold references.  Threads: any; each level has its own lock, which is held for a few
 * hundred instructions at most. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_LEVEL_H
#define LW_SERVER_FLOWCONTROL_FLOW_LEVEL_H

#include "base/ref.h"
#include "base/sync.h"
#include "server/flowcontrol/flow_schema.h"
#include "server/flowcontrol/flow_stats.h"
#include "server/flowcontrol/queue_set.h"
#include "server/flowcontrol/seat_demand.h"

enum {
    LW_FLOW_UID_SIZE = 64, /* a UID with its NUL; longer ones are cut off */
};

/* A request at a level; embedded in its owner.  The views live as long as it is in the level and
 * does not linger. */
typedef struct lw_flow_ticket {
    lw_flow_item item;
    lw_flow_stats *stats;
    bool is_watch;
    const lw_request_info *info;
    const lw_user *user;
    lw_str distinguisher;
} lw_flow_ticket;

typedef struct lw_flow_level {
    lw_ref ref;
    const lw_clock *clock;
    char *name;

    lw_mutex mu;             /* guards everything below */
    lw_flow_level_spec spec; /* its views are |name| and |uid| */
    char uid[LW_FLOW_UID_SIZE];
    bool is_quiescing; /* no longer configured: it ends when it is idle */
    lw_queue_set set;
    lw_seat_demand demand;
    lw_dlist stats; /* of lw_flow_stats */
    lw_flow_retry retry;
    uint64_t dispatched, rejected, timed_out, cancelled; /* requests */

    /* Seats: as configured, at least, at most, at the moment; and what the last adjustment aimed
     * for. */
    uint32_t nominal, lower, upper, current;
    double target;
} lw_flow_level;

/* Creates a level without seats.  NULL: no memory. */
lw_flow_level *lw_flow_level_new(lw_str name, const lw_clock *clock);
lw_flow_level *lw_flow_level_ref(lw_flow_level *level);
void lw_flow_level_unref(lw_flow_level *level); /* NULL does nothing */

/* Replaces what the level is configured to be; its seats are set by lw_flow_level_set_seats. */
void lw_flow_level_set_spec(lw_flow_level *level, const lw_flow_level_spec *spec);

/* Sets the number of seats at the moment.  Requests that can execute now are appended to
 * |dispatched| (linked by item.dispatched); their owners must be told.  LW_ERR_NOMEM: the level
 * goes on with fewer queues than configured. */
lw_status lw_flow_level_set_seats(lw_flow_level *level, uint32_t seats, lw_dlist *dispatched);

/* Returns the counters of a schema for a configuration, which gives them back with
 * lw_flow_level_forget_stats; NULL: no memory. */
lw_flow_stats *lw_flow_level_stats(lw_flow_level *level, lw_str schema);
void lw_flow_level_forget_stats(lw_flow_level *level, lw_flow_stats *stats);

/* Frees the counters that no configuration refers to and that count no request at the moment. */
void lw_flow_level_prune_stats(lw_flow_level *level);

/* A request arrives: ticket->item.work, stats and the views are set.  If it is rejected,
 * |*retry_after_s| is set. */
lw_flow_verdict lw_flow_level_arrive(lw_flow_level *level, lw_flow_ticket *ticket, uint64_t hash,
                                     lw_dlist *dispatched, int64_t *retry_after_s);

/* Takes a request out that has waited too long (|is_late|) or whose client has gone.  False: it
 * has been dispatched in the meantime. */
bool lw_flow_level_cancel(lw_flow_level *level, lw_flow_ticket *ticket, bool is_late,
                          lw_dlist *dispatched, int64_t *retry_after_s);

/* The request has been executed.  Returns true if its seats stay taken for
 * item.work.additional_ns: call lw_flow_level_release then. */
bool lw_flow_level_finish(lw_flow_level *level, lw_flow_ticket *ticket, lw_dlist *dispatched);
void lw_flow_level_release(lw_flow_level *level, lw_flow_ticket *ticket, lw_dlist *dispatched);

bool lw_flow_level_is_idle(lw_flow_level *level);

#endif
