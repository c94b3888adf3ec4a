/* SPDX-License-Identifier: Apache-2.0 */
/* server_health.h -- what the reflectors of one factory know together about their server.
 *
 *          unanswered request, 5xx
 *      UP ────────────────────────▶ DOWN ──┐ one request at a time is sent as a probe, every
 *      ▲                              │ ◀──┘ 0.2 to 1.2 s; all others wait
 *      └── an answer, an event, a 410 ┘
 *          wakes those that wait, spread over 0.05 to 0.5 s
 *
 * A quarter of the watches (at least two) cut off within 2 s are an outage that may be over
 * already: the members are told of it with the next answer, but nobody waits.
 *
 * It also limits how fast lists begin, whatever the reason: LW_HEALTH_LISTS_BURST at once, then
 * LW_HEALTH_LISTS_PER_S.  It is without I/O: it only changes when the members are due.
 * One thread at a time. */
#ifndef LW_INFORMER_SERVER_HEALTH_H
#define LW_INFORMER_SERVER_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "base/dlist.h"

enum {
    LW_HEALTH_PROBE_MIN_MS = 200,  /* first delay between probes, before jitter */
    LW_HEALTH_PROBE_MAX_MS = 600,  /* and the longest */
    LW_HEALTH_SPREAD_MIN_MS = 50,  /* those that wait are woken within this time ... */
    LW_HEALTH_SPREAD_MAX_MS = 500, /* ... up to this, if there are many: 0.5 ms for each */
    LW_HEALTH_CUT_S = 2,           /* watches that are cut off within this time have one cause */
    LW_HEALTH_LISTS_BURST = 50,
    LW_HEALTH_LISTS_PER_S = 200,
};

/* One reflector.  It is a member from init to done. */
typedef struct lw_health_member {
    lw_dlist_node link;
    /* The server answers again, after an outage that began at |down_ns|: act within |delay_ns|. */
    void (*on_up)(struct lw_health_member *member, int64_t down_ns, int64_t delay_ns);
} lw_health_member;

typedef struct lw_server_health {
    lw_dlist members; /* of lw_health_member.link */
    uint64_t count;
    bool is_down;
    int64_t down_ns;      /* when the outage began, if |is_down| */
    int64_t next_ns;      /* time of the next probe, if |is_down| */
    int64_t cut_ns;       /* when the first of |cuts| watches was cut off */
    uint64_t cuts;        /* since |cut_ns|; 0: none, or the members have been told */
    int64_t list_full_ns; /* the budget for lists is full from this time on */
    lw_error error;       /* why, if |is_down| */
    lw_backoff probes;
    lw_random random;
} lw_server_health;

void lw_server_health_init(lw_server_health *health, uint64_t seed);

void lw_server_health_join(lw_server_health *health, lw_health_member *member);
void lw_server_health_leave(lw_server_health *health, lw_health_member *member);

/* A request failed with |err| because the server did not answer, or answered with a 5xx. */
void lw_server_health_bad(lw_server_health *health, const lw_error *err, int64_t now_ns);

/* A watch that was open was cut off. */
void lw_server_health_cut(lw_server_health *health, int64_t now_ns);

/* Returns true if lw_server_health_good would tell the members. */
static inline bool lw_server_health_is_doubted(const lw_server_health *health)
{
    return health->is_down || health->cuts > 0;
}

/* The server answered.  Calls on_up of all members if it was down, or seems to have been. */
void lw_server_health_good(lw_server_health *health, int64_t now_ns);

/* Returns |now_ns| if a request may be sent now; while the server is down it counts as a probe.
 * Otherwise returns a time to ask again. */
int64_t lw_server_health_send_ns(lw_server_health *health, int64_t now_ns);

/* Returns the time at which one more list may begin, |now_ns| or later; it is reserved. */
int64_t lw_server_health_list_ns(lw_server_health *health, int64_t now_ns);

#endif
