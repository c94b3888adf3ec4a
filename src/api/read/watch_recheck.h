/* SPDX-License-Identifier: Apache-2.0 */
/* watch_recheck.h -- when permissions change, watches whose users may no longer watch end with a
 * 403.
 *
 *     idle ──permissions have changed──▶ due ──▶ checking, some watches per turn ──▶ idle
 *                                         ▲ └── not sooner than PAUSE after the last ──┘
 *
 * Threads: lw_watch_recheck_all any thread; the rest on the loop of the port. */
#ifndef LW_API_READ_WATCH_RECHECK_H
#define LW_API_READ_WATCH_RECHECK_H

#include "api/context/port.h"
#include "base/sync.h"

/* The rechecks of all ports. */
typedef struct lw_watch_rechecks {
    lw_mutex mu;  /* guards |all| */
    lw_dlist all; /* of lw_watch_recheck */
} lw_watch_rechecks;

void lw_watch_rechecks_init(lw_watch_rechecks *rechecks);
void lw_watch_rechecks_done(lw_watch_rechecks *rechecks);

/* Makes the watches of all ports be checked soon.  Does not block. */
void lw_watch_recheck_all(lw_watch_rechecks *rechecks);

/* Adds the recheck of |port| as a worker of it.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_watch_recheck_add(lw_watch_rechecks *rechecks, lw_api_port *port);

#endif
