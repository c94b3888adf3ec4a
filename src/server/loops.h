/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h -- the threads of a server, with one event loop each: those that serve requests, and one
 * for background work (lifecycle.h), so that clients do not wait for it. */
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

/* Must be zeroed. */
typedef struct lw_loops {
    lw_server_loop members[LW_LOOPS_MAX + 1];
    lw_loop *list[LW_LOOPS_MAX + 1]; /* the same loops, for lw_http_server_options */
    size_t count;                    /* number of all loops */
    size_t serving;                  /* number of loops that serve requests; they come first */
} lw_loops;

/* Returns the default number of threads: one per CPU, up to a limit. */
unsigned lw_loops_default(void);

/* Creates |count| loops that serve requests, and the background loop.  LW_ERR_IO, LW_ERR_NOMEM;
 * call lw_loops_done in any case. */
lw_status lw_loops_open(lw_loops *loops, unsigned count, const lw_clock *clock,
                        const lw_logger *logger, lw_error *err);

/* Binds |api| to all loops and starts its lifecycle on the last one. */
lw_status lw_loops_bind(lw_loops *loops, lw_api *api, lw_error *err);
void lw_loops_unbind(lw_loops *loops);

/* Starts a thread for each loop.  After an error, call lw_loops_stop for those that were
 * started. */
lw_status lw_loops_start(lw_loops *loops, lw_error *err);

/* Ends the watches of all loops. */
void lw_loops_drain(lw_loops *loops);

/* Stops and joins the running threads. */
void lw_loops_stop(lw_loops *loops);

void lw_loops_done(lw_loops *loops);

#endif
