/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h -- the threads of a server, with one event loop each: those that serve connections, one
 * for background work (lifecycle.h), and the workers, which serve heavy requests (heavy.h), so that
 * other clients do not wait for them. */
#ifndef LW_SERVER_CORE_LOOPS_H
#define LW_SERVER_CORE_LOOPS_H

#include <listwatch/log.h>

#include "api/api.h"
#include "base/sync.h"
#include "net/loop.h"

enum {
    LW_LOOPS_MAX = 64,
    LW_LOOPS_DEFAULT_MAX = 4,
    LW_LOOPS_WORKERS_MAX = 16,
    LW_LOOPS_WORKERS_DEFAULT_MAX = 4,
    LW_LOOPS_WORKER_NICE = 5, /* added to the nice value: loops with connections go first */
    LW_LOOPS_ALL_MAX = LW_LOOPS_MAX + 1 + LW_LOOPS_WORKERS_MAX,
};

/* One thread of a server. */
typedef struct lw_server_loop {
    lw_loop *loop;
    lw_api *api; /* set while the loop is bound to it */
    lw_thread thread;
    bool is_running;
    bool is_worker;
    lw_task drain;
    const lw_logger *logger;
} lw_server_loop;

/* Must be zeroed. */
typedef struct lw_loops {
    lw_server_loop members[LW_LOOPS_ALL_MAX];
    lw_loop *list[LW_LOOPS_ALL_MAX]; /* the same loops, for lw_http_server_options */
    size_t count;                    /* number of all loops */
    size_t serving;                  /* number of loops with connections; they come first */
    size_t watching; /* |serving| and the background loop; workers have no watches */
} lw_loops;

/* Returns the default number of threads: one per CPU, up to a limit. */
unsigned lw_loops_default(void);

/* Returns the default number of workers: one for two CPUs, at least one, up to a limit. */
unsigned lw_loops_default_workers(void);

/* Returns how many more threads may help one worker: one for each other CPU, up to a limit. */
unsigned lw_loops_helpers(void);

/* Creates |count| loops with connections, the background loop, and |workers| loops.  LW_ERR_IO,
 * LW_ERR_NOMEM; call lw_loops_done in any case. */
lw_status lw_loops_open(lw_loops *loops, unsigned count, unsigned workers, const lw_clock *clock,
                        const lw_logger *logger, lw_error *err);

/* Binds |api| to all loops and starts its lifecycle on the background loop. */
lw_status lw_loops_bind(lw_loops *loops, lw_api *api, lw_error *err);

/* Runs what is still posted to the workers' loops, which have ended, and unbinds all loops. */
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
