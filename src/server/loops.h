/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h -- the threads of a server, a loop each: those that serve, and behind them one that does
 * what the server does by itself (lifecycle.h), so that no client waits for that. */
#ifndef LW_SERVER_LOOPS_H
#define LW_SERVER_LOOPS_H

#include <listwatch/log.h>

#include "api/api.h"
#include "base/sync.h"
#include "net/loop.h"

enum {
    LW_LOOPS_MAX = 64,
    LW_LOOPS_DEFAULT_MAX = 4,
};

/* One thread of a server. */
typedef struct lw_server_loop {
    lw_loop *loop;
    lw_api *api; /* set while the loop is bound to it */
    lw_thread thread;
    bool is_running;
    lw_task drain;
    const lw_logger *logger;
} lw_server_loop;

/* Starts zeroed. */
typedef struct lw_loops {
    lw_server_loop members[LW_LOOPS_MAX + 1];
    lw_loop *list[LW_LOOPS_MAX + 1]; /* the same loops, for lw_http_server_options */
    size_t count;                    /* all */
    size_t serving;                  /* those that serve: the first ones */
} lw_loops;

/* How many threads there are to be when nobody says: one a processor, a few at most. */
unsigned lw_loops_default(void);

/* Makes |count| loops that serve, and the other.  LW_ERR_IO, LW_ERR_NOMEM; call lw_loops_done in
 * any case. */
lw_status lw_loops_open(lw_loops *loops, unsigned count, const lw_clock *clock,
                        const lw_logger *logger, lw_error *err);

/* Makes the ports of |api| on all loops, and starts its lifecycle on the last. */
lw_status lw_loops_bind(lw_loops *loops, lw_api *api, lw_error *err);
void lw_loops_unbind(lw_loops *loops);

/* Starts a thread for each.  On failure those that were started are to be stopped. */
lw_status lw_loops_start(lw_loops *loops, lw_error *err);

/* Has every loop end its watches. */
void lw_loops_drain(lw_loops *loops);

/* Stops and joins the threads that run. */
void lw_loops_stop(lw_loops *loops);

void lw_loops_done(lw_loops *loops);

#endif
